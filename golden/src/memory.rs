//! Host memory of the model. It is sparse, and bytes that were never written read as zero.
use std::collections::BTreeMap;
use std::ops::Range;

/// Size of a page in bytes.
pub const PAGE_BYTES: usize = 4096;

/// A sparse byte memory with 64-bit addresses, which wrap at 2^64.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pages: BTreeMap<u64, Box<[u8; PAGE_BYTES]>>,
    /// First address and number of bytes of the ranges that fail for the device.
    broken: Vec<(u64, u64)>,
    /// What was written since it was last taken; `None` if nobody asked for it.
    written: Option<Vec<Range<u64>>>,
}

impl Memory {
    /// Makes an empty memory.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Reads `length` bytes at `addr`.
    pub fn read(&self, addr: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.read_into(addr, &mut bytes);
        bytes
    }

    /// Fills `bytes` from `addr` on.
    pub fn read_into(&self, addr: u64, bytes: &mut [u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let (page, offset, length) = piece(addr, done, bytes.len());
            let target = &mut bytes[done..done + length];
            match self.pages.get(&page) {
                Some(p) => target.copy_from_slice(&p[offset..offset + length]),
                None => target.fill(0),
            }
            done += length;
        }
    }

    /// Keeps the addresses of all later writes, for [`Memory::take_written`].
    pub fn keep_written(&mut self) {
        self.written.get_or_insert_with(Vec::new);
    }

    /// Takes the ranges written since the last call, in the order of the writes. A write that wraps at 2^64 has two, of
    /// which none has the byte before 2^64.
    pub fn take_written(&mut self) -> Vec<Range<u64>> {
        self.written.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Writes `bytes` at `addr`.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) {
        if let Some(written) = &mut self.written {
            let end = addr.wrapping_add(bytes.len() as u64);
            let parts = if end < addr {
                [addr..u64::MAX, 0..end]
            } else {
                [addr..end, 0..0]
            };
            written.extend(parts.into_iter().filter(|part| !part.is_empty()));
        }
        let mut done = 0;
        while done < bytes.len() {
            let (page, offset, length) = piece(addr, done, bytes.len());
            let p = self
                .pages
                .entry(page)
                .or_insert_with(|| Box::new([0; PAGE_BYTES]));
            p[offset..offset + length].copy_from_slice(&bytes[done..done + length]);
            done += length;
        }
    }

    /// Makes the device's accesses to these bytes fail from now on. Software still reads and writes them.
    pub fn fail(&mut self, addr: u64, length: u64) {
        self.broken.push((addr, length));
    }

    /// Returns true if the device can access these bytes.
    pub fn answers(&self, addr: u64, length: u64) -> bool {
        let meets =
            |&(from, bytes): &(u64, u64)| addr.wrapping_sub(from) < bytes || from.wrapping_sub(addr) < length;
        length == 0 || !self.broken.iter().any(meets)
    }

    /// Reads the 64 bits at `addr` for an atomic. Host memory is little-endian.
    pub fn read_u64(&self, addr: u64) -> u64 {
        let mut bytes = [0; 8];
        self.read_into(addr, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Returns address and content of every page written so far, by ascending address.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &[u8; PAGE_BYTES])> {
        self.pages.iter().map(|(n, p)| (n * PAGE_BYTES as u64, &**p))
    }
}

/// Returns page number, offset in the page, and length of one part of an access: the part that starts `done` bytes in
/// and ends with the page or the access.
fn piece(addr: u64, done: usize, total: usize) -> (u64, usize, usize) {
    let at = addr.wrapping_add(done as u64);
    let offset = (at % PAGE_BYTES as u64) as usize;
    (
        at / PAGE_BYTES as u64,
        offset,
        (PAGE_BYTES - offset).min(total - done),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwritten_reads_as_zero() {
        assert_eq!(Memory::new().read(0xFFFF_FFFF_FFFF_FFFE, 4), [0; 4]);
    }

    #[test]
    fn a_write_across_pages_reads_back() {
        let mut m = Memory::new();
        m.write(0x1FFE, &[1, 2, 3, 4]);
        assert_eq!(m.read(0x1FFD, 6), [0, 1, 2, 3, 4, 0]);
        assert_eq!(m.pages().map(|(a, _)| a).collect::<Vec<_>>(), [0x1000, 0x2000]);
    }

    #[test]
    fn what_is_broken_answers_no_access_that_meets_it() {
        let mut m = Memory::new();
        m.fail(0x1000, 64);
        let met = [(0xFFF, 2), (0x1000, 1), (0x103F, 8), (0xF00, 0x400)];
        assert!(met.iter().all(|&(addr, length)| !m.answers(addr, length)));
        let others = [(0xFFF, 1), (0x1040, 8), (0x1000, 0), (u64::MAX, 2)];
        assert!(others.iter().all(|&(addr, length)| m.answers(addr, length)));
    }

    #[test]
    fn writes_are_kept_once_asked_for() {
        let mut m = Memory::new();
        m.write(0x1000, &[1]);
        assert_eq!(m.take_written(), []);
        m.keep_written();
        m.write(0x1000, &[1, 2]);
        m.write(0x3000, &[]);
        m.write(0xFFE, &[3; 4]);
        assert_eq!(m.take_written(), [0x1000..0x1002, 0xFFE..0x1002]);
        assert_eq!(m.take_written(), []);
        m.write(u64::MAX - 1, &[3; 4]);
        assert_eq!(m.take_written(), [u64::MAX - 1..u64::MAX, 0..2]);
    }

    #[test]
    fn addresses_wrap() {
        let mut m = Memory::new();
        m.write(u64::MAX, &[7, 8]);
        assert_eq!((m.read(u64::MAX, 1), m.read(0, 1)), (vec![7], vec![8]));
    }
}
