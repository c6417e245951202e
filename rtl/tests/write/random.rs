//! Pieces of any length and alignment, atomics and completions, under any timing.
use crate::bench::library;
use crate::memory::Timing;
use crate::plan::{Packet, Work};
use crate::rig::{run, Widths};
use hca_rtl::memory::Scatter;
use hca_sim::verilated::Library;

/// Where each side writes, so that their order against each other does not matter.
const RESPONDER_MEMORY: u64 = 0x1_0000_0000 - 0x8000;
const REQUESTER_MEMORY: u64 = 0x7FFF_0000;
/// Where atomics operate, in the responder's memory.
const ATOMICS: u64 = 0x6000;
const ATOMIC_BYTES: u64 = 32;
const CQES: u64 = 0xF_0000_0040;

fn some_length(rng: &mut fastrand::Rng, at_most: usize) -> usize {
    let bound = *rng.choice([1, 8, 40, 300, 4096].iter()).expect("there are some");
    rng.usize(1..=at_most.min(bound))
}

fn data(rng: &mut fastrand::Rng, base: u64) -> (Vec<(u64, usize)>, Vec<u8>) {
    if rng.u8(..6) == 0 {
        return (vec![(rng.u64(..), 0)], Vec::new());
    }
    let mut pieces = Vec::new();
    let mut left = 4096;
    for _ in 0..*rng.choice([1, 1, 2, 3, 16].iter()).expect("there are some") {
        if left > 0 {
            let length = some_length(rng, left);
            left -= length;
            pieces.push((base + rng.u64(..0x4000), length));
        }
    }
    let payload = (left..4096).map(|_| rng.u8(..)).collect();
    (pieces, payload)
}

fn packet(rng: &mut fastrand::Rng, atomics: bool) -> Packet {
    let response = rng.bool();
    let base = if response {
        REQUESTER_MEMORY
    } else {
        RESPONDER_MEMORY
    };
    if atomics && rng.u8(..5) == 0 {
        // Few places, so that swaps meet what they expect and adds meet each other.
        let slot = rng.u64(..256);
        let work = if response {
            Work::Original(rng.u64(..))
        } else {
            Work::Atomic {
                fetch_add: rng.bool(),
                compare: u64::from(rng.bool()),
                swap_add: *rng.choice([0, 1, u64::MAX].iter()).expect("there are some"),
                slot,
            }
        };
        let at = if response {
            base + rng.u64(..0x4000)
        } else {
            base + ATOMICS + 8 * rng.u64(..ATOMIC_BYTES / 8)
        };
        return Packet {
            response,
            work,
            pieces: vec![(at, 8)],
            payload: Vec::new(),
        };
    }
    if atomics && !response && rng.u8(..3) == 0 {
        return near_atomics(rng);
    }
    let (pieces, payload) = data(rng, base);
    Packet {
        response,
        work: Work::Data,
        pieces,
        payload,
    }
}

/// Bytes of the words on which atomics operate.
fn near_atomics(rng: &mut fastrand::Rng) -> Packet {
    let at = rng.u64(..ATOMIC_BYTES);
    let length = rng.usize(1..=(ATOMIC_BYTES - at) as usize);
    Packet {
        response: false,
        work: Work::Data,
        pieces: vec![(RESPONDER_MEMORY + ATOMICS + at, length)],
        payload: (0..length).map(|_| rng.u8(..2)).collect(),
    }
}

/// Values that some comparisons expect.
fn zeroed() -> Packet {
    Packet {
        response: false,
        work: Work::Data,
        pieces: vec![(RESPONDER_MEMORY + ATOMICS, ATOMIC_BYTES as usize)],
        payload: vec![0; ATOMIC_BYTES as usize],
    }
}

/// CQEs, and EQEs in either half of a place.
fn cqes(rng: &mut fastrand::Rng, count: u64) -> Vec<(u64, Vec<u8>)> {
    (0..count)
        .map(|i| {
            let (at, length) = [(0, 32), (0, 16), (16, 16)][rng.usize(..3)];
            (CQES + 32 * i + at, (0..length).map(|_| rng.u8(..)).collect())
        })
        .collect()
}

fn at_random(library: &Library, widths: &Widths) {
    for seed in 1..=12 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let eager = [100, 100, 70, 30][seed as usize % 4];
        let latency = [0..=0, 0..=300, 0..=30][seed as usize % 3].clone();
        let atomics = seed % 2 == 0;
        let mut packets = vec![zeroed()];
        packets.extend((0..120).map(|_| packet(&mut rng, atomics)));
        let cqes = cqes(&mut rng, 60);
        let timing = Timing { eager, latency };
        run(library, widths, &packets, &cqes, &timing, seed);
    }
}

#[test]
fn stream_of_64_bits_on_a_bus_of_128() {
    let library = library::<Scatter<64, 128, 16, 256, 8>>("scatter_64_128");
    at_random(&library, &Widths { stream: 8, bus: 16 });
}

#[test]
fn stream_and_bus_of_64_bits() {
    let library = library::<Scatter<64, 64, 8, 128, 8>>("scatter_64_64");
    at_random(&library, &Widths { stream: 8, bus: 8 });
}

#[test]
fn stream_and_bus_of_512_bits() {
    let library = library::<Scatter<512, 512, 64, 1024, 12>>("scatter_512_512");
    at_random(&library, &Widths { stream: 64, bus: 64 });
}
