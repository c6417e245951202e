//! Reads and atomics that a responder stores to answer their duplicates (`responder.md` section 6).
use crate::psn;
use crate::wire::length;
use crate::wire::reth::Reth;
use std::collections::VecDeque;

/// The last `limit` reads and atomics, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Largest number of stored operations: max_dest_rd_atomic.
    limit: usize,
    kept: VecDeque<Resource>,
}

/// A stored operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// PSN of the request; 24 bits.
    pub first_psn: u32,
    /// PSN of its last response; 24 bits.
    pub last_psn: u32,
    pub kind: Kind,
    /// True while not all of its responses are sent.
    pub owed: bool,
    /// PSN that acknowledged the Sends and Writes before it; 24 bits.
    pub ackable_psn: u32,
}

/// The data needed to answer an operation again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Read: memory is read again.
    Read { target: Reth },
    /// An atomic: the original value of the first execution (FB11).
    Atomic { opcode: u8, original: u64 },
}

impl Resources {
    /// Makes an empty store for `limit` operations.
    pub fn new(limit: u8) -> Resources {
        Resources {
            limit: limit.into(),
            kept: VecDeque::new(),
        }
    }

    /// Changes the limit. The newest operations stay.
    pub fn limit_to(&mut self, limit: u8) {
        self.limit = limit.into();
        while self.kept.len() > self.limit {
            self.kept.pop_front();
        }
    }

    /// Returns true if every stored operation still has responses to send, so that no other Read or atomic can be taken
    /// (section 5, CF143).
    pub fn are_exhausted(&self) -> bool {
        self.kept.len() >= self.limit && self.kept.front().is_none_or(|r| r.owed)
    }

    /// Stores an operation in place of the oldest.
    pub fn keep(&mut self, resource: Resource) {
        while self.kept.len() >= self.limit.max(1) {
            self.kept.pop_front();
        }
        self.kept.push_back(resource);
    }

    /// Returns the oldest operation with responses to send.
    pub fn first_owed(&self) -> Option<&Resource> {
        self.kept.iter().find(|r| r.owed)
    }

    /// Notes that the last response of an operation has left.
    pub fn answered(&mut self, last_psn: u32) {
        for resource in self.kept.iter_mut().filter(|r| r.last_psn == last_psn) {
            resource.owed = false;
        }
    }

    /// Returns true if a duplicate Read requests a stored one from `first_psn` on: with the same R_Key, and with the
    /// address and length of the rest from there (CF120, CF121).
    pub fn matches_read(&self, first_psn: u32, asked: &Reth, pmtu: usize) -> bool {
        self.kept.iter().any(|r| match r.kind {
            Kind::Read { target } => {
                let skipped = psn::subtract(first_psn, r.first_psn);
                let inside = skipped < length::packets(target.dma_len.into(), pmtu);
                let bytes = u64::from(skipped) * pmtu as u64;
                inside
                    && asked.r_key == target.r_key
                    && asked.va == target.va.wrapping_add(bytes)
                    && u64::from(asked.dma_len) + bytes == u64::from(target.dma_len)
            }
            Kind::Atomic { .. } => false,
        })
    }

    /// Returns true if the atomic with this PSN is stored.
    pub fn keeps_atomic(&self, first_psn: u32) -> bool {
        let is_it = |r: &Resource| r.first_psn == first_psn && matches!(r.kind, Kind::Atomic { .. });
        self.kept.iter().any(is_it)
    }

    /// Returns the saved value of the atomic with this PSN and opcode (CF122, CF123).
    pub fn original(&self, first_psn: u32, asked: u8) -> Option<u64> {
        self.kept.iter().find_map(|r| match r.kind {
            Kind::Atomic { opcode, original } if r.first_psn == first_psn && opcode == asked => {
                Some(original)
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(first_psn: u32, target: Reth) -> Resource {
        let packets = length::packets(target.dma_len.into(), 256);
        Resource {
            first_psn,
            last_psn: psn::add(first_psn, packets - 1),
            kind: Kind::Read { target },
            owed: true,
            ackable_psn: 0,
        }
    }

    fn reth(va: u64, dma_len: u32) -> Reth {
        let r_key = 7;
        Reth { va, r_key, dma_len }
    }

    #[test]
    fn the_oldest_makes_room_once_it_is_answered() {
        let mut r = Resources::new(2);
        assert!(!r.are_exhausted());
        r.keep(read(0, reth(0, 1)));
        r.keep(read(1, reth(0, 1)));
        assert!(r.are_exhausted());
        r.answered(0);
        assert!(!r.are_exhausted());
        assert!(Resources::new(0).are_exhausted());
    }

    /// The PSN wraps inside the read.
    #[test]
    fn a_remainder_starts_on_a_packet_and_ends_where_the_read_ends() {
        let mut r = Resources::new(1);
        r.keep(read(0xFF_FFFF, reth(u64::MAX - 255, 600)));
        let matches = |psn, va, length| r.matches_read(psn, &reth(va, length), 256);
        assert!(matches(0xFF_FFFF, u64::MAX - 255, 600));
        assert!(matches(0, 0, 344));
        assert!(matches(1, 256, 88));
        assert!(!matches(2, 512, 0), "after its end");
        assert!(!matches(0, 0, 343), "a shorter one");
        assert!(!matches(0, 4, 340), "between packets");
        assert!(!matches(0xFF_FFFE, u64::MAX - 511, 856), "before its start");
        assert!(!r.matches_read(
            0,
            &Reth {
                r_key: 8,
                ..reth(0, 344)
            },
            256
        ));
    }
}
