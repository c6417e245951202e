//! Host memory of a simulated adapter.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Size of a page in bytes.
pub const PAGE: u64 = 4096;

/// A hash of page numbers. It is fast and need not resist attacks: a bus looks one page up for each burst.
#[derive(Clone, Debug, Default)]
struct PageHasher(u64);

impl Hasher for PageHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // An odd number near 2^64 divided by the golden ratio.
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Host memory of 2^64 bytes. A page exists once it is written; bytes that were never written read as 0.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pages: HashMap<u64, Box<[u8; PAGE as usize]>, BuildHasherDefault<PageHasher>>,
}

/// Splits `length` bytes from `addr` at page borders. Each piece is a page number, the offset in the page, and the
/// range of the bytes.
fn pieces(addr: u64, length: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= length {
            return None;
        }
        let at = addr.wrapping_add(done as u64);
        let offset = (at % PAGE) as usize;
        let end = length.min(done + PAGE as usize - offset);
        let piece = (at / PAGE, offset, done..end);
        done = end;
        Some(piece)
    })
}

impl Memory {
    /// Makes an empty memory.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Returns the addresses of the pages that were written, in ascending order.
    pub fn written_pages(&self) -> Vec<u64> {
        let mut pages: Vec<u64> = self.pages.keys().map(|page| page * PAGE).collect();
        pages.sort_unstable();
        pages
    }

    /// Fills the slice from `addr` on; addresses wrap around.
    pub fn read(&self, addr: u64, bytes: &mut [u8]) {
        for (page, offset, range) in pieces(addr, bytes.len()) {
            let target = &mut bytes[range];
            match self.pages.get(&page) {
                Some(data) => target.copy_from_slice(&data[offset..offset + target.len()]),
                None => target.fill(0),
            }
        }
    }

    /// Writes the slice; addresses wrap around.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) {
        for (page, offset, range) in pieces(addr, bytes.len()) {
            let source = &bytes[range];
            self.page(page)[offset..offset + source.len()].copy_from_slice(source);
        }
    }

    /// Writes the bytes whose strobe is set: byte `i` by bit `i % 8` of `strobes[i / 8]`.
    pub fn write_strobed(&mut self, addr: u64, bytes: &[u8], strobes: &[u8]) {
        if strobes.iter().all(|s| *s == 0xFF) {
            return self.write(addr, bytes);
        }
        for (page, offset, range) in pieces(addr, bytes.len()) {
            let written = |i: &usize| strobes[i / 8] >> (i % 8) & 1 != 0;
            // A page exists once a byte of it is written.
            let mut marked = range.clone().filter(written).peekable();
            if marked.peek().is_some() {
                let page = self.page(page);
                marked.for_each(|i| page[offset + i - range.start] = bytes[i]);
            }
        }
    }

    fn page(&mut self, page: u64) -> &mut [u8; PAGE as usize] {
        self.pages
            .entry(page)
            .or_insert_with(|| Box::new([0; PAGE as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_give_what_was_written_across_pages() {
        let mut memory = Memory::new();
        let data: Vec<u8> = (0..10_000u32).map(|i| (i % 251) as u8).collect();
        memory.write(0x1_0FFE, &data);
        let mut back = vec![0xAA; data.len() + 4];
        memory.read(0x1_0FFC, &mut back);
        assert_eq!(back[..2], [0, 0]);
        assert_eq!(back[2..data.len() + 2], data);
        assert_eq!(back[data.len() + 2..], [0, 0]);
    }

    #[test]
    fn strobes_choose_bytes() {
        let mut memory = Memory::new();
        memory.write(0xFF8, &[0x11; 16]);
        memory.write_strobed(0xFF8, &[0x22; 16], &[0b1000_0001, 0b0000_0010]);
        let mut back = [0; 16];
        memory.read(0xFF8, &mut back);
        let mut expected = [0x11; 16];
        for changed in [0, 7, 9] {
            expected[changed] = 0x22;
        }
        assert_eq!(back, expected);
    }

    #[test]
    fn the_last_address_is_followed_by_the_first() {
        let mut memory = Memory::new();
        memory.write(u64::MAX, &[1, 2]);
        let mut first = [0];
        memory.read(0, &mut first);
        assert_eq!(first, [2]);
    }
}
