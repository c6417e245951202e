//! Random values from a seed.
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl_core::prelude::*;

/// A source of values; each is a corner case now and then.
pub struct Stimulus(ChaCha8Rng);

impl Stimulus {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    pub fn bit(&mut self) -> bool {
        self.below(2) == 1
    }

    /// True `percent` times of 100.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn bits<const N: usize>(&mut self) -> Bits<N> {
        let kind = self.below(8);
        let position = self.below(N as u64) as usize;
        let bits = (0..N).map(|bit| match kind {
            0 => false,
            1 => true,
            2 => bit < 2 && self.bit(),
            3 => bit == position,
            4 => bit != position,
            _ => self.bit(),
        });
        let set: Vec<usize> = bits
            .enumerate()
            .filter(|(_, set)| *set)
            .map(|(bit, _)| bit)
            .collect();
        set.into_iter()
            .fold(Bits::default(), |value, bit| value.replace_bit(bit, true))
    }
}
