//! Draws the parts of a step: each kind of value sometimes, legal values more often.
use super::addresses::MAX_LENGTH;
use crate::case::limits::{HEADER_BITS, INVALIDATED, LINK_PACKET_BITS, LINK_PACKET_LONGER};
use crate::case::{Base, Forged, ForgedLink, Key};
use crate::case::{Given, Operation, Volley, Work};
use crate::Side;
use hca_golden::verbs::QpState;
use proptest::prelude::*;

pub(super) fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::X), Just(Side::Y)]
}

pub(super) fn entries() -> impl Strategy<Value = u32> {
    prop_oneof![
        8 => prop_oneof![Just(1u32), Just(2), Just(4), Just(16), Just(64)],
        1 => prop_oneof![Just(0u32), Just(3), Just(65), Just(32_769)],
    ]
}

pub(super) fn length() -> impl Strategy<Value = u32> {
    prop_oneof![
        2 => Just(0u32),
        4 => 1u32..=64,
        2 => 65u32..=1100,
        1 => 1101u32..=MAX_LENGTH,
    ]
}

pub(super) fn work() -> impl Strategy<Value = Work> {
    let flags = (
        prop::bool::weighted(0.8),
        any::<bool>(),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
    );
    let sges = prop_oneof![8 => 1u8..=3, 1 => Just(0u8), 1 => Just(17u8)];
    // Messages invalidate the last region, so that no work uses it.
    let region = prop_oneof![12 => Just(0u8), 1 => 0..INVALIDATED];
    let operation = (0u8..8).prop_map(|n| Operation::ALL[usize::from(n)]);
    (operation, length(), sges, flags, region).prop_map(
        |(operation, length, sges, (signaled, solicited, fence, inline), region)| Work {
            operation,
            length,
            sges,
            signaled,
            solicited,
            fence,
            inline,
            region,
            tight: false,
            to: None,
        },
    )
}

pub(super) fn state() -> impl Strategy<Value = QpState> {
    use QpState::*;
    prop_oneof![
        Just(Reset),
        Just(Init),
        Just(Rtr),
        Just(Rts),
        Just(Sqd),
        Just(Sqe),
        Just(Error)
    ]
}

pub(super) fn given() -> impl Strategy<Value = Given> {
    prop_oneof![
        6 => Just(Given::Required),
        1 => (0u8..7).prop_map(Given::Without),
        2 => (0u8..18).prop_map(Given::With),
        1 => (0u8..4).prop_map(Given::Wrong),
    ]
}

/// Bits of the byte with the PadCnt, in a native packet and behind the headers of RoCEv2.
const PAD_BITS: [u16; 4] = [
    8 * 9 + 2,
    8 * 9 + 3,
    8 * (14 + 20 + 8 + 1) + 2,
    8 * (14 + 20 + 8 + 1) + 3,
];

/// Draws forged packets: NAKs that meet, repeated Reads, or any others.
pub(super) fn volley() -> impl Strategy<Value = Volley> {
    let packets = prop_oneof![
        6 => prop::collection::vec(hostile(), 1..=2),
        6 => prop::collection::vec(refusal(), 1..=3),
        4 => nak_upon_nak(),
        4 => read_again(),
        2 => within_write(),
        3 => again().prop_map(|packet| vec![packet]),
    ];
    (0u16..=600, packets).prop_map(|(late, packets)| Volley { late, packets })
}

/// Draws a forged packet, also at the limits of legal values.
pub(super) fn hostile() -> impl Strategy<Value = Forged> {
    prop_oneof![
        8 => forged(),
        2 => in_turn(),
        3 => missized(),
        1 => without_bytes(),
        1 => beyond_memory(),
        2 => with_pad(),
        2 => runt(),
        2 => unknown(),
        2 => again(),
        1 => refusal(),
    ]
}

/// Draws a request that is expected, of any length.
fn in_turn() -> impl Strategy<Value = Forged> {
    let opcode = prop_oneof![3 => 0u8..=0x0C, 1 => 0x13u8..=0x17];
    (opcode, forged()).prop_map(|(opcode, forged)| Forged {
        opcode,
        base: Base::Expected,
        psn: 0,
        flips: Vec::new(),
        longer: 0,
        admitted: false,
        ..forged
    })
}

/// Draws a Write whose data may differ from its RETH's length.
fn missized() -> impl Strategy<Value = Forged> {
    let opcode = prop_oneof![2 => Just(0x0Au8), 1 => 0x06u8..=0x0B];
    let payload = prop_oneof![2 => 0u16..=256, 1 => Just(256)];
    (opcode, payload, 0u32..=260).prop_map(|(opcode, payload, length)| Forged {
        payload,
        dma_length: Some(length),
        ..Forged::expected(opcode)
    })
}

/// Draws a Write or Read of no bytes under any key, because it needs none.
fn without_bytes() -> impl Strategy<Value = Forged> {
    let opcode = prop::sample::select(&[0x0Au8, 0x0B, 0x0C][..]);
    let key = prop::sample::select(&[Key::NoRemoteAccess, Key::OtherDomain, Key::Unknown][..]);
    (opcode, key).prop_map(|(opcode, key)| Forged {
        key,
        ..Forged::expected(opcode)
    })
}

/// Draws a Write or Read at the end of all memory, and beyond.
fn beyond_memory() -> impl Strategy<Value = Forged> {
    let opcode = prop::sample::select(&[0x0Au8, 0x0C][..]);
    (opcode, 0u8..=8, 1u16..=24).prop_map(|(opcode, offset, length)| Forged {
        offset,
        high: true,
        payload: if opcode == 0x0A { length } else { 0 },
        dma_length: Some(length.into()),
        ..Forged::expected(opcode)
    })
}

/// Draws any pad count, of a packet that may have no payload.
fn with_pad() -> impl Strategy<Value = Forged> {
    let opcode = prop::sample::select(&[0x04u8, 0x0A, 0x0C, 0x11][..]);
    let flips = prop::collection::vec(prop::sample::select(&PAD_BITS[..]), 1..=2);
    let payload = prop_oneof![3 => Just(0u16), 1 => 1u16..=8];
    (opcode, flips, payload).prop_map(|(opcode, flips, payload)| Forged {
        flips,
        payload,
        ..Forged::expected(opcode)
    })
}

/// Draws a request or answer that ends within its headers.
fn runt() -> impl Strategy<Value = Forged> {
    let opcode = prop_oneof![3 => 0u8..=0x17, 1 => Just(0x0C)];
    let words = prop_oneof![2 => 1i16..=2, 1 => 3i16..=8];
    let bytes = prop_oneof![6 => Just(0i16), 1 => 1i16..=3];
    (opcode, words, bytes).prop_map(|(opcode, words, bytes)| Forged {
        longer: bytes - 4 * words,
        admitted: true,
        ..Forged::expected(opcode)
    })
}

/// Draws an opcode of no transport, or of one that this adapter does not have, with any length.
fn unknown() -> impl Strategy<Value = Forged> {
    let opcode = prop_oneof![1 => 0x18u8..=0x1F, 1 => any::<u8>()];
    let payload = prop_oneof![2 => Just(0u16), 1 => 1u16..=64, 2 => 4097u16..=4100];
    let longer = prop_oneof![2 => Just(0i16), 1 => Just(-4)];
    (opcode, payload, longer).prop_map(|(opcode, payload, longer)| Forged {
        payload,
        longer,
        admitted: true,
        ..Forged::expected(opcode)
    })
}

/// Draws a request that may have come before, while other work continues.
fn again() -> impl Strategy<Value = Forged> {
    let opcode = prop_oneof![4 => Just(0x0Cu8), 2 => 0x00u8..=0x0B, 1 => 0x13u8..=0x14];
    let back = prop_oneof![4 => 1i32..=8, 1 => 9i32..=200];
    let payload = prop_oneof![1 => Just(0u16), 1 => Just(256)];
    let length = prop::sample::select(&[0u32, 1, 64, 300][..]);
    (opcode, back, payload, length).prop_map(|(opcode, back, payload, length)| Forged {
        psn: -back,
        payload: if opcode == 0x0C { 0 } else { payload },
        dma_length: (opcode == 0x0C).then_some(length),
        ..Forged::expected(opcode)
    })
}

/// Draws a NAK for what is under way.
fn refusal() -> impl Strategy<Value = Forged> {
    // RNR NAKs whose wait is short, a PSN sequence error, and others.
    let syndrome = prop_oneof![4 => 0x21u8..=0x24, 4 => Just(0x60u8), 1 => 0x61u8..=0x64];
    // From the oldest PSN up, and from the latest down.
    let place = prop_oneof![
        3 => Just((Base::Unacknowledged, 0)),
        1 => (1i32..=6).prop_map(|psn| (Base::Unacknowledged, psn)),
        2 => (-6i32..=0).prop_map(|psn| (Base::Next, psn)),
    ];
    (syndrome, place).prop_map(|(syndrome, (base, psn))| Forged {
        base,
        psn,
        syndrome,
        ..Forged::expected(0x11)
    })
}

/// Draws an RNR NAK that comes before the requester has gone back for another NAK.
fn nak_upon_nak() -> impl Strategy<Value = Vec<Forged>> {
    let nak = |syndrome, psn| Forged {
        base: Base::Unacknowledged,
        psn,
        syndrome,
        ..Forged::expected(0x11)
    };
    (0i32..=2, 0x21u8..=0x24).prop_map(move |(psn, not_ready)| vec![nak(0x60, psn), nak(not_ready, 0)])
}

/// Draws a Read and its repetition, possibly under another key or of other bytes.
fn read_again() -> impl Strategy<Value = Vec<Forged>> {
    let length = || prop::sample::select(&[1u32, 64, 256][..]);
    let key = prop_oneof![
        Just(Key::Right),
        Just(Key::NoRemoteAccess),
        Just(Key::OtherDomain),
        Just(Key::Unknown),
    ];
    let asks = |length, psn| Forged {
        dma_length: Some(length),
        psn,
        ..Forged::expected(0x0C)
    };
    let another = prop_oneof![3 => Just(None), 1 => length().prop_map(Some)];
    let psn = prop_oneof![1 => Just(-1i32), 3 => Just(0)];
    (length(), another, key, psn).prop_map(move |(first, another, key, psn)| {
        let again = Forged {
            key,
            ..asks(another.unwrap_or(first), psn)
        };
        vec![asks(first, 0), again]
    })
}

/// Draws an earlier packet that comes again between the first packet of a Write and the next.
fn within_write() -> impl Strategy<Value = Vec<Forged>> {
    let pmtu = prop::sample::select(&[256u16, 1024, 4096][..]);
    // Middle, Last, or Last with immediate.
    let next = prop_oneof![1 => Just(0x07u8), 3 => 0x08u8..=0x09];
    let psn = prop_oneof![1 => Just(0i32), 3 => Just(1)];
    (pmtu, again(), next, psn).prop_map(|(pmtu, again, next, psn)| {
        let first = Forged {
            payload: pmtu,
            dma_length: Some(2 * u32::from(pmtu)),
            ..Forged::expected(0x06)
        };
        let next = Forged {
            payload: pmtu,
            psn,
            ..Forged::expected(next)
        };
        vec![first, again, next]
    })
}

/// Draws forged link packets, mostly followed by what the peer would send, so that the port need not wait for it.
/// `vls`: number of the port's data VLs, if software brings a port up again that a packet with Op 1 restarts.
pub(super) fn link_packets(vls: Option<u8>) -> impl Strategy<Value = Vec<ForgedLink>> {
    let packets = prop::collection::vec(link_packet(vls), 1..=3);
    (packets, prop::bool::weighted(0.8)).prop_map(move |(mut packets, settles)| {
        if settles {
            packets.extend((0..vls.unwrap_or(2)).map(ForgedLink::right));
        }
        packets
    })
}

/// Draws a link packet with an error, or with other counts.
fn link_packet(vls: Option<u8>) -> impl Strategy<Value = ForgedLink> {
    let op = match vls {
        None => prop_oneof![8 => Just(0u8), 2 => 2u8..=15].boxed(),
        Some(_) => prop_oneof![8 => Just(0u8), 2 => Just(1), 2 => 2u8..=15].boxed(),
    };
    let vl = match vls {
        None => prop_oneof![4 => Just(0u8), 4 => Just(1), 2 => 2u8..=15].boxed(),
        Some(vls) => prop_oneof![8 => 0..vls, 2 => 0u8..=15, 1 => Just(15)].boxed(),
    };
    // Some counts are near the number of blocks of a buffer, or of those that one packet may promise.
    let count = || {
        prop_oneof![
            3 => Just(0i16),
            3 => -200i16..=200,
            1 => -2050i16..=-2046,
            1 => 2046i16..=2050,
            2 => -2048i16..=2047,
        ]
    };
    let flips = prop_oneof![
        4 => Just(Vec::new()),
        1 => prop::collection::vec(0..LINK_PACKET_BITS, 1..=2),
    ];
    let longer = prop_oneof![6 => Just(0i8), 1 => LINK_PACKET_LONGER];
    (op, vl, count(), count(), flips, longer).prop_map(|(op, vl, fctbs, fccl, flips, longer)| ForgedLink {
        op,
        vl,
        fctbs,
        fccl,
        flips,
        longer,
    })
}

/// Draws a forged packet, mostly one that fits the traffic under way except for a field or two.
pub(super) fn forged() -> impl Strategy<Value = Forged> {
    // Any requests, answers, acks and NAKs.
    let opcode = prop_oneof![4 => 0u8..=0x17, 2 => 0x0Du8..=0x12, 2 => Just(0x11), 1 => any::<u8>()];
    let base = prop_oneof![Just(Base::Expected), Just(Base::Unacknowledged), Just(Base::Next)];
    // Some PSNs are at the ends of the window.
    let psn = prop_oneof![
        4 => Just(0),
        4 => -3i32..=3,
        1 => (-1i32..=1).prop_map(|n| n + (1 << 23)),
        1 => 0i32..1 << 24,
    ];
    let syndrome = prop_oneof![
        3 => Just(0x1F),
        2 => 0u8..=0x1E,
        2 => 0x20u8..=0x22,
        3 => 0x60u8..=0x64,
        1 => any::<u8>(),
    ];
    let msn = prop_oneof![3 => Just(0), 3 => -2i32..=2, 1 => 0i32..1 << 24];
    let payload = prop_oneof![
        4 => Just(0u16),
        4 => 1u16..=64,
        3 => prop::sample::select(&[255u16, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097][..]),
        1 => 65u16..=4100,
    ];
    // At most what a Read can return in reasonable time, or beyond 2^31.
    let lengths = &[0u32, 1, 64, 1000, 6000, 0x8000_0001, u32::MAX][..];
    let dma_length = prop::option::weighted(0.3, prop::sample::select(lengths));
    let key = prop_oneof![
        6 => Just(Key::Right),
        1 => Just(Key::NoRemoteAccess),
        1 => Just(Key::OtherDomain),
        1 => Just(Key::Unknown),
    ];
    let offset = prop_oneof![4 => Just(0u8), 1 => 1u8..=8];
    let flips = prop_oneof![
        5 => Just(Vec::new()),
        2 => prop::collection::vec(0..HEADER_BITS, 1..=2),
    ];
    let longer = prop_oneof![8 => Just(0i16), 1 => -8i16..=8, 1 => -300i16..=300];
    let longer = (longer, any::<bool>());
    let numbers = (opcode, base, psn, any::<bool>(), payload);
    let answers = (syndrome, msn);
    let reach = (dma_length, key, offset);
    (numbers, answers, reach, flips, longer).prop_map(
        |(
            (opcode, base, psn, ack_req, payload),
            (syndrome, msn),
            (dma_length, key, offset),
            flips,
            (longer, admitted),
        )| Forged {
            opcode,
            base,
            psn,
            ack_req,
            payload,
            syndrome,
            msn,
            dma_length,
            key,
            offset,
            flips,
            longer,
            admitted: admitted && longer != 0,
            ..Forged::expected(opcode)
        },
    )
}
