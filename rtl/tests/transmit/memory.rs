//! Host memory that answers reads late, in order for each ID only.
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// No burst may cross a multiple of it.
const BURST_BYTES: u64 = 1024;

/// What memory holds.
pub fn byte(address: u64) -> u8 {
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

/// So many bytes from an address on.
pub fn bytes(address: u64, length: usize) -> Vec<u8> {
    (0..length as u64)
        .map(|at| byte(address.wrapping_add(at)))
        .collect()
}

struct Beat {
    due: u64,
    address: u64,
    last: bool,
}

/// True of a beat that memory fails to give, here every 256th.
pub fn fails(address: u64) -> bool {
    byte(!address) == 0
}

/// A beat on the read data channel.
pub struct Data {
    pub id: u8,
    pub address: u64,
    /// In the order of their addresses.
    pub bytes: Vec<u8>,
    pub last: bool,
}

pub struct Memory {
    bus_bytes: u64,
    latency: RangeInclusive<u64>,
    /// Chance in 256 that no beat comes in a clock.
    gap: u8,
    rng: fastrand::Rng,
    waiting: Vec<VecDeque<Beat>>,
}

impl Memory {
    pub fn new(bus_bits: usize, latency: RangeInclusive<u64>, gap: u8, seed: u64) -> Memory {
        Memory {
            bus_bytes: bus_bits as u64 / 8,
            latency,
            gap,
            rng: fastrand::Rng::with_seed(seed),
            waiting: (0..16).map(|_| VecDeque::new()).collect(),
        }
    }

    /// A burst is asked for in this clock.
    pub fn ask(&mut self, clock: u64, id: u64, address: u64, beats_less_one: u64) {
        let bytes = (beats_less_one + 1) * self.bus_bytes;
        assert_eq!(
            address % self.bus_bytes,
            0,
            "address {address:x} is not that of a beat"
        );
        assert!(
            address % BURST_BYTES + bytes <= BURST_BYTES,
            "{bytes} bytes at {address:x} cross a boundary"
        );
        let due = clock + self.rng.u64(self.latency.clone());
        let queue = &mut self.waiting[id as usize];
        for beat in 0..=beats_less_one {
            queue.push_back(Beat {
                due,
                address: address + beat * self.bus_bytes,
                last: beat == beats_less_one,
            });
        }
    }

    /// The beat of this clock, of any ID that has one.
    pub fn answer(&mut self, clock: u64) -> Option<Data> {
        if self.rng.u8(..) < self.gap {
            return None;
        }
        let ready = |queue: &VecDeque<Beat>| queue.front().is_some_and(|beat| beat.due <= clock);
        let ids: Vec<_> = (0..self.waiting.len())
            .filter(|id| ready(&self.waiting[*id]))
            .collect();
        let id = self.rng.choice(ids)?;
        let beat = self.waiting[id].pop_front()?;
        Some(Data {
            id: id as u8,
            address: beat.address,
            bytes: bytes(beat.address, self.bus_bytes as usize),
            last: beat.last,
        })
    }
}
