//! Waves of both devices for `--fst FILE`.
//!
//! The wave writer maps its files into memory, so that a full disk kills the process. A run with waves therefore has
//! its own process, which writes to a folder that is removed unless all goes well.
use super::error::CallError;
use super::Verdict;
use crate::trace::output::{folder_of, OutputError};
use crate::Side;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{env, fs, io};

/// Environment variable that names the folder to the second process.
const FOLDER: &str = "HCA_WAVES_FOLDER";

/// The files of the waves of each device.
pub struct Waves {
    /// The path in the call.
    file: PathBuf,
    /// The folder of the files until the run is over.
    folder: PathBuf,
}

impl Waves {
    /// Returns the files for the path in the call, in the process that writes; `None` in the process that only
    /// supervises.
    pub fn of_this_process(file: &Path) -> Option<Waves> {
        env::var_os(FOLDER).map(|folder| Waves {
            file: file.to_owned(),
            folder: folder.into(),
        })
    }

    /// Returns the path to which a device's waves are written.
    pub fn of(&self, side: Side) -> PathBuf {
        self.folder.join(self.name(side))
    }

    /// Gives the waves of device `matters` the path of the call. Returns a line that says where both will be.
    pub fn settle(&self, matters: Side) -> Result<String, OutputError> {
        let name = self.file.file_name().unwrap_or(OsStr::new("waves.fst"));
        fs::rename(self.of(matters), self.folder.join(name)).map_err(|source| self.error(source))?;
        let other = matters.other();
        Ok(format!(
            "waves: {matters} in {}, {other} in {}",
            self.file.display(),
            folder_of(&self.file).join(self.name(other)).display()
        ))
    }

    /// Returns a device's own path: `waves.x.fst` for `waves.fst`.
    fn name(&self, side: Side) -> PathBuf {
        let side = side.to_string().to_lowercase();
        let name = Path::new(self.file.file_name().unwrap_or(OsStr::new("waves.fst")));
        match name.extension() {
            Some(extension) => name.with_extension(format!("{side}.{}", extension.to_string_lossy())),
            None => name.with_extension(side),
        }
    }

    fn error(&self, source: io::Error) -> OutputError {
        OutputError {
            path: self.file.clone(),
            source,
        }
    }
}

/// Runs this call in its own process, and moves its waves to the places that the call names.
pub fn supervise(file: &Path) -> Result<Verdict, CallError> {
    let failed = |source| OutputError {
        path: file.to_owned(),
        source,
    };
    let target = folder_of(file);
    let folder = tempfile::Builder::new()
        .prefix(".hca-")
        .tempdir_in(target)
        .map_err(failed)?;
    let program = env::current_exe().map_err(failed)?;
    let status = Command::new(program)
        .args(env::args_os().skip(1))
        .env(FOLDER, folder.path())
        .status()
        .map_err(failed)?;
    let verdict = verdict_of(status).ok_or_else(|| CallError::WavesKilled {
        path: file.to_owned(),
        status,
    })?;
    if verdict != Verdict::Refused {
        for entry in fs::read_dir(folder.path()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            fs::rename(entry.path(), target.join(entry.file_name())).map_err(failed)?;
        }
    }
    Ok(verdict)
}

fn verdict_of(status: ExitStatus) -> Option<Verdict> {
    match status.code()? {
        0 => Some(Verdict::Held),
        1 => Some(Verdict::Differed),
        2 => Some(Verdict::Refused),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waves(file: &str, folder: &Path) -> Waves {
        Waves {
            file: file.into(),
            folder: folder.to_owned(),
        }
    }

    #[test]
    fn each_device_has_its_own_file() {
        let in_folder = waves("out/waves.fst", Path::new("hidden"));
        assert_eq!(in_folder.of(Side::X), Path::new("hidden/waves.x.fst"));
        assert_eq!(in_folder.of(Side::Y), Path::new("hidden/waves.y.fst"));
        assert_eq!(waves("waves", Path::new("h")).of(Side::Y), Path::new("h/waves.y"));
    }

    #[test]
    fn the_device_that_matters_gets_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let waves = waves("out/w.fst", folder.path());
        for side in Side::BOTH {
            fs::write(waves.of(side), side.to_string()).unwrap();
        }
        assert_eq!(
            waves.settle(Side::Y).unwrap(),
            "waves: Y in out/w.fst, X in out/w.x.fst"
        );
        assert_eq!(fs::read(folder.path().join("w.fst")).unwrap(), b"Y");
        assert_eq!(fs::read(waves.of(Side::X)).unwrap(), b"X");
    }
}
