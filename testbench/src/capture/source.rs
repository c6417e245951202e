//! The bytes of a file as a reader requests them, with their place in the file.
use super::fault::{Fault, Place, Trouble};
use std::io::{ErrorKind, Read};

/// Number of bytes that are read at once.
const PIECE: usize = 1 << 18;

/// A reader that collects the bytes of a record step by step.
pub struct Source<R> {
    reader: R,
    /// Bytes that were read: those of the record from `begin` on, and those that follow it.
    buffer: Vec<u8>,
    begin: usize,
    /// Number of bytes of the record that were requested and are available.
    taken: usize,
    place: Place,
    /// Offset in the file at which the record began.
    offset: u64,
}

impl<R: Read> Source<R> {
    pub fn new(reader: R) -> Source<R> {
        Source {
            reader,
            buffer: Vec::new(),
            begin: 0,
            taken: 0,
            place: Place::FileHeader,
            offset: 0,
        }
    }

    /// Begins a new record behind the last one.
    pub fn begin(&mut self, place: Place) {
        self.offset += self.taken as u64;
        self.begin += self.taken;
        self.taken = 0;
        self.place = place;
    }

    /// Returns true if all bytes that were read are used up, so that the next record has to be waited for.
    pub fn is_drained(&self) -> bool {
        self.begin + self.taken >= self.buffer.len()
    }

    /// Returns the record's first `bytes` bytes; fewer if the file ends.
    pub fn take(&mut self, bytes: u64) -> Result<&[u8], Trouble> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        // The buffer grows as bytes come, whatever length is claimed.
        while self.buffer.len() - self.begin < bytes && self.read_on()? {}
        let there = bytes.min(self.buffer.len() - self.begin);
        self.taken = self.taken.max(there);
        Ok(&self.buffer[self.begin..self.begin + self.taken])
    }

    /// Reads a piece. Returns false at the end of the file.
    fn read_on(&mut self) -> Result<bool, Trouble> {
        self.buffer.drain(..self.begin);
        self.begin = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + PIECE, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[kept..]) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => break Ok(0),
                read => break read,
            }
        };
        self.buffer.truncate(kept + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }

    /// Returns the record's first `bytes` bytes, or `Err` if the file ends before.
    pub fn need(&mut self, bytes: u64) -> Result<&[u8], Trouble> {
        let present = self.take(bytes)?.len() as u64;
        match present >= bytes {
            true => Ok(&self.buffer[self.begin..self.begin + self.taken]),
            false => Err(Trouble::Cut {
                claimed: bytes,
                present,
            }),
        }
    }

    /// Makes the error of this record.
    pub fn fault(&self, trouble: Trouble) -> Fault {
        Fault {
            place: self.place,
            offset: self.offset,
            trouble,
        }
    }
}
