//! Bytes of a file as they are asked for, with the place they come from.
use super::fault::{Fault, Place, Trouble};
use std::io::{ErrorKind, Read};

/// A reader that gathers a record in steps.
pub struct Source<R> {
    reader: R,
    /// The record so far.
    record: Vec<u8>,
    place: Place,
    /// Where the record began.
    offset: u64,
}

impl<R: Read> Source<R> {
    pub fn new(reader: R) -> Source<R> {
        Source {
            reader,
            record: Vec::new(),
            place: Place::FileHeader,
            offset: 0,
        }
    }

    /// A new record begins behind the last one.
    pub fn begin(&mut self, place: Place) {
        self.offset += self.record.len() as u64;
        self.record.clear();
        self.place = place;
    }

    /// The record's first `bytes` bytes; fewer where the file ends.
    pub fn take(&mut self, bytes: u64) -> Result<&[u8], Trouble> {
        let missing = bytes.saturating_sub(self.record.len() as u64);
        // Grows as bytes come, whatever was claimed.
        match (&mut self.reader).take(missing).read_to_end(&mut self.record) {
            Ok(_) => Ok(&self.record),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(&self.record),
            Err(e) => Err(e.into()),
        }
    }

    /// The record's first `bytes` bytes, all of them.
    pub fn need(&mut self, bytes: u64) -> Result<&[u8], Trouble> {
        let present = self.take(bytes)?.len() as u64;
        match present >= bytes {
            true => Ok(&self.record),
            false => Err(Trouble::Cut {
                claimed: bytes,
                present,
            }),
        }
    }

    /// What is wrong with this record.
    pub fn fault(&self, trouble: Trouble) -> Fault {
        Fault {
            place: self.place,
            offset: self.offset,
            trouble,
        }
    }
}
