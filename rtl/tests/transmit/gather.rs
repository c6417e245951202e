//! The gather alone: every alignment and length of pieces, and its rate.
use crate::bench::{library, Bench};
use crate::memory::{bytes, fails, Memory};
use hca_rtl::memory::Gather;
use rust_hdl_core::prelude::Block;

/// (address, bytes) of each piece.
type Packet = Vec<(u64, usize)>;

struct Conditions {
    latency: u64,
    /// Up to so many clocks more.
    jitter: u64,
    /// Chance in 256 that a side holds back, drawn each clock.
    stall: u8,
}

/// Gathers all packets, compares every byte, and gives the clocks from the first beat to the last.
fn gather<B: Block + Default>(
    stream_bits: usize,
    bus_bits: usize,
    packets: &[Packet],
    conditions: &Conditions,
) -> u64 {
    let mut rng = fastrand::Rng::with_seed(7);
    let latency = conditions.latency..=conditions.latency + conditions.jitter;
    let mut memory = Memory::new(bus_bits, latency, conditions.stall, 8);
    let mut bench = Bench::new(&library::<B>("gather"), 1);
    let stream_bytes = stream_bits / 8;
    let pieces: Vec<_> = packets
        .iter()
        .flat_map(|packet| {
            let last = packet.len() - 1;
            packet
                .iter()
                .enumerate()
                .map(move |(at, (address, length))| (*address, *length, at == last))
        })
        .collect();
    let mut next_piece = 0;
    let (mut begun, mut done, mut ended) = (0, 0, 0);
    // Packets of which a beat fails.
    let bus_bytes = bus_bits as u64 / 8;
    let fails_in = |(address, length): &(u64, usize)| {
        let first = address / bus_bytes;
        let beats = (address % bus_bytes + *length as u64).div_ceil(bus_bytes);
        (0..beats).any(|beat| fails(first.wrapping_add(beat).wrapping_mul(bus_bytes)))
    };
    let mut payload: Vec<u8> = vec![];
    let (mut first_beat, mut last_beat) = (None, 0);
    bench.set("read_valid", 0);
    while done < packets.len() {
        assert!(
            bench.cycle < 2_000_000,
            "{done} of {} packets came",
            packets.len()
        );
        let offered = pieces.get(next_piece).filter(|_| rng.u8(..) >= conditions.stall);
        bench.set("piece_valid", u64::from(offered.is_some()));
        if let Some((address, length, last)) = offered {
            bench.set("piece_address", *address);
            bench.set("piece_length", *length as u64);
            bench.set("piece_last", u64::from(*last));
        }
        bench.set("read_ready", u64::from(rng.u8(..) >= conditions.stall));
        bench.set("payload_ready", u64::from(rng.u8(..) >= conditions.stall));
        let answer = memory.answer(bench.cycle);
        bench.set("read_valid", u64::from(answer.is_some()));
        if let Some(mut data) = answer {
            data.bytes.reverse();
            bench.set_bytes("beat", &data.bytes);
            bench.set("beat_last", u64::from(data.last));
            bench.set("beat_error", u64::from(fails(data.address)));
        }
        bench.settle();
        if offered.is_some() && bench.is_set("piece_ready") {
            next_piece += 1;
        }
        if bench.is_set("read_request") && bench.is_set("read_ready") {
            memory.ask(bench.cycle, 0, bench.get("read_address"), bench.get("read_beats"));
        }
        begun += usize::from(bench.is_set("packet_begins"));
        if bench.is_set("ended_valid") {
            let failed = packets[ended].iter().any(fails_in);
            assert_eq!(bench.is_set("ended_error"), failed, "packet {ended}");
            ended += 1;
        }
        if bench.is_set("payload_valid") && bench.is_set("payload_ready") {
            first_beat.get_or_insert(bench.cycle);
            last_beat = bench.cycle;
            let beat = bench.bytes("payload_data");
            payload.extend(beat[..stream_bytes].iter().rev());
            let expected: Vec<u8> = packets[done].iter().flat_map(|(a, l)| bytes(*a, *l)).collect();
            assert!(begun > done, "packet {done} goes out before it is said to begin");
            if payload.len() >= expected.len() {
                let wrong = payload
                    .iter()
                    .zip(&expected)
                    .position(|(is, should)| is != should);
                assert_eq!(wrong, None, "byte of packet {done}: {:x?}", packets[done]);
                assert!(
                    ended > done,
                    "packet {done} is out before it is said to have ended"
                );
                payload.clear();
                done += 1;
            }
        }
        bench.tick();
    }
    assert_eq!(begun, packets.len(), "packets said to begin");
    assert!(!bench.is_set("payload_valid") || !payload.is_empty() || done == packets.len());
    last_beat - first_beat.unwrap_or(0) + 1
}

/// Packets of up to 16 pieces, 4096 bytes at most.
fn any(rng: &mut fastrand::Rng) -> Packet {
    let count = if rng.bool() { 1 } else { rng.usize(1..=16) };
    let longest = *rng.choice(&[8, 70, 300, 4096]).unwrap_or(&8);
    let mut left = 4096;
    let mut pieces = vec![];
    while pieces.len() < count && left > 0 {
        let length = rng.usize(1..=longest.min(left));
        left -= length;
        // Near a boundary of bursts too, and at the top of the address space.
        let near = *rng
            .choice(&[0x1000, 0x10_0400, 0xFFFF_FFFF_FFFF_0000])
            .unwrap_or(&0);
        pieces.push((near - 80 + rng.u64(..160), length));
    }
    pieces
}

fn all_bytes<B: Block + Default>(stream_bits: usize, bus_bits: usize) {
    let mut rng = fastrand::Rng::with_seed((stream_bits + bus_bits) as u64);
    for (latency, jitter, stall) in [(1, 0, 0), (3, 20, 60), (40, 100, 150), (0, 0, 200)] {
        let packets: Vec<_> = (0..400).map(|_| any(&mut rng)).collect();
        let conditions = Conditions {
            latency,
            jitter,
            stall,
        };
        gather::<B>(stream_bits, bus_bits, &packets, &conditions);
    }
}

/// Clocks for so many packets of so many pieces of a length behind a memory of 200 clocks.
fn clocks<B: Block + Default>(
    stream_bits: usize,
    bus_bits: usize,
    (count, pieces, length): (usize, usize, usize),
    aligned: bool,
) -> u64 {
    let mut rng = fastrand::Rng::with_seed(length as u64);
    let piece = |rng: &mut fastrand::Rng| {
        let offset = if aligned { 0 } else { rng.u64(..64) };
        (rng.u64(..1 << 30) * 64 + offset, length)
    };
    let packets: Vec<Packet> = (0..count)
        .map(|_| (0..pieces).map(|_| piece(&mut rng)).collect())
        .collect();
    let conditions = Conditions {
        latency: 200,
        jitter: 0,
        stall: 0,
    };
    gather::<B>(stream_bits, bus_bits, &packets, &conditions)
}

#[test]
fn every_byte_with_64_bits_from_64() {
    all_bytes::<Gather<64, 64, 128, 9>>(64, 64);
}

#[test]
fn every_byte_with_64_bits_from_128() {
    all_bytes::<Gather<64, 128, 192, 8>>(64, 128);
}

#[test]
fn every_byte_with_512_bits_from_512() {
    all_bytes::<Gather<512, 512, 1024, 9>>(512, 512);
}

/// With a bus of twice the width alignment costs nothing, but for a clock where two short ends of pieces meet.
#[test]
fn a_wide_bus_fills_the_stream() {
    type Wide = Gather<64, 128, 192, 8>;
    for aligned in [true, false] {
        for (pieces, length) in [(16, 256), (4, 256), (1, 4096), (1, 1024), (1, 256), (1, 64)] {
            let count = 60_000 / (pieces * length);
            let taken = clocks::<Wide>(64, 128, (count, pieces, length), aligned);
            let beats = count * pieces * length / 8;
            let seams = if aligned { 0 } else { count * pieces - 1 };
            let allowed = (beats..=beats + seams).contains(&(taken as usize));
            assert!(
                allowed,
                "{taken} clocks for {beats} beats: {pieces} pieces of {length} bytes, aligned: {aligned}"
            );
        }
    }
}

/// With a bus of the same width, a piece costs the beats of the bus that it touches.
#[test]
fn an_equal_bus_is_never_idle() {
    for (pieces, length) in [(16, 256), (1, 4096), (1, 1024), (1, 256)] {
        let count = 60_000 / (pieces * length);
        let shape = (count, pieces, length);
        let beats = |bytes: usize| (count * pieces * length / bytes) as u64;
        let split = (count * pieces) as u64;
        let taken = clocks::<Gather<64, 64, 128, 9>>(64, 64, shape, true);
        assert_eq!(taken, beats(8), "64 bits, {pieces} pieces of {length} bytes");
        let taken = clocks::<Gather<64, 64, 128, 9>>(64, 64, shape, false);
        assert!(
            taken <= beats(8) + split,
            "64 bits, {pieces} pieces of {length}: {taken}"
        );
        let taken = clocks::<Gather<512, 512, 1024, 9>>(512, 512, shape, true);
        assert_eq!(taken, beats(64), "512 bits, {pieces} pieces of {length} bytes");
        let taken = clocks::<Gather<512, 512, 1024, 9>>(512, 512, shape, false);
        assert!(
            taken <= beats(64) + split,
            "512 bits, {pieces} pieces of {length}: {taken}"
        );
    }
}

/// Packets of a beat or two are bounded by the bursts in flight: 64 in the 200 clocks of the memory.
#[test]
fn small_packets_keep_64_bursts_in_flight() {
    for aligned in [true, false] {
        let taken = clocks::<Gather<512, 512, 1024, 9>>(512, 512, (1000, 1, 64), aligned);
        assert!(
            taken <= 1000 * 4,
            "{taken} clocks for 1000 packets, aligned: {aligned}"
        );
    }
}
