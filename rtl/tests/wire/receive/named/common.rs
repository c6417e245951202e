//! From the BTH on all routes are alike (`responder.md` section 1 step 4).
use super::super::judge::reason;
use super::super::packet::{Packet, Route};
use super::{changed, Case};

/// Bytes below the BTH.
fn below(route: Route) -> usize {
    match route {
        Route::Local => 8,
        Route::Global => 48,
        Route::Ipv4 => 42,
        Route::Ipv6 => 62,
    }
}

/// Cases of this route.
pub fn cases(route: Route) -> Vec<Case> {
    let bth = below(route);
    let send = |payload| Packet::send(route, payload);
    let opcode = |opcode, extended: usize| Packet {
        opcode,
        extended: vec![7; extended],
        ..send(6)
    };
    let without = |code: u8, extended: usize| {
        let packet = Packet {
            opcode: code,
            extended: vec![7; extended - 4],
            ..send(0)
        };
        packet.bytes()
    };
    let mut cases: Vec<Case> = vec![
        ("no payload", send(0).bytes(), None),
        ("one byte, three of pad", send(1).bytes(), None),
        ("as much as a PMTU can be", send(4096).bytes(), None),
        (
            "as much behind all headers of an RD atomic",
            Packet {
                payload: vec![3; 4096],
                ..opcode(0x53, 40)
            }
            .bytes(),
            None,
        ),
        ("a byte more", send(4097).bytes(), Some(reason::PAYLOAD_LENGTH)),
        (
            "FECN, BECN and reserved bits",
            Packet {
                resv8a: 0xFF,
                ..send(5)
            }
            .bytes(),
            None,
        ),
        (
            "ICRC",
            {
                let mut bytes = send(5).bytes();
                bytes[bth + 12] ^= 1;
                if Route::NATIVE.contains(&route) {
                    super::super::packet::reseal_link(true, &mut bytes);
                }
                bytes
            },
            Some(reason::ICRC),
        ),
        (
            "TVer",
            changed(&send(5), |b| b[bth + 1] |= 1),
            Some(reason::TRANSPORT_VERSION),
        ),
        (
            "TVer before the opcode",
            changed(&opcode(0x80, 0), |b| b[bth + 1] |= 8),
            Some(reason::TRANSPORT_VERSION),
        ),
        ("unassigned RC opcode", opcode(0x15, 0).bytes(), None),
        ("last RC code", opcode(0x1F, 0).bytes(), None),
        ("UC Send only", opcode(0x24, 0).bytes(), None),
        ("RESYNC", opcode(0x55, 12).bytes(), None),
        (
            "no room for the AETH",
            without(0x11, 4),
            Some(reason::HEADER_INCOMPLETE),
        ),
        (
            "no room for the last word of the AtomicETH",
            without(0x13, 28),
            Some(reason::HEADER_INCOMPLETE),
        ),
        (
            "no room for the DETH's second word",
            without(0x64, 8),
            Some(reason::HEADER_INCOMPLETE),
        ),
        (
            "pad without payload",
            changed(&send(0), |b| b[bth + 1] |= 0x10),
            Some(reason::PAD_COUNT),
        ),
        (
            "pad behind an AETH",
            changed(&Packet::ack(route, 9), |b| b[bth + 1] |= 0x30),
            Some(reason::PAD_COUNT),
        ),
        (
            "no headers, before the pad",
            changed(&send(0), |b| {
                b[bth] = 0x11;
                b[bth + 1] |= 0x30;
            }),
            Some(reason::HEADER_INCOMPLETE),
        ),
    ];
    // The gaps of UC, RD and UD; CNP of both kinds, XRC, vendors.
    for unknown in [
        0x2C, 0x31, 0x36, 0x3F, 0x56, 0x5F, 0x60, 0x63, 0x66, 0x7F, 0x80, 0x81, 0xA4, 0xC0, 0xE0, 0xFF,
    ] {
        cases.push((
            "opcode without receiver",
            opcode(unknown, 0).bytes(),
            Some(reason::OPCODE),
        ));
    }
    cases.push(("after it all", send(3).bytes(), None));
    cases
}
