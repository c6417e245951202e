use super::Error;
use std::fs::{File, Permissions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A file of waves that is being written under a temporary name.
pub(super) struct Waves {
    temporary: TempPath,
    wanted: PathBuf,
}

impl Waves {
    pub fn create(wanted: &Path) -> Result<Waves, Error> {
        let dir = match wanted.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        let temporary = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(dir)
            .map_err(Error::io("write waves to", wanted))?;
        Ok(Waves {
            temporary: temporary.into_temp_path(),
            wanted: wanted.to_owned(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives a complete file its final name; an incomplete one is deleted.
    pub fn finish(self) -> Result<(), Error> {
        let complete = is_complete(&self.temporary).map_err(Error::io("read", &self.wanted))?;
        if !complete {
            return Err(Error::TraceIncomplete(self.wanted));
        }
        let kept = self.temporary.persist(&self.wanted);
        kept.map_err(|e| e.error)
            .map_err(Error::io("write", &self.wanted))
    }
}

/// Returns true if a file of waves is complete. The FST writer does not report failed writes, but its blocks (one byte
/// of type, then eight bytes of length, big-endian, that include themselves) must end where the file does.
fn is_complete(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    let mut at = 0;
    while at + 9 <= end {
        file.seek(SeekFrom::Start(at + 1))?;
        let mut length = [0; 8];
        file.read_exact(&mut length)?;
        let length = u64::from_be_bytes(length);
        if length < 8 {
            return Ok(false);
        }
        at = at.saturating_add(1).saturating_add(length);
    }
    Ok(end > 0 && at == end)
}
