//! Allocates numbers and keys that no living object has.
use hca_host::profile::Profile;
use std::collections::BTreeMap;

/// Lowest index of a queue pair; 0 and 1 belong to QP0 and QP1.
const FIRST_QP_INDEX: u32 = 2;
/// Number of low bits of a key that do not select the entry of the protection table.
const TAG_BITS: u32 = 8;

/// The numbers of one kind, and how often each was allocated.
struct Places {
    first: u32,
    end: u32,
    /// How often a number was allocated, and whether it is in use.
    given: BTreeMap<u32, (u32, bool)>,
}

impl Places {
    /// Returns the lowest free number, and how often it was allocated before. If there is none, returns one past the
    /// last number, which the hardware refuses.
    fn give(&mut self) -> (u32, u32) {
        let free = |place: &u32| !self.given.get(place).is_some_and(|(_, taken)| *taken);
        let place = (self.first..self.end).find(free).unwrap_or(self.end);
        let (times, taken) = self.given.entry(place).or_default();
        *taken = true;
        *times += 1;
        (place, *times - 1)
    }

    fn take_back(&mut self, place: u32) {
        if let Some((_, taken)) = self.given.get_mut(&place) {
            *taken = false;
        }
    }
}

/// The numbers of one HCA. A number that is allocated again differs from the earlier one where possible, because late
/// packets for the old object must not find the new one.
pub(super) struct Numbers {
    qp_bits: usize,
    cqs: Places,
    qps: Places,
    regions: Places,
    handles: Places,
}

impl Numbers {
    pub fn new(profile: &Profile) -> Numbers {
        let places = |first, bits: usize| Places {
            first,
            end: 1 << bits,
            given: BTreeMap::new(),
        };
        Numbers {
            qp_bits: profile.qp_bits,
            cqs: places(0, profile.cq_bits),
            qps: places(FIRST_QP_INDEX, profile.qp_bits),
            regions: places(0, profile.region_bits),
            handles: places(0, profile.handle_bits),
        }
    }

    pub fn cqn(&mut self) -> u32 {
        self.cqs.give().0
    }

    pub fn free_cqn(&mut self, cqn: u32) {
        self.cqs.take_back(cqn);
    }

    pub fn qpn(&mut self) -> u32 {
        let (index, times) = self.qps.give();
        index | times << self.qp_bits & 0xFF_FFFF
    }

    pub fn free_qpn(&mut self, qpn: u32) {
        self.qps.take_back(qpn & ((1 << self.qp_bits) - 1));
    }

    pub fn handle(&mut self) -> u32 {
        self.handles.give().0
    }

    pub fn free_handle(&mut self, handle: u32) {
        self.handles.take_back(handle);
    }

    /// Allocates an L_Key and an R_Key.
    pub fn keys(&mut self) -> (u32, u32) {
        let (entry, times) = self.regions.give();
        let key = |tag: u32| entry << TAG_BITS | tag & ((1 << TAG_BITS) - 1);
        (key(2 * times), key(2 * times + 1))
    }

    pub fn free_keys(&mut self, l_key: u32) {
        self.regions.take_back(l_key >> TAG_BITS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hca_host::profile::SMALL;

    #[test]
    fn the_lowest_free_place_comes_with_another_number() {
        let mut numbers = Numbers::new(&SMALL);
        assert_eq!((numbers.qpn(), numbers.qpn()), (2, 3));
        numbers.free_qpn(2);
        assert_eq!((numbers.qpn(), numbers.qpn()), (0x12, 4));
        assert_eq!((numbers.keys(), numbers.keys()), ((0, 1), (0x100, 0x101)));
        numbers.free_keys(0);
        assert_eq!(numbers.keys(), (2, 3));
        assert_eq!((numbers.cqn(), numbers.cqn()), (0, 1));
        numbers.free_cqn(0);
        assert_eq!(numbers.cqn(), 0);
    }

    #[test]
    fn one_too_many_has_a_number_that_the_hardware_refuses() {
        let mut numbers = Numbers::new(&SMALL);
        for cqn in 0..16 {
            assert_eq!(numbers.cqn(), cqn);
        }
        assert_eq!(numbers.cqn(), 16);
    }
}
