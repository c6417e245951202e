//! The wire blocks, exported and Verilated, at every stream width.
mod bench;
mod named;
mod packet;
mod receive;
mod transmit;

use hca_rtl::wire::LinkReceive;
use hca_sim::verilated::Library;
use packet::{judge, random, reseal, reseal_link, Packet, PORT_LID};
use receive::{Manners, Outcome};

/// Manners to cross with everything random.
const MANNERS: [Manners; 4] = [
    Manners::EAGER,
    Manners {
        gap: 0,
        stall: 128,
        discard: 40,
    },
    Manners {
        gap: 128,
        stall: 0,
        discard: 0,
    },
    Manners {
        gap: 60,
        stall: 200,
        discard: 0,
    },
];

/// Every outcome is what `judge` says of the bytes.
fn agree(library: &Library, bytes: usize, packets: &[Vec<u8>], manners: Manners, seed: u64) -> u64 {
    let (outcomes, cycles) = receive::run(library, bytes, packets, manners, seed);
    for (number, (outcome, packet)) in outcomes.iter().zip(packets).enumerate() {
        match (outcome, judge(packet)) {
            (Outcome::Discarded, Ok(_)) => {}
            (Outcome::Accepted(header), Ok(expected)) => {
                assert_eq!(*header, expected, "packet {number}, seed {seed}");
            }
            (outcome, expected) => assert_eq!(
                Err(outcome.clone()),
                expected.map_err(Outcome::Dropped),
                "packet {number} of {} bytes, seed {seed}",
                packet.len()
            ),
        }
    }
    cycles
}

fn plain(payload: usize) -> Packet {
    Packet {
        dlid: PORT_LID,
        slid: 7,
        opcode: 4,
        p_key: 0xFFFF,
        dest_qp: 2,
        psn: 100,
        payload: (0..payload).map(|i| i as u8).collect(),
        ..Packet::default()
    }
}

fn ack(psn: u32) -> Packet {
    Packet {
        opcode: 0x11,
        psn,
        aeth: Some((0x1F, psn / 3)),
        ..plain(0)
    }
}

fn receives(library: &Library, bytes: usize) {
    let mut rng = fastrand::Rng::with_seed(bytes as u64);

    for (seed, manners) in MANNERS.into_iter().enumerate() {
        let packets: Vec<_> = (0..60).map(|_| random(&mut rng, 600).bytes()).collect();
        agree(library, bytes, &packets, manners, seed as u64);
    }

    // The largest packets, back to back.
    let full: Vec<_> = (0..6)
        .map(|_| {
            let mut packet = random(&mut rng, 4096);
            packet.payload.resize(4096, 0x5A);
            packet.bytes()
        })
        .collect();
    let beats: usize = full.iter().map(|p| p.len().div_ceil(bytes)).sum();
    let cycles = agree(library, bytes, &full, Manners::EAGER, 5) as usize;
    // Stored before it is forwarded: the last packet's payload comes out after all beats went in.
    let clocks = beats + 4096 / bytes + 60;
    assert!(cycles <= clocks, "{cycles} clocks for {beats} beats");

    // The smallest: up to three clocks a packet where one is a single beat.
    let acks: Vec<_> = (0..200).map(|n| ack(n).bytes()).collect();
    let beats = 200 * 30usize.div_ceil(bytes);
    let cycles = agree(library, bytes, &acks, Manners::EAGER, 6) as usize;
    assert!(
        cycles <= beats.max(600) + 40,
        "{cycles} clocks for {beats} beats of acks"
    );

    mutants(library, bytes, &mut rng);
    lengths(library, bytes, &mut rng);
    named::named(library, bytes);
    named::published(library, bytes);
}

/// One bit of a packet flipped; with its VCRC made good, or both CRCs.
fn mutants(library: &Library, bytes: usize, rng: &mut fastrand::Rng) {
    let mut packets = Vec::new();
    for _ in 0..300 {
        let mut packet = random(rng, 90).bytes();
        // Headers more often than payload.
        let range = if rng.bool() { 24 } else { packet.len() };
        packet[rng.usize(..range)] ^= 1 << rng.u8(..8);
        match rng.u8(..3) {
            0 => {}
            1 => reseal_link(&mut packet),
            _ => reseal(&mut packet),
        }
        packets.push(packet);
        packets.push(random(rng, 40).bytes());
    }
    agree(library, bytes, &packets, MANNERS[1], 11);
    agree(library, bytes, &packets, Manners::EAGER, 12);
}

/// Cut and stretched packets of every length from 1, with CRCs good for what is left or not.
fn lengths(library: &Library, bytes: usize, rng: &mut fastrand::Rng) {
    let whole = plain(100).bytes();
    let mut packets = Vec::new();
    for length in 1..whole.len() + 70 {
        let mut cut = whole.clone();
        cut.resize_with(length, || rng.u8(..));
        packets.push(cut.clone());
        if length > 6 {
            reseal(&mut cut);
            packets.push(cut);
        }
        packets.push(random(rng, 40).bytes());
    }
    for length in [4222, 4223, 4226, 6000, 8190, 8194, 20_002] {
        let mut long = plain(4096).bytes();
        long.resize_with(length, || rng.u8(..));
        packets.push(long.clone());
        reseal_link(&mut long);
        packets.push(long);
        packets.push(random(rng, 40).bytes());
    }
    agree(library, bytes, &packets, Manners::EAGER, 21);
    agree(library, bytes, &packets, MANNERS[3], 22);
}

macro_rules! at_width {
    ($name:ident, $w:literal, $k:literal, $nb:literal, $a:literal) => {
        mod $name {
            use super::*;

            #[test]
            fn receive() {
                let library = bench::library::<LinkReceive<$w, $k, $nb, $a>>("link_receive");
                receives(&library, $k);
            }
        }
    };
}

at_width!(at_64, 64, 8, 6, 11);
at_width!(at_128, 128, 16, 3, 10);
at_width!(at_256, 256, 32, 2, 9);
at_width!(at_512, 512, 64, 1, 8);
