//! Frames with one bit flipped, and the bits that nothing protects.
use crate::traffic::port;
use hca_golden::port::PortConfig;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::ops::Range;

/// Bytes in which a flipped bit goes unseen, in a frame of RoCEv2 over IPv4 without options, and why.
///
/// TOS, TTL and the IPv4 header checksum are masked from the ICRC too, but the header checksum covers them.
pub const UNPROTECTED: [(Range<usize>, &str); 3] = [
    (
        6..12,
        "source MAC: covered by the Ethernet FCS alone, which the MAC takes away",
    ),
    (40..42, "UDP checksum: masked from the ICRC, and not checked"),
    (
        46..47,
        "F, B, Resv6 of the BTH: masked from the ICRC, and ignored (CF016)",
    ),
];

/// A frame with one bit flipped.
pub struct Flip {
    /// The port that the frame was for.
    pub port: PortConfig,
    pub frame: Vec<u8>,
    pub byte: usize,
    pub bit: u8,
}

impl Flip {
    fn of(frame: &[u8], at: usize) -> Flip {
        let (byte, bit) = (at / 8, (at % 8) as u8);
        let mut flipped = frame.to_vec();
        flipped[byte] ^= 1 << bit;
        Flip {
            port: port(frame),
            frame: flipped,
            byte,
            bit,
        }
    }

    pub fn is_protected(&self) -> bool {
        !UNPROTECTED.iter().any(|(bytes, _)| bytes.contains(&self.byte))
    }
}

/// Every bit of the first frame of each opcode.
pub fn every_bit(frames: &[Vec<u8>]) -> Vec<Flip> {
    let mut seen = BTreeSet::new();
    let first = frames.iter().filter(|frame| seen.insert(frame[42]));
    first
        .flat_map(|frame| (0..8 * frame.len()).map(|at| Flip::of(frame, at)))
        .collect()
}

/// So many bits of every frame, by a fixed seed.
pub fn sample(frames: &[Vec<u8>], of_each: usize) -> Vec<Flip> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut flips = Vec::new();
    for frame in frames {
        for _ in 0..of_each {
            flips.push(Flip::of(frame, random.next_u64() as usize % (8 * frame.len())));
        }
    }
    flips
}
