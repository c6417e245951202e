use super::cache::target_dir;
use super::process::version;
use super::Error;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Command;

/// Verilator and the C++ compiler that a build uses.
#[derive(Clone, Debug)]
pub struct Tools {
    pub(super) verilator: PathBuf,
    /// Folder that holds `include/verilated.h`.
    pub(super) verilator_root: PathBuf,
    pub(super) verilator_version: String,
    /// Version number: 5 and 6 for 5.006.
    verilator_number: (u32, u32),
    pub(super) compiler: PathBuf,
    pub(super) compiler_version: String,
    /// Folder of unpacked system packages, for a zlib that the system lacks.
    pub(super) prefix: Option<PathBuf>,
}

impl Tools {
    /// Finds the tools. Verilator is looked for in `HCA_VERILATOR_ROOT` if that is set, else in `target/tools`, else in
    /// `PATH`; the compiler in `CXX` if that is set, else it is `clang++`, `c++` or `g++`.
    pub fn find() -> Result<Tools, Error> {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        Tools::found(find_verilator(&variable)?, &variable)
    }

    /// Finds the tools of the system: Verilator unpacked from its packages or in `PATH`, and `g++`.
    /// [`find`](Tools::find) returns the same if `scripts/setup` could fetch nothing else.
    pub fn system() -> Result<Tools, Error> {
        let variable = |name: &str| match name {
            "CXX" => Some(OsString::from("g++")),
            _ => env::var_os(name),
        };
        Tools::found(system_verilator(&variable)?, &variable)
    }

    fn found((verilator, verilator_root, prefix): Found, variable: &Variables<'_>) -> Result<Tools, Error> {
        let broken = |reason| Error::BrokenVerilator {
            program: verilator.clone(),
            reason,
        };
        let verilator_version =
            version(command_in(&verilator, &verilator_root).arg("--version")).map_err(broken)?;
        let verilator_number = number(&verilator_version, &verilator_root).map_err(broken)?;
        let (compiler, compiler_version) = find_compiler(variable)?;
        Ok(Tools {
            verilator,
            verilator_root,
            verilator_version,
            verilator_number,
            compiler,
            compiler_version,
            prefix,
        })
    }

    /// Returns Verilator's version, as Verilator prints it.
    pub fn verilator_version(&self) -> &str {
        &self.verilator_version
    }

    /// Returns the compiler's version, the first line of what the compiler prints.
    pub fn compiler_version(&self) -> &str {
        self.compiler_version.lines().next().unwrap_or_default()
    }

    /// Returns true if Verilator is at least as new as the one that `scripts/setup` fetches.
    pub(super) fn is_current(&self) -> bool {
        self.verilator_number >= CURRENT
    }

    pub(super) fn verilator_command(&self) -> Command {
        command_in(&self.verilator, &self.verilator_root)
    }
}

/// Oldest major version of Verilator that is supported.
const OLDEST: u32 = 5;
/// The oldest Verilator whose options and C++ are the same as those of the one that `scripts/setup` fetches.
const CURRENT: (u32, u32) = (5, 48);

/// Returns the version number in a line like `Verilator 5.006 2023-01-22 rev (Debian 5.006-3)`. If a build has none in
/// that line, such as ` rev vUNKNOWN-built20260516-4e853d8`, the number is read from a header.
fn number(version: &str, root: &Path) -> Result<(u32, u32), String> {
    let found = match version.strip_prefix("Verilator ") {
        Some(number) => number_in(number),
        None => fs::read_to_string(root.join("include/verilated_config.h"))
            .ok()
            .and_then(|text| {
                let (_, number) = text.split_once("#define VERILATOR_VERSION \"")?;
                number_in(number)
            }),
    };
    found
        .filter(|(major, _)| *major >= OLDEST)
        .ok_or_else(|| format!("it is `{version}`, and version {OLDEST} or newer is needed"))
}

/// Returns 5 and 6 for `5.006 2023-01-22`.
fn number_in(text: &str) -> Option<(u32, u32)> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (major, minor) = text[..end].split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Raises the stack limit, as Verilator's own front script does, because deep expressions need more than the usual one.
const DEEP_STACK: &str = r#"ulimit -s unlimited 2>/dev/null; exec "$0" "$@""#;

fn command_in(program: &Path, root: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", DEEP_STACK]).arg(program);
    // The front script would look for the binary in that folder.
    if program.ends_with("verilator_bin") {
        command.env("VERILATOR_ROOT", root);
    }
    command
}

/// Returns an environment variable, if it is set and not empty.
type Variables<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// Returns the program with this name in `PATH`.
fn in_path(variable: &Variables<'_>, name: &str) -> Option<PathBuf> {
    let path = variable("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|p| p.is_file())
}

/// Folder under `target/tools` in which `scripts/setup` puts Verilator's Python package.
const PACKAGE: &str = "simulation/verilator";

/// Program, root, and the prefix of unpacked system packages.
type Found = (PathBuf, PathBuf, Option<PathBuf>);

fn find_verilator(variable: &Variables<'_>) -> Result<Found, Error> {
    if let Some(prefix) = variable("HCA_VERILATOR_ROOT").map(PathBuf::from) {
        let prefix = path::absolute(&prefix).unwrap_or(prefix);
        return under(&prefix).ok_or_else(|| Error::NoVerilator {
            searched: format!("HCA_VERILATOR_ROOT (`{}`)", prefix.display()),
        });
    }
    let tools = target_dir().join("tools");
    if let Some((program, root, _)) = under(&tools.join(PACKAGE)) {
        return Ok((program, root, Some(tools)));
    }
    system_verilator(variable)
}

fn system_verilator(variable: &Variables<'_>) -> Result<Found, Error> {
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

/// Finds a Verilator that is installed, or whose package is unpacked, under `prefix`.
fn under(prefix: &Path) -> Option<Found> {
    // The binary is preferred, because the script in front of it needs Perl.
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
        // The first of these builds a model several times faster than the others.
        None => ["clang++", "c++", "g++"].map(str::to_owned).to_vec(),
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

    /// Returns what `find` returns when only these variables are set.
    fn found(variables: &[(&str, &str)]) -> Result<Tools, Error> {
        let variable = |name: &str| {
            let (_, value) = variables.iter().find(|(n, _)| *n == name)?;
            Some(OsString::from(value))
        };
        Tools::found(find_verilator(&variable)?, &variable)
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
        let root = tempfile::tempdir().unwrap();
        let number = |version| number(version, root.path());
        assert_eq!(
            number("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)"),
            Ok((5, 6))
        );
        assert_eq!(number("Verilator 10.0"), Ok((10, 0)));
        assert!(number("Verilator 4.038 2020-07-11 rev v4.036").is_err_and(|e| e.contains("4.038")));
        let built = " rev vUNKNOWN-built20260516-4e853d8";
        assert!(number(built).is_err_and(|e| e.contains("vUNKNOWN")));
        let include = root.path().join("include");
        std::fs::create_dir(&include).unwrap();
        std::fs::write(
            include.join("verilated_config.h"),
            "\n#define VERILATOR_VERSION \"5.49\"\n",
        )
        .unwrap();
        assert_eq!(number(built), Ok((5, 49)));
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
        // An unpacked Verilator would be found before PATH.
        let tools = target_dir().join("tools");
        if under(&tools).is_none() && under(&tools.join(PACKAGE)).is_none() {
            let error = found(&[("PATH", path)]).unwrap_err();
            assert!(error.to_string().contains(program.to_str().unwrap()), "{error}");
        }
    }
}
