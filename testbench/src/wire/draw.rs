//! Random numbers of one case; the same on any machine.
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of draws.
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// Makes the draws of stream `number` of a seed.
    pub fn new(seed: u64, number: u64) -> Draw {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(number);
        Draw(random)
    }

    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
    }

    /// Returns this many random bits.
    pub fn bits(&mut self, bits: u32) -> u32 {
        self.0.next_u32() >> (32 - bits)
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// Fills the slice with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    /// Returns true with this chance in a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// Returns one of the given values, of which there must be at least one.
    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
