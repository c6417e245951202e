use super::cache::target_dir;
use super::process::version;
use super::Error;
use std::env;
use std::ffi::OsString;
use std::path::{self, Path, PathBuf};
use std::process::Command;

/// Verilator and the C++ compiler that a build uses.
#[derive(Clone, Debug)]
pub struct Tools {
    pub(super) verilator: PathBuf,
    /// Holds `include/verilated.h`.
    pub(super) verilator_root: PathBuf,
    pub(super) verilator_version: String,
    pub(super) compiler: PathBuf,
    pub(super) compiler_version: String,
    /// Unpacked system packages, for a zlib that the system lacks.
    pub(super) prefix: Option<PathBuf>,
}

impl Tools {
    /// Finds Verilator in `HCA_VERILATOR_ROOT` if that is set, else in `target/tools`, else in `PATH`; a compiler
    /// in `CXX` if that is set, else `c++`, `g++` or `clang++`.
    pub fn find() -> Result<Tools, Error> {
        Tools::find_by(&|name| env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn find_by(variable: &Variables<'_>) -> Result<Tools, Error> {
        let (verilator, verilator_root, prefix) = find_verilator(variable)?;
        let broken = |reason| Error::BrokenVerilator {
            program: verilator.clone(),
            reason,
        };
        let verilator_version =
            version(command_in(&verilator, &verilator_root).arg("--version")).map_err(broken)?;
        recent(&verilator_version).map_err(broken)?;
        let (compiler, compiler_version) = find_compiler(variable)?;
        Ok(Tools {
            verilator,
            verilator_root,
            verilator_version,
            compiler,
            compiler_version,
            prefix,
        })
    }

    /// Verilator's version, as it prints it.
    pub fn verilator_version(&self) -> &str {
        &self.verilator_version
    }

    pub(super) fn verilator_command(&self) -> Command {
        command_in(&self.verilator, &self.verilator_root)
    }
}

/// Major version of Verilator needed at least.
const OLDEST: u32 = 5;

/// Refuses a line like `Verilator 4.038 2020-07-11 rev v4.036`.
fn recent(version: &str) -> Result<(), String> {
    let number = version
        .strip_prefix("Verilator ")
        .and_then(|v| v.split('.').next());
    match number.and_then(|n| n.parse::<u32>().ok()) {
        Some(major) if major >= OLDEST => Ok(()),
        _ => Err(format!(
            "it is `{version}`, and version {OLDEST} or newer is needed"
        )),
    }
}

/// Deep expressions take more stack than the usual limit, as Verilator's own front script knows.
const DEEP_STACK: &str = r#"ulimit -s unlimited 2>/dev/null; exec "$0" "$@""#;

fn command_in(program: &Path, root: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", DEEP_STACK]).arg(program);
    // The front script would look for the binary there.
    if program.ends_with("verilator_bin") {
        command.env("VERILATOR_ROOT", root);
    }
    command
}

/// The environment's variables, those that are set and not empty.
type Variables<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// The program of that name in `PATH`.
fn in_path(variable: &Variables<'_>, name: &str) -> Option<PathBuf> {
    let path = variable("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|p| p.is_file())
}

/// Program, root, and the prefix it was found under.
type Found = (PathBuf, PathBuf, Option<PathBuf>);

fn find_verilator(variable: &Variables<'_>) -> Result<Found, Error> {
    if let Some(prefix) = variable("HCA_VERILATOR_ROOT").map(PathBuf::from) {
        let prefix = path::absolute(&prefix).unwrap_or(prefix);
        return under(&prefix).ok_or_else(|| Error::NoVerilator {
            searched: format!("HCA_VERILATOR_ROOT (`{}`)", prefix.display()),
        });
    }
    let tools = target_dir().join("tools");
    if let Some(found) = under(&tools) {
        return Ok(found);
    }
    let found = ["verilator_bin", "verilator"]
        .iter()
        .find_map(|name| in_path(variable, name));
    let Some(program) = found else {
        return Err(Error::NoVerilator {
            searched: format!("HCA_VERILATOR_ROOT (unset), `{}` or PATH", tools.display()),
        });
    };
    let broken = |reason| Error::BrokenVerilator {
        program: program.clone(),
        reason,
    };
    let root = version(Command::new(&program).args(["--getenv", "VERILATOR_ROOT"])).map_err(broken)?;
    Ok((program, PathBuf::from(root), None))
}

/// A Verilator installed, or its package unpacked, under `prefix`.
fn under(prefix: &Path) -> Option<Found> {
    // The binary first: the script in front of it needs Perl.
    let program = ["bin", "usr/bin", "usr/local/bin"]
        .iter()
        .flat_map(|dir| ["verilator_bin", "verilator"].map(|name| prefix.join(dir).join(name)))
        .find(|p| p.is_file())?;
    let root = [
        "",
        "share/verilator",
        "usr/share/verilator",
        "usr/local/share/verilator",
    ]
    .iter()
    .map(|dir| prefix.join(dir))
    .find(|p| p.join("include/verilated.h").is_file())?;
    Some((program, root, Some(prefix.to_owned())))
}

fn find_compiler(variable: &Variables<'_>) -> Result<(PathBuf, String), Error> {
    let candidates = match variable("CXX").and_then(|cxx| cxx.into_string().ok()) {
        Some(cxx) => vec![cxx],
        None => ["c++", "g++", "clang++"].map(str::to_owned).to_vec(),
    };
    for candidate in &candidates {
        let program = match candidate.contains('/') {
            true => Some(PathBuf::from(candidate)),
            false => in_path(variable, candidate),
        };
        let Some(program) = program else { continue };
        if let Ok(version) = version(Command::new(&program).arg("--version")) {
            return Ok((program, version));
        }
    }
    let searched = candidates.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>();
    Err(Error::NoCompiler {
        searched: searched.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `find` says when only these variables are set.
    fn found(variables: &[(&str, &str)]) -> Result<Tools, Error> {
        Tools::find_by(&|name| {
            let (_, value) = variables.iter().find(|(n, _)| *n == name)?;
            Some(OsString::from(value))
        })
    }

    #[test]
    fn a_missing_verilator_names_the_command_that_installs_it() {
        let error = found(&[("HCA_VERILATOR_ROOT", "/nonexistent"), ("PATH", "/usr/bin")]).unwrap_err();
        assert!(matches!(error, Error::NoVerilator { .. }));
        let text = error.to_string();
        assert!(
            text.contains("/nonexistent") && text.contains("scripts/setup"),
            "{text}"
        );
    }

    #[test]
    fn an_old_verilator_is_refused() {
        assert_eq!(recent("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)"), Ok(()));
        assert_eq!(recent("Verilator 10.0"), Ok(()));
        assert!(recent("Verilator 4.038 2020-07-11 rev v4.036").is_err_and(|e| e.contains("4.038")));
        assert!(recent("something else").is_err());
    }

    #[test]
    fn a_missing_compiler_is_asked_for() {
        let path = env::var("PATH").unwrap();
        let error = found(&[("PATH", &path), ("CXX", "/nonexistent/c++")]).unwrap_err();
        assert!(matches!(error, Error::NoCompiler { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("/nonexistent/c++") && text.contains("g++"),
            "{text}"
        );
    }

    #[test]
    fn a_program_that_is_no_verilator_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("verilator_bin");
        std::fs::write(&program, "not a program").unwrap();
        let path = dir.path().to_str().unwrap();
        // An unpacked Verilator would come before PATH.
        if under(&target_dir().join("tools")).is_none() {
            let error = found(&[("PATH", path)]).unwrap_err();
            assert!(error.to_string().contains(program.to_str().unwrap()), "{error}");
        }
    }
}
