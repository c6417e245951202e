use super::Error;
use sha2::{Digest, Sha256};
use std::env;
use std::fs::{self, File};
use std::path::{self, Path, PathBuf};

/// Returns Cargo's target folder: `CARGO_TARGET_DIR`, else the one that holds this program, else that of the workspace.
pub fn target_dir() -> PathBuf {
    if let Some(dir) = env::var_os("CARGO_TARGET_DIR").filter(|d| !d.is_empty()) {
        // The path must be absolute, because Verilator runs in another folder.
        return path::absolute(&dir).unwrap_or_else(|_| dir.into());
    }
    // Cargo marks its target folder with these files.
    let marked = |dir: &&Path| dir.join("CACHEDIR.TAG").is_file() && dir.join(".rustc_info.json").is_file();
    let program = env::current_exe().unwrap_or_default();
    match program.ancestors().skip(1).find(marked) {
        Some(dir) => dir.to_owned(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target"),
    }
}

/// A hash of all inputs of a build.
pub(super) struct Key(Sha256);

impl Key {
    pub fn new(kind: &str) -> Key {
        Key(Sha256::new()).with(kind)
    }

    /// Adds one input. Its length is hashed, too, so that neighbouring inputs stay apart.
    pub fn with(mut self, input: impl AsRef<[u8]>) -> Key {
        let input = input.as_ref();
        self.0.update((input.len() as u64).to_le_bytes());
        self.0.update(input);
        self
    }

    pub fn hex(self) -> String {
        let digest = self.0.finalize();
        digest.iter().take(16).map(|b| format!("{b:02x}")).collect()
    }
}

/// Returns the folder that `make` fills for this key. It is made at most once: concurrent callers wait. An interrupted
/// build leaves no entry, because only a finished folder gets the final name.
pub(super) fn obtain(key: &str, make: impl FnOnce(&Path) -> Result<(), Error>) -> Result<PathBuf, Error> {
    obtain_in(&target_dir().join("verilated"), key, make)
}

fn obtain_in(
    root: &Path,
    key: &str,
    make: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<PathBuf, Error> {
    let entry = root.join(key);
    if entry.is_dir() {
        return Ok(entry);
    }
    let locks = root.join("locks");
    fs::create_dir_all(&locks).map_err(Error::io("create the folder", &locks))?;
    let path = locks.join(key);
    let file = File::create(&path).map_err(Error::io("create", &path))?;
    let mut lock = fd_lock::RwLock::new(file);
    let _guard = lock.write().map_err(Error::io("lock", &path))?;
    if entry.is_dir() {
        return Ok(entry);
    }
    // These are the remains of an interrupted build of this key. No other process works there, because this one holds
    // the lock.
    let building = root.join(format!(".building-{key}"));
    if building.is_dir() {
        fs::remove_dir_all(&building).map_err(Error::io("remove", &building))?;
    }
    fs::create_dir(&building).map_err(Error::io("create the folder", &building))?;
    match make(&building) {
        Ok(()) => fs::rename(&building, &entry).map_err(Error::io("name", &entry))?,
        Err(error) => {
            // The build's own error says more than a failure to clean up.
            let _ = fs::remove_dir_all(&building);
            return Err(error);
        }
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn whoever_comes_at_the_same_time_gets_one_build() {
        let root = tempfile::tempdir().unwrap();
        let builds = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let made = obtain_in(root.path(), "key", |dir| {
                        builds.fetch_add(1, Ordering::Relaxed);
                        fs::write(dir.join("file"), "content").map_err(Error::io("write", dir))
                    });
                    assert_eq!(fs::read_to_string(made.unwrap().join("file")).unwrap(), "content");
                });
            }
        });
        assert_eq!(builds.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_failed_or_interrupted_build_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let stale = root.path().join(".building-key");
        fs::create_dir(&stale).unwrap();
        fs::write(stale.join("half"), "").unwrap();
        let failed = obtain_in(root.path(), "key", |dir| {
            assert!(!dir.join("half").exists());
            Err(Error::NoVerilog(dir.to_owned()))
        });
        assert!(failed.is_err());
        assert!(!stale.exists() && !root.path().join("key").exists());
        let made = obtain_in(root.path(), "key", |_| Ok(())).unwrap();
        assert_eq!(fs::read_dir(made).unwrap().count(), 0);
    }

    #[test]
    fn keys_tell_inputs_apart() {
        let key = |inputs: &[&str]| inputs.iter().fold(Key::new("model"), |key, i| key.with(i)).hex();
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["a", "b"]), key(&["ab", ""]));
        assert_ne!(key(&["a", "b"]), key(&["b", "a"]));
    }
}
