use std::io;
use std::path::PathBuf;

/// Why a design could not be built, loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no Verilator in {searched}; `scripts/setup` installs it")]
    NoVerilator { searched: String },
    #[error("Verilator at `{}` is of no use: {reason}; `scripts/setup` installs one that is", program.display())]
    BrokenVerilator { program: PathBuf, reason: String },
    #[error("no C++ compiler: {searched} do not run; install one (Debian: `apt-get install g++`) or name it in CXX; `scripts/setup` checks")]
    NoCompiler { searched: String },
    #[error("`{}` holds no Verilog (*.v, *.sv, or a list files.f)", .0.display())]
    NoVerilog(PathBuf),
    #[error("the Verilog of `{design}` has no module `{top}`")]
    NoTop { design: String, top: String },
    #[error("Verilator refuses `{design}`:\n{report}")]
    Refused { design: String, report: String },
    #[error("the C++ of `{design}` does not compile with `{compiler}`:\n{report}")]
    Compile {
        design: String,
        compiler: String,
        report: String,
    },
    #[error("module `{top}` has no port `{port}`")]
    NoPort { top: String, port: String },
    #[error("port `{port}` of module `{top}` is {found}, not {expected}")]
    PortShape {
        top: String,
        port: String,
        found: String,
        expected: String,
    },
    #[error("cannot {what} `{}`: {source}", path.display())]
    Io {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("cannot load the model `{}`: {reason}; delete it to build it anew", path.display())]
    Load { path: PathBuf, reason: String },
    #[error("the simulation stopped: {0}")]
    Stopped(String),
    #[error("this model was built without waves; build it with `trace`")]
    NoTrace,
    #[error("the waves in `{}` are incomplete (is the disk full?)", .0.display())]
    TraceIncomplete(PathBuf),
}

impl Error {
    pub(super) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { what, path, source }
    }
}
