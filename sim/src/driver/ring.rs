//! A work queue: a ring of WQEs in host memory.
use super::DriverError;
use crate::memory::Memory;
use hca_rtl::host::wqe::{Wqe, BYTES};
use std::collections::VecDeque;

/// log2 of a ring's size: room for so many entries.
pub(super) fn log_size(entries: u32) -> Result<u8, DriverError> {
    if !(1..=1 << 15).contains(&entries) {
        return Err(DriverError::BadRingSize(entries));
    }
    Ok(entries.next_power_of_two().trailing_zeros() as u8)
}

pub(super) struct Ring {
    pub base: u64,
    pub log_size: u8,
    /// Index of the next WQE, modulo 2^16.
    producer: u16,
    /// `wr_id`s of the WQEs that have not completed, oldest first.
    open: VecDeque<u64>,
}

impl Ring {
    pub fn new(base: u64, log_size: u8) -> Ring {
        Ring {
            base,
            log_size,
            producer: 0,
            open: VecDeque::new(),
        }
    }

    pub fn is_full(&self) -> bool {
        self.open.len() == 1 << self.log_size
    }

    pub fn producer(&self) -> u16 {
        self.producer
    }

    pub fn outstanding(&self) -> usize {
        self.open.len()
    }

    /// Writes a WQE; gives its index.
    pub fn post(&mut self, memory: &mut Memory, wr_id: u64, entry: &Wqe) -> u16 {
        let index = self.producer;
        let slot = u64::from(index) & ((1 << self.log_size) - 1);
        memory.write(self.base + slot * BYTES as u64, &entry.to_bytes());
        self.open.push_back(wr_id);
        self.producer = index.wrapping_add(1);
        index
    }

    /// The completion of WQE `index` ends it and all before; gives its `wr_id` and how many ended.
    pub fn complete(&mut self, index: u16) -> Option<(u64, usize)> {
        let oldest = self.producer.wrapping_sub(self.open.len() as u16);
        let at = usize::from(index.wrapping_sub(oldest));
        let wr_id = *self.open.get(at)?;
        self.open.drain(..=at);
        Some((wr_id, at + 1))
    }

    pub fn clear(&mut self) {
        self.producer = 0;
        self.open.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_round_up_and_have_bounds() {
        assert_eq!(log_size(1), Ok(0));
        assert_eq!(log_size(5), Ok(3));
        assert_eq!(log_size(32768), Ok(15));
        assert_eq!(log_size(0), Err(DriverError::BadRingSize(0)));
        assert_eq!(log_size(32769), Err(DriverError::BadRingSize(32769)));
    }

    #[test]
    fn indices_wrap_and_a_completion_ends_all_before() {
        let mut memory = Memory::new();
        let mut ring = Ring::new(0x1_0000, 2);
        for n in 0..70_000u64 {
            let index = ring.post(&mut memory, n, &Wqe::default());
            assert_eq!(u64::from(index), n % 65536);
            if ring.is_full() {
                assert_eq!(ring.complete(index.wrapping_sub(1)), Some((n - 1, 3)));
                assert_eq!(ring.outstanding(), 1);
            }
        }
        assert_eq!(ring.complete(ring.producer()), None);
        let mut past_the_ring = [0xAA];
        memory.read(0x1_0000 + 4 * 64, &mut past_the_ring);
        assert_eq!(past_the_ring, [0]);
    }
}
