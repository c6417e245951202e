//! A capture that can be read twice.
use crate::capture::packed;
use crate::cli::error::CallError;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, Write};
use std::path::Path;

/// Bytes that are read from a pipe at once.
const PIECE: usize = 1 << 16;

/// A file; what came through a pipe is kept in a temporary one.
pub struct Input {
    file: File,
}

impl Input {
    /// Opens the capture; `-` is standard input.
    pub fn open(path: &Path) -> Result<Input, CallError> {
        if path == Path::new("-") {
            return kept(&mut io::stdin().lock(), path);
        }
        let unreadable = |source| CallError::OpenCapture {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(unreadable)?;
        // A FIFO or `<(...)` is read once.
        match file.metadata().map_err(unreadable)?.is_file() {
            true => Ok(Input { file }),
            false => kept(&mut file, path),
        }
    }

    /// From the beginning.
    pub fn again(&self, path: &Path) -> Result<Box<dyn Read + '_>, CallError> {
        let rewound = || {
            (&self.file).rewind()?;
            packed::unpacked(BufReader::with_capacity(1 << 16, &self.file))
        };
        rewound().map_err(|source| CallError::OpenCapture {
            path: path.to_owned(),
            source,
        })
    }
}

/// What came through a pipe, in a file of its own.
fn kept(reader: &mut impl Read, path: &Path) -> Result<Input, CallError> {
    let full = |source| CallError::Temporary {
        folder: std::env::temp_dir(),
        source,
    };
    let mut file = tempfile::tempfile().map_err(full)?;
    let mut bytes = vec![0; PIECE];
    loop {
        match reader.read(&mut bytes) {
            Ok(0) => return Ok(Input { file }),
            Ok(n) => file.write_all(&bytes[..n]).map_err(full)?,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(source) => {
                return Err(CallError::OpenCapture {
                    path: path.to_owned(),
                    source,
                })
            }
        }
    }
}
