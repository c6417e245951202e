//! The packet builder: every byte of every kind of packet, and no clock lost.
mod published;
mod reference;

use hca_host::profile::Link;
use hca_rtl::export::packet_builder;
use hca_sim::wire::library;
use hca_sim::wire::transmit::{Departure, Header, TransmitPauses, Transmitter};
use reference::{opcodes, packet};

type Packet = (Header, Vec<u8>);

/// Gaps and stalls, crossed.
const CHANCES: [u8; 3] = [0, 60, 200];

fn transmitter(stream_bits: usize, link: Link, seed: u64) -> Transmitter {
    let design = packet_builder(stream_bits, link).expect("the block exports");
    let library = library(&design).expect("the block builds without warnings");
    Transmitter::new(&library, stream_bits, seed).expect("the model loads")
}

/// Has the packets built, each as the reference has it.
fn build(bench: &mut Transmitter, link: Link, packets: &[Packet], pauses: TransmitPauses) -> Vec<Departure> {
    let built = bench.run(packets, pauses).expect("the builder obeys its ports");
    for ((header, payload), departure) in packets.iter().zip(&built) {
        let expected = packet(link, header, payload);
        assert_eq!(departure.bytes, expected, "{header:?}, {} bytes", payload.len());
    }
    built
}

/// Any fields; `long` is with a GRH, or IPv6.
fn any(rng: &mut fastrand::Rng, opcode: u8, long: bool) -> Header {
    let mut mapped = [0; 32];
    rng.fill(&mut mapped);
    let address = |half: usize| std::array::from_fn(|byte| mapped[16 * half + byte]);
    Header {
        dlid: rng.u16(..),
        slid: rng.u16(..),
        sl: rng.u8(..16),
        vl: rng.u8(..16),
        has_grh: long,
        ipv4: !long,
        traffic_class: rng.u8(..),
        flow_label: rng.u32(..1 << 20),
        hop_limit: rng.u8(..),
        sgid: address(0),
        dgid: address(1),
        dest_mac: std::array::from_fn(|_| rng.u8(..)),
        source_mac: std::array::from_fn(|_| rng.u8(..)),
        source_port: rng.u16(..),
        opcode,
        solicited: rng.bool(),
        migrated: rng.bool(),
        p_key: rng.u16(..),
        dest_qp: rng.u32(..1 << 24),
        ack_req: rng.bool(),
        psn: rng.u32(..1 << 24),
        ee_context: rng.u32(..1 << 24),
        q_key: rng.u32(..),
        source_qp: rng.u32(..1 << 24),
        va: rng.u64(..),
        r_key: rng.u32(..),
        dma_len: rng.u32(..),
        swap_add: rng.u64(..),
        compare: rng.u64(..),
        syndrome: rng.u8(..),
        msn: rng.u32(..1 << 24),
        original: rng.u64(..),
        immediate: rng.u32(..),
    }
}

fn of_length(rng: &mut fastrand::Rng, opcode: u8, long: bool, length: usize) -> Packet {
    let payload = std::iter::repeat_with(|| rng.u8(..)).take(length);
    let payload = payload.collect();
    (any(rng, opcode, long), payload)
}

/// Payload lengths around everything that a length can be a multiple of.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=70).chain(250..=260).chain(1023..=1025).chain(4093..=4096)
}

/// All opcodes and all lengths, on both routes of the framing, in any order.
fn everything(rng: &mut fastrand::Rng) -> Vec<Packet> {
    let mut packets = vec![];
    for long in [false, true] {
        for opcode in opcodes() {
            let length = rng.usize(..=70);
            packets.push(of_length(rng, opcode, long, length));
            packets.push(of_length(rng, opcode, long, 0));
        }
        for length in lengths() {
            let opcode = rng.choice(opcodes()).unwrap_or(4);
            packets.push(of_length(rng, opcode, long, length));
        }
    }
    rng.shuffle(&mut packets);
    packets
}

/// Gaps in headers and payload and stalls of the link, crossed, change no byte.
fn bytes(stream_bits: usize, link: Link) {
    let mut rng = fastrand::Rng::with_seed(stream_bits as u64);
    let mut bench = transmitter(stream_bits, link, 1);
    for gap in CHANCES {
        for stall in CHANCES {
            build(
                &mut bench,
                link,
                &everything(&mut rng),
                TransmitPauses { gap, stall },
            );
        }
    }
}

/// Every length with every length of headers: each word of a beat is where headers, payload or a packet ends.
fn alignments(stream_bits: usize, link: Link) {
    let mut rng = fastrand::Rng::with_seed(stream_bits as u64 + 1);
    let mut bench = transmitter(stream_bits, link, 2);
    for (long, pauses) in [
        (false, TransmitPauses::EAGER),
        (true, TransmitPauses { gap: 90, stall: 90 }),
    ] {
        // 12 to 52 bytes of BTH and extended headers.
        let kinds = [
            0x04, 0x11, 0x64, 0x12, 0x0A, 0x0B, 0x50, 0x52, 0x4A, 0x4B, 0x13, 0x53,
        ];
        let cross = kinds
            .into_iter()
            .flat_map(|opcode| (0..=68).map(move |length| (opcode, length)));
        let packets: Vec<_> = cross
            .map(|(opcode, length)| of_length(&mut rng, opcode, long, length))
            .collect();
        build(&mut bench, link, &packets, pauses);
    }
}

/// Clocks that a packet alone waits for its CRCs, at most.
const CRC_CLOCKS: u64 = 11;

/// With nobody waiting a beat leaves each clock from the first packet's end to the last's; the first packet alone waits
/// for its CRCs.
fn full_rate(stream_bits: usize, link: Link) {
    let mut rng = fastrand::Rng::with_seed(stream_bits as u64 + 2);
    let mut bench = transmitter(stream_bits, link, 3);
    let mut carry = |packets: &[Packet], what: &str| {
        let built = build(&mut bench, link, packets, TransmitPauses::EAGER);
        let beats: Vec<_> = built
            .iter()
            .map(|d| d.bytes.len().div_ceil(stream_bits / 8) as u64)
            .collect();
        let (first, last) = (&built[0], &built[built.len() - 1]);
        let alone = first.last_beat - first.first_beat + 1;
        assert!(
            alone <= beats[0] + CRC_CLOCKS,
            "{alone} clocks for the {} beats of the first of {what}",
            beats[0]
        );
        let others: u64 = beats[1..].iter().sum();
        assert_eq!(
            last.last_beat - first.last_beat,
            others,
            "clocks for the beats of {what}"
        );
    };
    for long in [false, true] {
        let acks: Vec<_> = (0..200).map(|_| of_length(&mut rng, 0x11, long, 0)).collect();
        carry(&acks, "acks");
        for length in lengths() {
            let count = if length > 1000 { 3 } else { 12 };
            // Among them the longest headers.
            let packets: Vec<_> = [0x00, 0x0B, 0x53]
                .into_iter()
                .flat_map(|opcode| std::iter::repeat_n(opcode, count))
                .map(|opcode| of_length(&mut rng, opcode, long, length))
                .collect();
            carry(&packets, &format!("{length} bytes of payload"));
        }
    }
    carry(&everything(&mut rng), "everything");
}

macro_rules! at_width {
    ($name:ident, $bits:literal) => {
        mod $name {
            use super::*;

            #[test]
            fn native() {
                bytes($bits, Link::InfiniBand);
                alignments($bits, Link::InfiniBand);
                full_rate($bits, Link::InfiniBand);
                published::native($bits);
            }

            #[test]
            fn roce() {
                bytes($bits, Link::Roce);
                alignments($bits, Link::Roce);
                full_rate($bits, Link::Roce);
                published::roce($bits);
            }
        }
    };
}

at_width!(at_64, 64);
at_width!(at_128, 128);
at_width!(at_256, 256);
at_width!(at_512, 512);
