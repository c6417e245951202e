//! Files that appear under their name only when they are complete.
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A result file. A device or pipe (`/dev/stdout`) is written directly; anything else through a temporary
/// file in the same folder, renamed by [`OutputFile::finish`]. Dropping it unfinished leaves nothing behind.
pub struct OutputFile {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Temporary(BufWriter<NamedTempFile>),
    Direct(BufWriter<File>),
}

/// Writing a result file failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {source}", path.display())]
pub struct OutputError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl OutputFile {
    /// Opens the file that will become `path`.
    pub fn create(path: &Path) -> Result<OutputFile, OutputError> {
        let open = || {
            if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
                let file = File::options().write(true).open(path)?;
                return Ok(Sink::Direct(BufWriter::new(file)));
            }
            let temporary = tempfile::Builder::new()
                .prefix(".hca-")
                .suffix(".part")
                .permissions_of_a_plain_file()
                .tempfile_in(folder_of(path))?;
            Ok(Sink::Temporary(BufWriter::new(temporary)))
        };
        let sink = open().map_err(|source| OutputError {
            path: path.to_owned(),
            source,
        })?;
        Ok(OutputFile {
            path: path.to_owned(),
            sink,
        })
    }

    /// Checks that [`OutputFile::create`] could open the file, for callers that write it only after long work. Leaves
    /// nothing behind.
    pub fn check(path: &Path) -> Result<(), OutputError> {
        match fs::metadata(path) {
            // The reader of a pipe would see it end.
            Ok(m) if !m.is_file() && !m.is_dir() => Ok(()),
            _ => OutputFile::create(path).map(drop),
        }
    }

    /// Ends the file and gives it its name.
    pub fn finish(self) -> Result<(), OutputError> {
        let path = self.path;
        let done = match self.sink {
            Sink::Direct(mut file) => file.flush(),
            Sink::Temporary(file) => file
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(|temporary| temporary.persist(&path).map_err(|e| e.error))
                .map(drop),
        };
        done.map_err(|source| OutputError { path, source })
    }

    /// Adds the file's name to an error of writing it.
    pub fn error(path: &Path, source: io::Error) -> OutputError {
        OutputError {
            path: path.to_owned(),
            source,
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Temporary(w) => w.write(bytes),
            Sink::Direct(w) => w.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Temporary(w) => w.flush(),
            Sink::Direct(w) => w.flush(),
        }
    }
}

/// Returns the folder of a path; `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Temporary files are private by default; a result has to be readable like any file that the user makes.
trait PlainPermissions {
    fn permissions_of_a_plain_file(&mut self) -> &mut Self;
}

impl PlainPermissions for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_of_a_plain_file(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        self.permissions(fs::Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    fn permissions_of_a_plain_file(&mut self) -> &mut Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"whole").unwrap();
        assert!(!path.exists());
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        drop(OutputFile::create(&path).unwrap());
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "no part left behind"
        );
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        if !Path::new("/dev/full").exists() {
            return;
        }
        let mut file = OutputFile::create(Path::new("/dev/full")).unwrap();
        let written = file.write_all(&[0; 100_000]);
        assert!(written.is_err() || file.finish().is_err());
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }
}
