//! Bytes of a file as they are asked for, with the place they come from.
use super::fault::{Fault, Place, Trouble};
use std::io::{ErrorKind, Read};

/// Bytes that are read at once.
const PIECE: usize = 1 << 18;

/// A reader that gathers a record in steps.
pub struct Source<R> {
    reader: R,
    /// Bytes that were read: those of the record from `begin` on, and what follows it.
    buffer: Vec<u8>,
    begin: usize,
    /// Bytes of the record that were asked for, and are there.
    taken: usize,
    place: Place,
    /// Where the record began.
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

    /// A new record begins behind the last one.
    pub fn begin(&mut self, place: Place) {
        self.offset += self.taken as u64;
        self.begin += self.taken;
        self.taken = 0;
        self.place = place;
    }

    /// What was read is used up: the next record has to be waited for.
    pub fn is_drained(&self) -> bool {
        self.begin + self.taken >= self.buffer.len()
    }

    /// The record's first `bytes` bytes; fewer where the file ends.
    pub fn take(&mut self, bytes: u64) -> Result<&[u8], Trouble> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        // Grows as bytes come, whatever was claimed.
        while self.buffer.len() - self.begin < bytes && self.read_on()? {}
        let there = bytes.min(self.buffer.len() - self.begin);
        self.taken = self.taken.max(there);
        Ok(&self.buffer[self.begin..self.begin + self.taken])
    }

    /// Reads a piece; false at the end of the file.
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

    /// The record's first `bytes` bytes, all of them.
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

    /// What is wrong with this record.
    pub fn fault(&self, trouble: Trouble) -> Fault {
        Fault {
            place: self.place,
            offset: self.offset,
            trouble,
        }
    }
}
