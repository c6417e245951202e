//! The transmit path from its ports to the link.
mod rig;

use crate::bench::library;
use crate::packet::{Packet, KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE, KIND_REQUEST};
use crate::side::{Line, Small};
use rig::{Conditions, Rig, ACKS, REQUESTS, RESPONSES};
use rust_hdl_core::prelude::Block;

/// Random packets of 16 QPs from all sides, routes that change, PSNs that start, go on and go back.
fn everything<B: Block + Default>(stream_bits: usize, bus_bits: usize) {
    let library = library::<B>("transmit_side");
    let mut rng = fastrand::Rng::with_seed(stream_bits as u64);
    for (latency, jitter, hold, slow) in [(1, 0, 0, 0), (5, 40, 60, 200), (60, 200, 150, 60), (1, 3, 230, 0)]
    {
        let conditions = Conditions {
            latency,
            jitter,
            hold,
            slow,
            changes: true,
        };
        let mut rig = Rig::new(&library, stream_bits, bus_bits, conditions);
        for _ in 0..300 {
            let qpn = rng.u32(..1 << 16) << 8 | rng.u32(..16);
            let psn = rng.u32(..1 << 24);
            let payload = rng.u8(..) < 170;
            let (side, kind, payload) = match rng.u8(..4) {
                0 => (RESPONSES, KIND_READ_RESPONSE, payload),
                1 => (RESPONSES, KIND_ATOMIC_ACK, false),
                2 => (ACKS, KIND_ACK, false),
                _ => (REQUESTS, KIND_REQUEST, payload),
            };
            rig.queue(side, Packet::any(&mut rng, kind, qpn, psn, payload));
        }
        rig.run();
    }
}

#[test]
fn every_packet_small() {
    everything::<Small>(64, 128);
}

#[test]
fn every_packet_line() {
    everything::<Line>(512, 512);
}

/// Requests of so many bytes each, alternating with responses, behind a memory of 200 clocks: clocks and beats of all
/// packets but the first, which alone waits for its CRCs.
fn rate<B: Block + Default>(stream_bits: usize, bus_bits: usize, length: usize) -> (u64, u64) {
    let library = library::<B>("transmit_side");
    let conditions = Conditions {
        latency: 200,
        ..Conditions::default()
    };
    let mut rig = Rig::new(&library, stream_bits, bus_bits, conditions);
    let mut rng = fastrand::Rng::with_seed(length as u64);
    let count = 200;
    for number in 0..count {
        let (side, kind, opcode) = if number % 2 == 0 {
            (REQUESTS, KIND_REQUEST, 0x04)
        } else {
            (RESPONSES, KIND_READ_RESPONSE, 0x0E)
        };
        let mut packet = Packet::any(&mut rng, kind, number % 16, number, false);
        packet.header.opcode = opcode;
        packet.pieces = vec![(rng.u64(..1 << 40), length)];
        rig.queue(side, packet);
    }
    let beats = rig.run();
    let clocks = beats[beats.len() - 1].last - beats[0].last;
    let carried: u64 = beats[1..].iter().map(|packet| packet.beats).sum();
    (clocks, carried)
}

/// No clock is lost to memory, to alignment or between packets.
#[test]
fn large_packets_fill_the_link() {
    for length in [256, 1024, 2048, 4096] {
        let (clocks, beats) = rate::<Small>(64, 128, length);
        assert_eq!(clocks, beats, "small, {length} bytes");
    }
    // A bus as wide as the link carries a beat more than the payload of an unaligned packet.
    for length in [1024, 2048, 4096] {
        let (clocks, beats) = rate::<Line>(512, 512, length);
        assert!(
            clocks * 98 <= beats * 100,
            "line, {length} bytes: {clocks} clocks for {beats} beats"
        );
    }
}

/// A packet every 8 clocks, or as fast as the link.
#[test]
fn small_packets_leave_every_8_clocks() {
    let (clocks, beats) = rate::<Small>(64, 128, 64);
    assert_eq!(clocks, beats, "small");
    let (clocks, _) = rate::<Line>(512, 512, 64);
    assert!(clocks <= 200 * 4, "line: {clocks} clocks for 200 packets");
}

/// A packet begins to leave while most of its payload is still to come.
#[test]
fn a_packet_is_cut_through() {
    let library = library::<Small>("transmit_side");
    let conditions = Conditions {
        latency: 50,
        ..Conditions::default()
    };
    let mut rig = Rig::new(&library, 64, 128, conditions);
    let mut packet = Packet::any(&mut fastrand::Rng::with_seed(1), KIND_REQUEST, 1, 1, false);
    packet.header.opcode = 0x04;
    packet.pieces = vec![(0x1_0000, 4096)];
    rig.queue(REQUESTS, packet);
    let leaves = rig.run()[0].first;
    assert!(
        (51..=70).contains(&leaves),
        "the first beat leaves in clock {leaves}"
    );
}

/// An ack passes packets whose payload is on its way; acks without end do not hold them up.
#[test]
fn acks_overtake_but_neither_starve_nor_crowd_out() {
    const REQUESTED: u32 = 40;
    let library = library::<Small>("transmit_side");
    let conditions = Conditions {
        latency: 100,
        ..Conditions::default()
    };
    let mut rig = Rig::new(&library, 64, 128, conditions);
    let mut rng = fastrand::Rng::with_seed(2);
    for psn in 0..REQUESTED {
        let mut packet = Packet::any(&mut rng, KIND_REQUEST, 1, psn, false);
        packet.header.opcode = 0x04;
        packet.pieces = vec![(0x1_0000, 64)];
        rig.queue(REQUESTS, packet);
    }
    for psn in 0..200 {
        rig.queue(ACKS, Packet::any(&mut rng, KIND_ACK, 2, psn, false));
    }
    let kinds: Vec<_> = rig.run().iter().map(|packet| packet.kind).collect();
    assert_eq!(
        kinds[0], KIND_ACK,
        "the ack did not wait for the request's payload"
    );
    let last = kinds.iter().rposition(|kind| *kind == KIND_REQUEST);
    let first = kinds.iter().position(|kind| *kind == KIND_REQUEST);
    let spread = last.zip(first).map_or(0, |(last, first)| last - first);
    let acks = spread - (REQUESTED as usize - 1);
    // Twelve beats a request, and an ack behind 64 clocks of them.
    assert!(
        (6..=8).contains(&acks),
        "{acks} acks between {REQUESTED} requests"
    );
}
