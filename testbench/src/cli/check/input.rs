//! A capture that can be read twice.
use crate::capture::packed;
use crate::cli::error::CallError;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

/// A file; what came through a pipe is kept in a temporary one.
pub struct Input {
    file: File,
}

impl Input {
    /// Opens the capture; `-` is standard input.
    pub fn open(path: &Path) -> Result<Input, CallError> {
        if path == Path::new("-") {
            return kept(&mut io::stdin().lock());
        }
        let unreadable = |source| CallError::OpenCapture {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(unreadable)?;
        // A FIFO or `<(...)` is read once.
        match file.metadata().map_err(unreadable)?.is_file() {
            true => Ok(Input { file }),
            false => kept(&mut file),
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

fn kept(reader: &mut impl Read) -> Result<Input, CallError> {
    let mut copied = || {
        let mut file = tempfile::tempfile()?;
        io::copy(reader, &mut file)?;
        Ok(file)
    };
    match copied() {
        Ok(file) => Ok(Input { file }),
        Err(source) => Err(CallError::Temporary {
            folder: std::env::temp_dir(),
            source,
        }),
    }
}
