use super::cache::{obtain, Key};
use super::compiler::{self, cores, Compiler, Unit};
use super::evaluation::{self, Evaluated, Evaluation};
use super::gate;
use super::header;
use super::model::Library;
use super::process::{report, run};
use super::shim;
use super::tools::Tools;
use super::{Direction, Error, PortInfo, Source, VerilogFile};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How Verilator's warnings are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lints {
    /// Every warning but `UNUSEDSIGNAL` fails the build. This is for the project's own export.
    Strict,
    /// Warnings are ignored. This is for a mutant or another project's core.
    Lenient,
}

/// How to build a design.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    pub lints: Lints,
    /// The model can write waves. It is slower, and evaluated as a whole.
    pub trace: bool,
    pub evaluation: Evaluation,
}

/// File names of a cache entry.
const MODEL: &str = "model.so";
const PORTS: &str = "ports";
const EVALUATED: &str = "evaluated";

/// Options of Verilator. With `randReset(2)` at run time, uninitialised values differ from seed to seed.
const VERILATOR_FLAGS: &[&str] = &[
    "--cc",
    "--prefix",
    shim::CLASS,
    "-O3",
    "--no-timing",
    "--x-assign",
    "unique",
    "--x-initial",
    "unique",
];
/// Disables an optimisation that is wrong in version 5.049: it adds the amounts of two shifts in a row in the width of
/// one of them, so that `(x << 2'd3) << 2'd3` becomes `x << 2`.
const SOUND: &str = "-fno-dfg-peephole";
/// Splits the output into files, so that all cores can compile.
const SPLIT: &[&str] = &["--output-split", "20000"];
/// Disables a warning about writes to a register with an initial value, which any FPGA permits. Older versions do not
/// know the warning.
const INITIAL_VALUES: &str = "-Wno-PROCASSINIT";
const CXX_FLAGS: &[&str] = &[
    "-std=gnu++17", "-fPIC", "-fvisibility=hidden", "-w",
    // An assertion of the run-time library needs libatomic.
    "-DNDEBUG", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE_VCD=0", "-DVL_USER_FATAL",
    "-DVL_USER_STOP", "-DVL_USER_FINISH",
];
const FAST: &str = "-O3";
/// Number of files for the blocks of a gated design: several for each core.
const GATE_FILES: usize = 4;
/// Optimisation level of construction and other code that runs once.
const SLOW: &str = "-O1";
/// Optimisation level of code that runs once in a model that is built to be fast.
const RARE: &str = "-O0";

impl Build {
    /// Builds the design, or takes it from the cache under `target/verilated`.
    pub fn library(self, source: &Source) -> Result<Library, Error> {
        self.library_by(&Tools::find()?, source)
    }

    /// Builds the design with these tools, or takes it from the cache under `target/verilated`.
    pub fn library_by(self, tools: &Tools, source: &Source) -> Result<Library, Error> {
        let mut key = Key::new("model")
            .with(&tools.verilator_version)
            .with(&tools.compiler_version)
            .with(self.verilator_flags(tools).join(" "))
            .with(self.cxx_flags().join(" "))
            .with(compiler::SOURCE)
            .with([FAST, SLOW, RARE].concat())
            .with(shim::text(&[], Some("")))
            .with(evaluation::header("", true))
            .with(format!("{:?}", self.evaluation))
            .with(&source.top);
        if self.evaluation == Evaluation::Gated {
            key = key.with(gate::SOURCES.concat());
        }
        for file in source.files.iter().chain(&source.extra) {
            key = key.with(&file.name).with(&file.text);
        }
        let entry = obtain(&key.hex(), |dir| self.make(tools, source, dir))?;
        let read = |name| {
            let path = entry.join(name);
            fs::read_to_string(&path).map_err(Error::io("read", &path))
        };
        let ports: Vec<PortInfo> = header::ports(&read(PORTS)?).into_iter().map(|m| m.info).collect();
        let evaluated = Evaluated::parse(&read(EVALUATED)?).unwrap_or_else(|| Evaluated::whole(None));
        Library::open(&entry.join(MODEL), &source.top, ports, self.trace, evaluated)
    }

    fn verilator_flags(self, tools: &Tools) -> Vec<&'static str> {
        let mut flags = VERILATOR_FLAGS.to_vec();
        if tools.is_current() {
            flags.push(SOUND);
        }
        match self.lints {
            Lints::Strict => {
                flags.extend(["-Wall", "-Wno-UNUSEDSIGNAL"]);
                if tools.is_current() {
                    flags.push(INITIAL_VALUES);
                }
            }
            Lints::Lenient => flags.extend(["-Wno-lint", "-Wno-style", "-Wno-fatal"]),
        }
        if self.trace {
            flags.push("--trace-fst");
        }
        flags
    }

    fn cxx_flags(self) -> Vec<&'static str> {
        let mut flags = CXX_FLAGS.to_vec();
        flags.extend(match self.trace {
            true => ["-DVM_TRACE=1", "-DVM_TRACE_FST=1"],
            false => ["-DVM_TRACE=0", "-DVM_TRACE_FST=0"],
        });
        flags
    }

    /// Fills a cache entry.
    fn make(self, tools: &Tools, source: &Source, dir: &Path) -> Result<(), Error> {
        let verilog = dir.join("verilog");
        let names = stage(&verilog, &source.files)?;
        stage(&verilog, &source.extra)?;
        let mut wanted = match self.trace {
            true => Evaluation::Whole,
            false => self.evaluation,
        };
        let mut note = None;
        if wanted == Evaluation::Gated && !tools.is_current() {
            wanted = Evaluation::Divided;
            note = Some(format!(
                "not gated: the C++ of {} is not known",
                tools.verilator_version
            ));
        }
        let cpp = dir.join("cpp");
        let verilate = |split: &[&str]| -> Result<String, Error> {
            if cpp.is_dir() {
                fs::remove_dir_all(&cpp).map_err(Error::io("remove", &cpp))?;
            }
            fs::create_dir(&cpp).map_err(Error::io("create the folder", &cpp))?;
            self.verilate(tools, source, &verilog, &cpp, (&names, split))?;
            read(&cpp.join(format!("{}.h", shim::CLASS)))
        };
        let mut made = None;
        if wanted == Evaluation::Gated {
            let header = verilate(gate::FLAGS)?;
            let root = read(&cpp.join(format!("{}.h", gate::ROOT)))?;
            match gate::gate(logic(&cpp)?, &root, GATE_FILES) {
                Ok(gated) => made = Some((header, gated.parts, gated.files)),
                Err(unread) => note = Some(format!("not gated: {unread}")),
            }
        }
        let gated = made.is_some();
        let (text, parts, extra) = match made {
            Some((header, parts, files)) => (header, Some(parts), files),
            None => {
                let header = verilate(SPLIT)?;
                let parts = match wanted {
                    Evaluation::Whole => None,
                    _ => gate::parts(logic(&cpp)?)
                        .map_err(|unread| note = Some(format!("not divided: {unread}")))
                        .ok(),
                };
                let divided = vec![("divided.cpp".to_owned(), evaluation::DIVIDED.to_owned())];
                let extra = if parts.is_some() { divided } else { Vec::new() };
                (header, parts, extra)
            }
        };
        let clock = parts.as_ref().map(|parts| parts.clock.clone());
        let settles = parts.is_some_and(|parts| parts.settles);
        let ports = header::ports(&text);
        let member = |name: &String| {
            let port = ports.iter().find(|p| p.member == *name && p.info.bits == 1);
            port.filter(|p| p.info.direction == Direction::In)
        };
        let evaluated = match clock.as_ref().map(member) {
            None => Evaluated::whole(note),
            Some(Some(clock)) => Evaluated {
                evaluation: if gated {
                    Evaluation::Gated
                } else {
                    Evaluation::Divided
                },
                clock: Some(clock.info.name.clone()),
                note,
            },
            Some(None) => Evaluated::whole(Some("not divided: its clock is no input".to_owned())),
        };
        write(&dir.join(PORTS), &port_lines(&text))?;
        write(&dir.join(EVALUATED), &evaluated.text())?;
        let clock = evaluated.clock.and(clock);
        if clock.is_some() {
            let root = read(&cpp.join(format!("{}.h", gate::ROOT)))?;
            write(&cpp.join(evaluation::HEADER), &evaluation::header(&root, settles))?;
            for (name, text) in &extra {
                write(&cpp.join(name), text)?;
            }
        }
        let units = self.units(&cpp, &shim::text(&ports, clock.as_deref()), gated)?;
        let compiler = Compiler {
            flags: self.cxx_flags(),
            trace: self.trace,
            tools,
            design: &source.design,
            cpp: &cpp,
        };
        let mut objects = compiler.all(&units)?;
        objects.extend(self.runtime(tools, &source.design)?);
        compiler.link(&objects, &dir.join(MODEL))?;
        for done in [&cpp, &verilog] {
            fs::remove_dir_all(done).map_err(Error::io("remove", done))?;
        }
        Ok(())
    }

    fn verilate(
        self,
        tools: &Tools,
        source: &Source,
        verilog: &Path,
        cpp: &Path,
        (names, split): (&[String], &[&str]),
    ) -> Result<(), Error> {
        let mut command = tools.verilator_command();
        command
            .current_dir(verilog)
            .args(self.verilator_flags(tools))
            .args(split);
        command
            .args(["--top-module", &source.top, "-I.", "--Mdir"])
            .arg(cpp)
            .args(names);
        let output = run(&mut command).map_err(Error::io("run", &tools.verilator))?;
        if output.status.success() {
            return Ok(());
        }
        let report = report(&output);
        let design = source.design.clone();
        let top = source.top.clone();
        // Verilator reports that the top "isn't a module" or "was not found".
        if report.contains("--top-module") && report.contains(&format!("'{top}'")) {
            return Err(Error::NoTop { design, top });
        }
        Err(Error::Refused { design, report })
    }

    /// Joins Verilator's files to a few units, with as many units of fast code as there are cores, because a small unit
    /// spends most of its time in the headers.
    ///
    /// In a gated design, Verilator's own logic runs once and is not worth optimising.
    fn units(self, cpp: &Path, shim: &str, gated: bool) -> Result<Vec<Unit>, Error> {
        let mut files: Vec<(String, u64)> = Vec::new();
        for entry in fs::read_dir(cpp).map_err(Error::io("read the folder", cpp))? {
            let entry = entry.map_err(Error::io("read the folder", cpp))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".cpp") {
                let length = entry.metadata().map_err(Error::io("read", entry.path()))?.len();
                files.push((name, length));
            }
        }
        write(&cpp.join("shim.cpp"), shim)?;
        files.push(("shim.cpp".to_owned(), shim.len() as u64));
        files.sort();
        let rare = |name: &str| is_slow(name) || (gated && name.starts_with(shim::CLASS));
        let (slow, fast): (Vec<_>, Vec<_>) = files.into_iter().partition(|(name, _)| rare(name));
        let mut groups = vec![(Vec::new(), 0); cores()];
        for (name, length) in fast {
            if let Some((names, total)) = groups.iter_mut().min_by_key(|(_, total)| *total) {
                names.push(name);
                *total += length;
            }
        }
        let mut units = Vec::new();
        let groups = groups.into_iter().map(|(names, _)| (names, FAST));
        let slow = (
            slow.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
            if gated { RARE } else { SLOW },
        );
        for (index, (names, optimize)) in groups.chain([slow]).enumerate() {
            if names.is_empty() {
                continue;
            }
            let source = cpp.join(format!("unit{index}.cc"));
            let text: String = names.iter().map(|n| format!("#include \"{n}\"\n")).collect();
            write(&source, &text)?;
            units.push(Unit { source, optimize });
        }
        Ok(units)
    }

    /// Returns the objects of Verilator's run-time library, which all designs share.
    fn runtime(self, tools: &Tools, design: &str) -> Result<Vec<PathBuf>, Error> {
        let mut names = vec!["verilated", "verilated_threads"];
        if self.trace {
            names.push("verilated_fst_c");
        }
        let key = Key::new("runtime")
            .with(&tools.verilator_version)
            .with(&tools.compiler_version)
            .with(self.cxx_flags().join(" "))
            .with(FAST);
        let entry = obtain(&key.hex(), |dir| {
            let units = names.iter().map(|name| {
                let source = dir.join(format!("{name}.cc"));
                write(&source, &format!("#include \"{name}.cpp\"\n"))?;
                Ok(Unit {
                    source,
                    optimize: FAST,
                })
            });
            let units = units.collect::<Result<Vec<_>, Error>>()?;
            let compiler = Compiler {
                flags: self.cxx_flags(),
                trace: self.trace,
                tools,
                design,
                cpp: dir,
            };
            compiler.all(&units).map(drop)
        })?;
        Ok(names.iter().map(|name| entry.join(format!("{name}.o"))).collect())
    }
}

/// Writes the files below `dir`. Returns their names.
fn stage(dir: &Path, files: &[VerilogFile]) -> Result<Vec<String>, Error> {
    fs::create_dir_all(dir).map_err(Error::io("create the folder", dir))?;
    let mut names = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let path = Path::new(&file.name);
        let inside = path.components().all(|c| matches!(c, Component::Normal(_)));
        let base = path.file_name().unwrap_or_default().to_string_lossy();
        let name = if inside {
            file.name.clone()
        } else {
            format!("outside{index}/{base}")
        };
        let staged = dir.join(&name);
        if let Some(parent) = staged.parent() {
            fs::create_dir_all(parent).map_err(Error::io("create the folder", parent))?;
        }
        fs::write(&staged, &file.text).map_err(Error::io("write", &staged))?;
        names.push(name);
    }
    Ok(names)
}

/// Returns Verilator's C++ of a design's logic, without its construction.
fn logic(cpp: &Path) -> Result<String, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(cpp).map_err(Error::io("read the folder", cpp))? {
        let entry = entry.map_err(Error::io("read the folder", cpp))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = name.starts_with(&format!("{}_", shim::CLASS)) && name.ends_with(".cpp");
        if inside && !is_slow(&name) {
            names.push(name);
        }
    }
    names.sort();
    names.iter().map(|name| read(&cpp.join(name))).collect()
}

/// Returns true if a file holds construction and other code that runs once.
fn is_slow(name: &str) -> bool {
    name.contains("__Slow") || name.contains("__Syms")
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::io("read", path))
}

/// Returns the lines of a generated header that declare ports.
fn port_lines(header: &str) -> String {
    let lines = header.lines().filter(|l| !header::ports(l).is_empty());
    lines.map(|l| format!("{}\n", l.trim())).collect()
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(Error::io("write", path))
}
