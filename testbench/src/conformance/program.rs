//! Test programs as cargo builds them. Each lists its cases, and runs selected ones.
use super::dut::Dut;
use super::result::{Outcome, Reader};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

/// Environment variable with the profile of the hardware for the cases.
pub const PROFILE: &str = "HCA_PROFILE";

/// The test programs whose cases carry rows in their names: the model's own, and those on both devices.
const CARGO: [&str; 13] = [
    "test", "--quiet", "--no-run", "--message-format", "json", "-p", "hca-golden", "-p", "hca-testbench",
    "--test=rc", "--test=wire", "--test=conformance", "--locked",
];

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    /// Folder in which the program runs; `None` for the current one.
    folder: Option<PathBuf>,
}

/// Why test programs cannot be used: a program is missing, or is not a test program.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("cannot run `{}`: {source}", path.display())]
    Start { path: PathBuf, source: io::Error },
    #[error("`{} --list` ended with {status}", path.display())]
    List { path: PathBuf, status: ExitStatus },
    #[error("cargo did not build the test programs: it ended with {0}")]
    Cargo(ExitStatus),
}

impl Program {
    /// Makes a program with this path, which runs in the current folder.
    pub fn new(path: PathBuf) -> Program {
        Program { path, folder: None }
    }

    /// The project's own test programs, built by the cargo in `PATH` from the current folder.
    pub fn built() -> Result<Vec<Program>, ProgramError> {
        let cargo = Path::new("cargo");
        let run = Command::new(cargo)
            .args(CARGO)
            .stderr(Stdio::inherit())
            .stdin(Stdio::null())
            .output()
            .map_err(start(cargo))?;
        if !run.status.success() {
            return Err(ProgramError::Cargo(run.status));
        }
        let messages = String::from_utf8_lossy(&run.stdout);
        Ok(messages.lines().filter_map(executable).collect())
    }

    /// Returns the paths of all cases.
    pub fn cases(&self) -> Result<Vec<String>, ProgramError> {
        let run = self.command().args(["--list", "--format", "terse"]).output();
        let run = run.map_err(start(&self.path))?;
        if !run.status.success() {
            let path = self.path.clone();
            return Err(ProgramError::List {
                path,
                status: run.status,
            });
        }
        let listed = String::from_utf8_lossy(&run.stdout);
        let cases = listed.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(cases.map(str::to_owned).collect())
    }

    /// Runs these cases; those of the hardware run on this profile, on the project's own Verilog or on `dut`. `done` is
    /// called for each case that ends. A case without a result gets [`Outcome::Missing`].
    pub fn run(
        &self,
        cases: &[String],
        profile: &str,
        dut: Option<&Dut>,
        mut done: impl FnMut(&str),
    ) -> Result<BTreeMap<String, Outcome>, ProgramError> {
        let mut command = self.command();
        command.arg("--exact").args(cases).env(PROFILE, profile);
        if let Some(dut) = dut {
            dut.hand_on(&mut command);
        }
        let mut child = command.spawn().map_err(start(&self.path))?;
        let errors = drain(child.stderr.take());
        let mut reader = Reader::default();
        let read = read_lines(&mut child, |line| {
            if let Some(case) = reader.line(line) {
                done(case);
            }
        });
        read.map_err(start(&self.path))?;
        let status = child.wait().map_err(start(&self.path))?;
        let errors = errors.join().unwrap_or_default();
        let mut outcomes = reader.outcomes();
        for case in cases {
            outcomes.entry(case.clone()).or_insert_with(|| Outcome::Missing {
                why: format!("the test program ended with {status}\n{errors}"),
            });
        }
        Ok(outcomes)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

fn start(path: &Path) -> impl Fn(io::Error) -> ProgramError + '_ {
    |source| ProgramError::Start {
        path: path.to_owned(),
        source,
    }
}

/// Returns the test program in a message of cargo, which runs it in the folder of its package.
fn executable(message: &str) -> Option<Program> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let text = |name: &str| message.get(name).and_then(|value| value.as_str());
    let is_test = message.pointer("/profile/test").and_then(|test| test.as_bool());
    let path = text("executable").filter(|_| is_test == Some(true))?;
    let folder = text("manifest_path").and_then(|path| Path::new(path).parent());
    Some(Program {
        path: path.into(),
        folder: folder.map(Path::to_owned),
    })
}

fn read_lines(child: &mut Child, mut hears: impl FnMut(&str)) -> io::Result<()> {
    let Some(out) = child.stdout.take() else {
        return Ok(());
    };
    let mut out = BufReader::new(out);
    let mut line = Vec::new();
    while out.read_until(b'\n', &mut line)? > 0 {
        hears(String::from_utf8_lossy(&line).trim_end_matches('\n'));
        line.clear();
    }
    Ok(())
}

/// Reads all output in its own thread.
fn drain(from: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // Output before an error is kept.
            let _ = from.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_names_test_programs_among_others() {
        let of = |test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/p/golden/Cargo.toml","profile":{{"test":{test}}},"executable":"/p/rc-1"}}"#
            )
        };
        let program = executable(&of(true)).unwrap();
        assert_eq!(program.path, Path::new("/p/rc-1"));
        assert_eq!(program.folder.as_deref(), Some(Path::new("/p/golden")));
        assert_eq!(executable(&of(false)), None);
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#), None);
        assert_eq!(executable("no JSON"), None);
    }
}
