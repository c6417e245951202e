use super::process::{report, run};
use super::tools::Tools;
use super::Error;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// The source of the options that decide how objects are compiled and linked.
pub(super) const SOURCE: &str = include_str!("compiler.rs");

/// A C++ file to compile.
pub(super) struct Unit {
    pub source: PathBuf,
    pub optimize: &'static str,
}

/// Compiles the units of one design.
pub(super) struct Compiler<'a> {
    pub flags: Vec<&'static str>,
    /// True if the model needs zlib.
    pub trace: bool,
    pub tools: &'a Tools,
    pub design: &'a str,
    /// The folder of Verilator's C++.
    pub cpp: &'a Path,
}

impl Compiler<'_> {
    /// Compiles the units on all cores. Returns the objects.
    pub fn all(&self, units: &[Unit]) -> Result<Vec<PathBuf>, Error> {
        let queue = Mutex::new(units.iter().collect::<VecDeque<_>>());
        let next = || queue.lock().ok().and_then(|mut q| q.pop_front());
        let work = || -> Result<Vec<PathBuf>, Error> {
            std::iter::from_fn(next).map(|unit| self.one(unit)).collect()
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..cores().min(units.len())).map(|_| scope.spawn(work)).collect();
            let mut objects = Vec::new();
            for worker in workers {
                match worker.join() {
                    Ok(made) => objects.extend(made?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            objects.sort();
            Ok(objects)
        })
    }

    fn one(&self, unit: &Unit) -> Result<PathBuf, Error> {
        let object = unit.source.with_extension("o");
        let mut command = Command::new(&self.tools.compiler);
        command.args(&self.flags).arg(unit.optimize).arg("-c");
        command.arg("-I").arg(self.cpp);
        command.arg("-I").arg(self.tools.verilator_root.join("include"));
        command
            .arg("-I")
            .arg(self.tools.verilator_root.join("include/vltstd"));
        let unpacked = self.unpacked("zlib.h").or_else(|| self.unpacked("lz4.h"));
        if let Some(include) = unpacked.map(|p| p.join("usr/include")) {
            command.arg("-I").arg(include);
        }
        command.arg(&unit.source).arg("-o").arg(&object);
        self.check(&mut command)?;
        Ok(object)
    }

    /// Links objects into a shared object.
    pub fn link(&self, objects: &[PathBuf], library: &Path) -> Result<(), Error> {
        let mut command = Command::new(&self.tools.compiler);
        command
            .arg("-shared")
            .args(objects)
            .arg("-o")
            .arg(library)
            .arg("-pthread");
        if self.trace {
            // An unpacked development package has a dangling `libz.so`.
            command.arg(match self.unpacked("zlib.h") {
                Some(_) => "-l:libz.so.1",
                None => "-lz",
            });
        }
        if self.trace && self.tools.is_current() {
            if let Some(prefix) = self.unpacked("lz4.h") {
                command.arg("-L").arg(prefix.join("usr/lib/x86_64-linux-gnu"));
                command.arg("-l:liblz4.so.1");
            } else {
                command.arg("-llz4");
            }
        }
        self.check(&mut command)
    }

    /// Returns the folder in which this header of the system was unpacked, if it was.
    fn unpacked(&self, header: &str) -> Option<&Path> {
        let prefix = self.tools.prefix.as_deref()?;
        prefix
            .join("usr/include")
            .join(header)
            .is_file()
            .then_some(prefix)
    }

    fn check(&self, command: &mut Command) -> Result<(), Error> {
        let compiler = &self.tools.compiler;
        let output = run(command).map_err(Error::io("run", compiler))?;
        if output.status.success() {
            return Ok(());
        }
        Err(Error::Compile {
            design: self.design.to_owned(),
            compiler: compiler.display().to_string(),
            report: report(&output),
        })
    }
}

/// Returns the number of compilers to run at once.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
