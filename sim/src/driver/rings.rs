//! Divides the driver's region of host memory into rings.
use super::DriverError;
use std::collections::BTreeMap;

/// Default address of the driver's rings in host memory, which are allocated upwards. Buffers at fixed addresses must
/// be outside `RINGS..RINGS + RINGS_SIZE`.
pub const RINGS: u64 = 0x1_0000;
/// Number of bytes reserved for rings.
pub const RINGS_SIZE: u64 = 0x0FFF_0000;
/// Alignment in bytes that the hardware requires of rings.
const ALIGNMENT: u64 = 64;

/// Allocates pieces of memory for rings. A piece is freed and allocated again as a whole.
pub(super) struct Rings {
    next_free: u64,
    end: u64,
    /// Size in bytes of each piece that was ever allocated, by address.
    sizes: BTreeMap<u64, u64>,
    /// Addresses of free pieces, by size in bytes.
    free: BTreeMap<u64, Vec<u64>>,
}

impl Rings {
    pub fn new(from: u64) -> Rings {
        Rings {
            next_free: from,
            end: from + RINGS_SIZE,
            sizes: BTreeMap::new(),
            free: BTreeMap::new(),
        }
    }

    /// Allocates room for `2^log_size` entries of `entry` bytes. Returns its address.
    pub fn allocate(&mut self, entry: usize, log_size: u8) -> Result<u64, DriverError> {
        let bytes = ((entry as u64) << log_size).next_multiple_of(ALIGNMENT);
        if let Some(at) = self.free.get_mut(&bytes).and_then(Vec::pop) {
            return Ok(at);
        }
        let at = self.next_free;
        if at + bytes > self.end {
            return Err(DriverError::OutOfMemory);
        }
        self.next_free = at + bytes;
        self.sizes.insert(at, bytes);
        Ok(at)
    }

    /// Frees a piece.
    pub fn release(&mut self, at: u64) {
        if let Some(&bytes) = self.sizes.get(&at) {
            self.free.entry(bytes).or_default().push(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_and_come_back() {
        let mut rings = Rings::new(RINGS);
        let first = rings.allocate(16, 0).unwrap();
        let second = rings.allocate(32, 2).unwrap();
        assert_eq!((first, second), (RINGS, RINGS + 64));
        rings.release(second);
        assert_eq!(rings.allocate(64, 0), Ok(RINGS + 192));
        assert_eq!(rings.allocate(64, 1), Ok(second));
        assert_eq!(rings.allocate(1 << 28, 3), Err(DriverError::OutOfMemory));
    }
}
