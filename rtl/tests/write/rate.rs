//! How fast packets get to a memory that acknowledges after 200 clocks.
use crate::bench::library;
use crate::memory::Timing;
use crate::plan::{Packet, Work};
use crate::rig::{run, Widths};
use hca_rtl::memory::Scatter;
use hca_sim::verilated::Library;

const PACKETS: usize = 400;
/// Clocks that are no packet's own: the way through, and the last response.
const FILL: u64 = 240;

/// Clocks a packet, in hundredths, of packets of one piece of `length` bytes, each with a CQE if `completes`.
fn clocks(library: &Library, widths: &Widths, length: usize, unaligned: bool, completes: bool) -> u64 {
    let mut rng = fastrand::Rng::with_seed(1);
    let packets: Vec<Packet> = (0..PACKETS)
        .map(|i| {
            let offset = if unaligned { rng.u64(1..64) } else { 0 };
            Packet {
                response: rng.bool(),
                work: Work::Data,
                pieces: vec![(0x10_0000 + 0x1000 * i as u64 + offset, length)],
                payload: (0..length).map(|_| rng.u8(..)).collect(),
            }
        })
        .collect();
    let count = if completes { PACKETS as u64 } else { 0 };
    let cqes: Vec<(u64, Vec<u8>)> = (0..count)
        .map(|i| (0x800_0000 + 32 * i, vec![i as u8; 32]))
        .collect();
    let timing = Timing {
        eager: 100,
        latency: 200..=200,
    };
    let taken = run(library, widths, &packets, &cqes, &timing, 1);
    (taken - FILL.min(taken)) * 100 / PACKETS as u64
}

#[test]
fn bus_of_128_bits_keeps_up_with_a_stream_of_64() {
    let library = library::<Scatter<64, 128, 16, 256, 8>>("scatter_64_128");
    let widths = Widths { stream: 8, bus: 16 };
    for unaligned in [false, true] {
        let short = clocks(&library, &widths, 64, unaligned, true);
        assert!(
            short <= 800,
            "64 bytes, unaligned {unaligned}: {short} hundredths"
        );
        let long = clocks(&library, &widths, 1024, unaligned, true);
        assert!(
            long * 98 <= 12_800 * 100,
            "1024 bytes, unaligned {unaligned}: {long} hundredths"
        );
    }
}

/// Clocks an atomic, in hundredths, each on one of so many words, with as many packets of 64 bytes in between of
/// either side as asked for.
fn atomic_clocks(library: &Library, widths: &Widths, words: u64, between: [usize; 2]) -> u64 {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut packets = Vec::new();
    for i in 0..PACKETS as u64 {
        packets.push(Packet {
            response: false,
            work: Work::Atomic {
                fetch_add: true,
                compare: 0,
                swap_add: i,
                slot: i % 256,
            },
            pieces: vec![(0x400_0000 + 8 * rng.u64(..words), 8)],
            payload: Vec::new(),
        });
        for (response, count) in [false, true].into_iter().zip(between) {
            packets.extend((0..count).map(|_| Packet {
                response,
                work: Work::Data,
                pieces: vec![(0x10_0000 + 0x1000 * i + if response { 0x800 } else { 0 }, 64)],
                payload: (0..64).map(|_| rng.u8(..)).collect(),
            }));
        }
    }
    let timing = Timing {
        eager: 100,
        latency: 200..=200,
    };
    let taken = run(library, widths, &packets, &[], &timing, 1);
    (taken - (2 * FILL).min(taken)) * 100 / PACKETS as u64
}

#[test]
fn sixteen_atomics_are_under_way_at_once() {
    let library = library::<Scatter<64, 128, 16, 256, 8>>("scatter_64_128");
    let widths = Widths { stream: 8, bus: 16 };
    // The memory answers after 200 clocks, and 16 operations are under way meanwhile.
    for (words, between, at_most) in [
        (1, [0, 0], 13),
        (4, [0, 0], 13),
        (0x1_0000, [0, 0], 13),
        (4, [0, 1], 13),
        (0x1_0000, [1, 1], 24),
    ] {
        let clocks = atomic_clocks(&library, &widths, words, between);
        println!("{words} words, {between:?} between: {clocks}");
        assert!(
            clocks <= at_most * 100,
            "{words} words, {between:?} between: {clocks} hundredths"
        );
    }
}

#[test]
fn bus_of_64_bits_is_busy_with_each_beat() {
    let library = library::<Scatter<64, 64, 8, 128, 8>>("scatter_64_64");
    let widths = Widths { stream: 8, bus: 8 };
    for (unaligned, beats) in [(false, 128), (true, 129)] {
        let long = clocks(&library, &widths, 1024, unaligned, false);
        assert!(
            long * 98 <= beats * 100 * 100,
            "1024 bytes, unaligned {unaligned}: {long} hundredths"
        );
    }
}

#[test]
fn bus_of_512_bits_is_busy_with_each_beat() {
    let library = library::<Scatter<512, 512, 64, 1024, 12>>("scatter_512_512");
    let widths = Widths { stream: 64, bus: 64 };
    for (unaligned, beats) in [(false, 16), (true, 17)] {
        let short = clocks(&library, &widths, 64, unaligned, true);
        assert!(
            short <= 800,
            "64 bytes, unaligned {unaligned}: {short} hundredths"
        );
        let long = clocks(&library, &widths, 1024, unaligned, false);
        assert!(
            long * 98 <= beats * 100 * 100,
            "1024 bytes, unaligned {unaligned}: {long} hundredths"
        );
    }
}
