//! The bytes of a capture, and the number of bytes read so far.
use super::follow::{standard_input, Following};
use crate::capture::packed;
use crate::cli::error::CallError;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Number of bytes that are read at once.
const PIECE: usize = 1 << 18;

/// A capture that is open.
pub struct Input {
    /// The contents, decompressed.
    pub reader: Box<dyn Read + Send>,
    /// Number of bytes of the file that were read, and number that it has; `None` if the latter is unknown.
    pub read: Arc<AtomicU64>,
    pub bytes: Option<u64>,
}

impl Input {
    /// Opens the capture; `-` is standard input.
    pub fn open(path: &Path, follow: bool) -> Result<Input, CallError> {
        let unreadable = |source| CallError::OpenCapture {
            path: path.to_owned(),
            source,
        };
        let file = match path == Path::new("-") {
            true => standard_input(),
            false => File::open(path),
        };
        let file = file.map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        let bytes = (metadata.is_file() && !follow).then_some(metadata.len());
        let read = Arc::new(AtomicU64::new(0));
        let reader: Box<dyn Read + Send> = match follow {
            true => Box::new(Following::new(file)?),
            false => Box::new(file),
        };
        let counted = Counted {
            reader,
            read: Arc::clone(&read),
        };
        let reader = packed::unpacked(BufReader::with_capacity(PIECE, counted)).map_err(unreadable)?;
        Ok(Input { reader, read, bytes })
    }
}

/// A reader that counts the bytes read.
struct Counted {
    reader: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
