//! A link that loses, repeats, corrupts, delays and thereby reorders packets. All faults follow from a seed.
use crate::case::Beyond;
use crate::Side;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of clock cycles that a packet spends on the link.
const FLIGHT: u64 = 20;
/// Largest additional number of clock cycles of a delayed packet.
const DELAY: u32 = 3_000;
/// Largest additional number of clock cycles of a packet that is overtaken: the time of some packets.
const OVERTAKEN: u32 = 200;
/// Largest number of clock cycles until a packet is repeated.
const ECHOED: u32 = 600;

/// The rates of faults, in packets of a thousand. One packet may suffer several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    pub lost: u32,
    pub repeated: u32,
    /// Packets that are repeated behind later ones.
    pub echoed: u32,
    /// Packets in which one bit differs.
    pub corrupted: u32,
    /// Packets that take longer, so that others overtake them.
    pub delayed: u32,
    /// Packets that take a little longer, so that the next few overtake them.
    pub overtaken: u32,
}

impl Faults {
    /// Checks that no rate exceeds a thousand.
    pub fn check(&self) -> Result<(), Beyond> {
        [
            ("faults.lost", self.lost),
            ("faults.repeated", self.repeated),
            ("faults.echoed", self.echoed),
            ("faults.corrupted", self.corrupted),
            ("faults.delayed", self.delayed),
            ("faults.overtaken", self.overtaken),
        ]
        .into_iter()
        .try_for_each(|(field, parts)| Beyond::unless_within(field, parts, 0..=1000))
    }
}

/// A packet that arrives at a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arriving {
    pub to: Side,
    /// Number of the port.
    pub port: u8,
    pub bytes: Vec<u8>,
    /// True for a link packet, which suffers no faults.
    pub is_link: bool,
}

/// The packets on their way.
pub struct FaultyLink {
    faults: Faults,
    /// Clock cycles that a packet takes to each side.
    flight: [u64; 2],
    random: ChaCha8Rng,
    /// Packets by cycle of arrival and number.
    flying: BTreeMap<(u64, u64), Arriving>,
    sent: u64,
}

impl FaultyLink {
    /// Makes a link without packets. The seed decides which packets suffer which fault.
    pub fn new(faults: Faults, seed: u64) -> FaultyLink {
        FaultyLink {
            faults,
            flight: [FLIGHT; 2],
            random: ChaCha8Rng::seed_from_u64(seed),
            flying: BTreeMap::new(),
            sent: 0,
        }
    }

    /// Returns true if the link may change bits of packets.
    pub fn corrupts(&self) -> bool {
        self.faults.corrupted != 0
    }

    /// Makes packets for `to` take this many cycles from now on.
    pub fn delay(&mut self, to: Side, cycles: u64) {
        self.flight[to as usize] = cycles;
    }

    /// Takes a packet for a port of `to` that leaves in this cycle.
    pub fn send(&mut self, cycle: u64, to: Side, port: u8, mut bytes: Vec<u8>) {
        if self.hits(self.faults.lost) {
            return;
        }
        if self.hits(self.faults.corrupted) {
            let bit = self.below(8 * bytes.len() as u32) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        if self.hits(self.faults.repeated) {
            self.launch(cycle, to, port, bytes.clone());
        }
        if self.hits(self.faults.echoed) {
            let later = self.below(ECHOED);
            self.launch(cycle + u64::from(later), to, port, bytes.clone());
        }
        self.launch(cycle, to, port, bytes);
    }

    /// Takes a link packet. It keeps its place among the packets that are not late.
    pub fn send_link(&mut self, cycle: u64, to: Side, port: u8, bytes: Vec<u8>) {
        let is_link = true;
        self.fly(
            cycle,
            Arriving {
                to,
                port,
                bytes,
                is_link,
            },
        );
    }

    fn launch(&mut self, cycle: u64, to: Side, port: u8, bytes: Vec<u8>) {
        let longer = if self.hits(self.faults.delayed) {
            self.below(DELAY)
        } else if self.hits(self.faults.overtaken) {
            self.below(OVERTAKEN)
        } else {
            0
        };
        let is_link = false;
        self.fly(
            cycle + u64::from(longer),
            Arriving {
                to,
                port,
                bytes,
                is_link,
            },
        );
    }

    fn fly(&mut self, cycle: u64, arriving: Arriving) {
        self.sent += 1;
        let arrival = cycle + self.flight[arriving.to as usize];
        self.flying.insert((arrival, self.sent), arriving);
    }

    /// Takes the next packet that has arrived by this cycle.
    pub fn arrived(&mut self, cycle: u64) -> Option<Arriving> {
        let next = self.flying.first_entry()?;
        (next.key().0 <= cycle).then(|| next.remove())
    }

    /// Returns true if no packet is on its way, link packets aside.
    pub fn is_empty(&self) -> bool {
        self.flying.values().all(|packet| packet.is_link)
    }

    fn hits(&mut self, parts: u32) -> bool {
        parts != 0 && self.below(1000) < parts
    }

    fn below(&mut self, end: u32) -> u32 {
        self.random.next_u32() % end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the packets in the order of arrival, each of which was sent in the cycle of its number.
    fn carried(faults: Faults) -> Vec<Vec<u8>> {
        let mut link = FaultyLink::new(faults, 1);
        let mut arrived = Vec::new();
        for cycle in 0..12_000_u64 {
            if cycle < 4_000 {
                link.send(cycle, Side::Y, 1, (cycle as u32).to_be_bytes().to_vec());
            }
            arrived.extend(std::iter::from_fn(|| link.arrived(cycle)).map(|packet| packet.bytes));
        }
        assert!(link.is_empty());
        arrived
    }

    #[test]
    fn without_faults_every_packet_arrives_in_order() {
        let expected: Vec<Vec<u8>> = (0..4_000u32).map(|n| n.to_be_bytes().to_vec()).collect();
        assert_eq!(carried(Faults::default()), expected);
    }

    #[test]
    fn faults_come_as_often_as_asked() {
        let whole = carried(Faults::default());
        let none = Faults::default();
        let lost = carried(Faults { lost: 200, ..none }).len();
        assert!((3_000..3_400).contains(&lost), "{lost}");
        let repeated = carried(Faults {
            repeated: 100,
            ..none
        })
        .len();
        assert!((4_300..4_500).contains(&repeated), "{repeated}");
        let echoed = carried(Faults { echoed: 100, ..none });
        assert!((4_300..4_500).contains(&echoed.len()), "{}", echoed.len());
        assert!(echoed.windows(2).filter(|pair| pair[0] == pair[1]).count() < 10);
        let corrupted = carried(Faults {
            corrupted: 100,
            ..none
        });
        let differ = corrupted.iter().zip(&whole).filter(|(a, b)| a != b).count();
        assert!((300..500).contains(&differ), "{differ}");
        for late in [
            Faults { delayed: 100, ..none },
            Faults {
                overtaken: 100,
                ..none
            },
        ] {
            let mut late = carried(late);
            assert_ne!(late, whole);
            late.sort();
            assert_eq!(late, whole);
        }
    }
}
