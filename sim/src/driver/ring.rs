//! A ring in host memory, and a work queue, which is a ring of WQEs.
use super::DriverError;
use crate::memory::Memory;
use hca_host::wqe::{
    Data, Segment, Wqe, BYTES, DIRECT_SGES, LIST_ALIGNMENT, MAX_INLINE, MAX_SGES, SEGMENT_BYTES,
};
use std::collections::VecDeque;

/// Returns log2 of the size of a ring with room for this many entries.
pub(super) fn log_size(entries: u32) -> Result<u8, DriverError> {
    if !(1..=1 << 15).contains(&entries) {
        return Err(DriverError::BadRingSize(entries));
    }
    Ok(entries.next_power_of_two().trailing_zeros() as u8)
}

/// Size in bytes of an entry's area, which holds its list of SGEs or its inline data. It has room for `MAX_SGES` SGEs.
pub(super) const AREA_BYTES: usize = MAX_INLINE;
const _: () =
    assert!(AREA_BYTES >= MAX_SGES * SEGMENT_BYTES && (AREA_BYTES as u64).is_multiple_of(LIST_ALIGNMENT));

/// The data to which an entry refers.
pub(super) enum Body<'a> {
    Segments(&'a [Segment]),
    /// The bytes in these segments at present.
    Inline(&'a [Segment]),
    Atomic {
        target: Segment,
        compare: u64,
        swap_add: u64,
    },
}

/// The place of a ring in host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub base: u64,
    pub log_size: u8,
}

/// The place of a work queue: its entries, and an area for each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WorkPlace {
    pub entries: Place,
    pub areas: Place,
}

/// Returns the address of entry `index` of a ring whose entries have this many bytes.
pub(super) fn slot_address(place: Place, index: u64, bytes: usize) -> u64 {
    place.base + (index & ((1 << place.log_size) - 1)) * bytes as u64
}

pub(super) struct Ring {
    pub place: WorkPlace,
    /// Index of the next WQE, modulo 2^16.
    producer: u16,
    /// `wr_id`s of the WQEs that have not completed, oldest first.
    open: VecDeque<u64>,
}

impl Ring {
    pub fn new(place: WorkPlace) -> Ring {
        Ring {
            place,
            producer: 0,
            open: VecDeque::new(),
        }
    }

    pub fn is_full(&self) -> bool {
        self.open.len() == 1 << self.place.entries.log_size
    }

    pub fn producer(&self) -> u16 {
        self.producer
    }

    pub fn outstanding(&self) -> usize {
        self.open.len()
    }

    /// Writes a WQE and the data to which it refers. Returns the WQE's index.
    pub fn post(&mut self, memory: &mut Memory, wr_id: u64, entry: Wqe, body: &Body<'_>) -> u16 {
        let index = self.producer;
        let data = write(memory, self.area(index), body);
        let entry = Wqe { data, ..entry };
        memory.write(self.entry(index), &entry.to_bytes());
        self.open.push_back(wr_id);
        self.producer = index.wrapping_add(1);
        index
    }

    /// Returns the address of the entry with this index.
    pub fn entry(&self, index: u16) -> u64 {
        slot_address(self.place.entries, index.into(), BYTES)
    }

    /// Returns the address of the area of the entry with this index.
    pub fn area(&self, index: u16) -> u64 {
        slot_address(self.place.areas, index.into(), AREA_BYTES)
    }

    /// Completes WQE `index` and all before it. Returns the `wr_id` of that WQE and the number of completed WQEs.
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

/// Writes data that does not fit the entry to its area. Returns the entry's reference to it.
fn write(memory: &mut Memory, area: u64, body: &Body<'_>) -> Data {
    match *body {
        Body::Segments(segments) if segments.len() <= DIRECT_SGES => {
            Data::Direct(std::array::from_fn(|n| segments.get(n).copied()))
        }
        Body::Segments(segments) => {
            let list: Vec<u8> = segments.iter().flat_map(|s| s.to_bytes()).collect();
            memory.write(area, &list);
            let (list, count) = (area, segments.len() as u8);
            Data::Indirect { list, count }
        }
        Body::Inline(segments) => {
            let mut at = area;
            for segment in segments {
                let mut bytes = vec![0; segment.length as usize];
                memory.read(segment.addr, &mut bytes);
                memory.write(at, &bytes);
                at += u64::from(segment.length);
            }
            Data::Inline { copy: area }
        }
        Body::Atomic {
            target,
            compare,
            swap_add,
        } => Data::Atomic {
            target,
            compare,
            swap_add,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> Ring {
        let place = |base| Place { base, log_size: 2 };
        Ring::new(WorkPlace {
            entries: place(0x1_0000),
            areas: place(0x2_0000),
        })
    }

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
        let mut ring = ring();
        for n in 0..70_000u64 {
            let index = ring.post(&mut memory, n, Wqe::default(), &Body::Segments(&[]));
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

    #[test]
    fn lists_and_copies_lie_in_the_area_of_their_slot() {
        let mut memory = Memory::new();
        let mut ring = ring();
        let segment = |n: u32| Segment {
            addr: 0x10_0000 + u64::from(n) * 16,
            length: n,
            l_key: n << 8,
        };
        let segments: Vec<Segment> = (0..16).map(segment).collect();
        memory.write(0x10_0000, &(0..=255).collect::<Vec<u8>>());
        let (mut entry, mut area) = ([0; BYTES], [0; AREA_BYTES]);
        for n in 0..6 {
            ring.post(&mut memory, n, Wqe::default(), &Body::Segments(&segments));
            ring.complete(n as u16);
        }
        memory.read(0x1_0000 + 64, &mut entry);
        memory.read(0x2_0000 + 256, &mut area);
        // The sixth, in slot 1.
        assert_eq!(entry[1..3], [16, 16]);
        assert_eq!(entry[32..40], 0x2_0100u64.to_be_bytes());
        assert_eq!(
            area[240..],
            [0, 0, 0, 0, 0, 0x10, 0, 0xF0, 0, 0, 0, 15, 0, 0, 15, 0]
        );

        ring.post(&mut memory, 6, Wqe::default(), &Body::Inline(&segments[1..4]));
        memory.read(0x1_0000 + 128, &mut entry);
        memory.read(0x2_0000 + 512, &mut area);
        assert_eq!(entry[1..3], [8, 1]);
        assert_eq!(entry[32..40], 0x2_0200u64.to_be_bytes());
        assert_eq!(area[..6], [16, 32, 33, 48, 49, 50]);
    }
}
