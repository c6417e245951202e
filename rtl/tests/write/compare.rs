//! Atomics on words of any value: all 64 bits are compared, swapped and added.
use crate::bench::library;
use crate::memory::Timing;
use crate::plan::{Packet, Work};
use crate::rig::{run, Widths};
use fastrand::Rng;
use hca_rtl::memory::Scatter;

const WORDS: u64 = 0x40_0000;

fn write(at: u64, value: u64) -> Packet {
    Packet {
        response: false,
        work: Work::Data,
        pieces: vec![(at, 8)],
        payload: value.to_le_bytes().to_vec(),
    }
}

fn atomic(rng: &mut Rng, at: u64, fetch_add: bool, compare: u64) -> Packet {
    Packet {
        response: false,
        work: Work::Atomic {
            fetch_add,
            compare,
            swap_add: rng.u64(..),
            slot: rng.u64(..256),
        },
        pieces: vec![(at, 8)],
        payload: Vec::new(),
    }
}

/// A word that is what a swap expects, one that differs from it in one bit, each of them in turn, and one that is added
/// to.
#[test]
fn a_swap_is_carried_out_if_every_bit_is_as_expected() {
    let library = library::<Scatter<64, 128, 16, 256, 8>>("scatter_64_128");
    let mut rng = Rng::with_seed(0xC05);
    let mut packets = Vec::new();
    for bit in 0..64 {
        let value = rng.u64(..);
        let words = [0, 1, 2].map(|n| WORDS + 24 * bit + 8 * n);
        packets.extend(words.map(|at| write(at, value)));
        packets.push(atomic(&mut rng, words[0], false, value));
        packets.push(atomic(&mut rng, words[1], false, value ^ 1 << bit));
        packets.push(atomic(&mut rng, words[2], true, value));
    }
    let timing = Timing {
        eager: 100,
        latency: 0..=20,
    };
    run(
        &library,
        &Widths { stream: 8, bus: 16 },
        &packets,
        &[],
        &timing,
        1,
    );
}
