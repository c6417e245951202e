//! Randomness of the buses. Every draw depends only on a seed, and is the same on any machine.
use rand_pcg::rand_core::Rng;
use rand_pcg::Pcg32;
use std::ops::RangeInclusive;

/// The draws of one channel. Different channels of the same seed are independent.
#[derive(Clone, Debug)]
pub struct Chance(Pcg32);

impl Chance {
    /// Makes the draws of this channel.
    pub fn new(seed: u64, channel: u64) -> Chance {
        Chance(Pcg32::new(seed, channel))
    }

    /// Returns true with probability `per_256` / 256.
    pub fn hits(&mut self, per_256: u32) -> bool {
        per_256 != 0 && (self.0.next_u32() >> 24) < per_256
    }

    /// Returns a number in the range.
    pub fn pick(&mut self, range: &RangeInclusive<u32>) -> u32 {
        let span = u64::from(range.end().saturating_sub(*range.start())) + 1;
        range.start() + ((u64::from(self.0.next_u32()) * span) >> 32) as u32
    }
}

/// The random pauses of a channel, with the same probability in each clock.
#[derive(Clone, Debug)]
pub struct Pauses {
    chance: Chance,
    per_256: u32,
}

impl Pauses {
    /// Makes pauses with probability `per_256` / 256 in each clock; 0 means never.
    pub fn new(chance: Chance, per_256: u32) -> Pauses {
        Pauses { chance, per_256 }
    }

    /// Returns true if the channel pauses in this clock.
    pub fn pause(&mut self) -> bool {
        self.chance.hits(self.per_256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_in_range_and_depend_on_seed_and_channel_only() {
        let draws = |seed, channel| -> Vec<u32> {
            let mut chance = Chance::new(seed, channel);
            (0..1000).map(|_| chance.pick(&(4..=40))).collect()
        };
        let first = draws(1, 1);
        assert!(first.iter().all(|d| (4..=40).contains(d)));
        assert!(first.contains(&4) && first.contains(&40));
        assert_eq!(first, draws(1, 1));
        assert_ne!(first, draws(1, 2));
        assert_ne!(first, draws(2, 1));
    }

    #[test]
    fn pauses_come_as_often_as_asked() {
        let count = |per_256| {
            let mut pauses = Pauses::new(Chance::new(3, 0), per_256);
            (0..10_000).filter(|_| pauses.pause()).count()
        };
        assert_eq!(count(0), 0);
        assert_eq!(count(256), 10_000);
        assert!((2_300..2_700).contains(&count(64)), "{}", count(64));
    }
}
