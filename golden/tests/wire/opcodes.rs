//! Conformance rows of the area `packet` about opcodes and what they carry: CF002 to CF004, CF017, CF018.
use super::formats::{asking, encoded, packet, AETH};
use super::{decoded, reason, stands_for};
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::frame::Frame;
use hca_golden::wire::opcode::Opcode;
use hca_golden::wire::reth::Reth;

/// Value, name and bytes of BTH and extended headers.
const RC: [(u8, &str, usize); 23] = [
    (0x00, "RC_SEND_FIRST", 12),
    (0x01, "RC_SEND_MIDDLE", 12),
    (0x02, "RC_SEND_LAST", 12),
    (0x03, "RC_SEND_LAST_WITH_IMMEDIATE", 16),
    (0x04, "RC_SEND_ONLY", 12),
    (0x05, "RC_SEND_ONLY_WITH_IMMEDIATE", 16),
    (0x06, "RC_RDMA_WRITE_FIRST", 28),
    (0x07, "RC_RDMA_WRITE_MIDDLE", 12),
    (0x08, "RC_RDMA_WRITE_LAST", 12),
    (0x09, "RC_RDMA_WRITE_LAST_WITH_IMMEDIATE", 16),
    (0x0A, "RC_RDMA_WRITE_ONLY", 28),
    (0x0B, "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", 32),
    (0x0C, "RC_RDMA_READ_REQUEST", 28),
    (0x0D, "RC_RDMA_READ_RESPONSE_FIRST", 16),
    (0x0E, "RC_RDMA_READ_RESPONSE_MIDDLE", 12),
    (0x0F, "RC_RDMA_READ_RESPONSE_LAST", 16),
    (0x10, "RC_RDMA_READ_RESPONSE_ONLY", 16),
    (0x11, "RC_ACKNOWLEDGE", 16),
    (0x12, "RC_ATOMIC_ACKNOWLEDGE", 24),
    (0x13, "RC_COMPARE_SWAP", 40),
    (0x14, "RC_FETCH_ADD", 40),
    (0x16, "RC_SEND_LAST_WITH_INVALIDATE", 16),
    (0x17, "RC_SEND_ONLY_WITH_INVALIDATE", 16),
];

/// A packet with this opcode and 64 bytes behind the BTH, as the wire carries it.
fn with_opcode(opcode: u8) -> Vec<u8> {
    encoded(&packet(opcode, &[], &[0; 64]))
}

#[test]
fn cf002_rc_opcodes() {
    for (value, name, header_bytes) in RC {
        let row = Opcode::of(value).unwrap();
        assert_eq!((row.name, 12 + row.header_bytes()), (name, header_bytes));
        let frame = with_opcode(value);
        assert_eq!(frame[8], value);
        let payload = decoded(Link::InfiniBand, &frame).payload;
        assert_eq!(payload.len(), 12 + 64 - header_bytes, "{name}");
    }
}

#[test]
fn cf003_uc_opcodes_are_20h_to_2bh() {
    for uc in 0x20..=0x3F {
        if uc > 0x2B {
            assert_eq!(reason(Link::InfiniBand, &with_opcode(uc)), DropReason::Opcode);
            continue;
        }
        let (_, rc_name, header_bytes) = RC[usize::from(uc - 0x20)];
        let payload = decoded(Link::InfiniBand, &with_opcode(uc)).payload;
        assert_eq!(payload.len(), 12 + 64 - header_bytes, "{uc:02X}h");
        assert_eq!(Opcode::of(uc).unwrap().name, rc_name.replace("RC_", "UC_"));
    }
}

#[test]
fn cf004_ud_opcodes_are_64h_and_65h() {
    for ud in 0x60..=0x7F {
        let frame = with_opcode(ud);
        match ud {
            0x64 => assert_eq!(decoded(Link::InfiniBand, &frame).payload.len(), 64 - 8),
            0x65 => assert_eq!(decoded(Link::InfiniBand, &frame).payload.len(), 64 - 12),
            _ => assert_eq!(reason(Link::InfiniBand, &frame), DropReason::Opcode, "{ud:02X}h"),
        }
    }
}

/// `opcodes.csv`: RD has 40h to 55h; CNP, XRC, vendor and reserved classes are out of scope.
#[test]
fn opcodes_of_other_classes() {
    for opcode in (0x40..=0x5F).chain(0x80..=0xFF) {
        let frame = Frame::decode(Link::InfiniBand, &with_opcode(opcode));
        if opcode <= 0x55 {
            assert!(frame.is_ok(), "{opcode:02X}h");
        } else {
            assert_eq!(frame.unwrap_err().reason, DropReason::Opcode, "{opcode:02X}h");
        }
    }
}

/// CF073: a reserved code of RC has no headers, and its responder answers it.
#[test]
fn reserved_rc_opcodes_carry_a_bth_alone() {
    for opcode in [0x15].into_iter().chain(0x18..=0x1F) {
        let packet = decoded(Link::InfiniBand, &with_opcode(opcode));
        assert_eq!((packet.extensions.len(), packet.payload.len()), (0, 64));
    }
}

#[test]
fn cf017_a_read_response_middle_has_no_aeth() {
    let data = [0xA1, 0xA2, 0xA3, 0xA4];
    let frames = [
        (
            0x0D,
            "0032000200080001 0d00ffff0000001200000064 1f000001 a1a2a3a4 ef88e22e ebc6",
        ),
        (
            0x0F,
            "0032000200080001 0f00ffff0000001200000064 1f000001 a1a2a3a4 63fe2ce4 dec0",
        ),
        (
            0x10,
            "0032000200080001 1000ffff0000001200000064 1f000001 a1a2a3a4 67257578 6271",
        ),
    ];
    for (opcode, frame) in frames {
        stands_for(&packet(opcode, &[AETH], &data), Link::InfiniBand, frame);
    }
    stands_for(
        &packet(0x0E, &[], &data),
        Link::InfiniBand,
        "0032000200070001 0e00ffff0000001200000064 a1a2a3a4 067b870f 7344",
    );
}

/// The whole message's length, 5120 bytes in a Write first and 2^31 in a Read request.
#[test]
fn cf018_reth_is_in_write_first_write_only_and_read_request() {
    let with = |dma_len| {
        Extension::Reth(Reth {
            va: 0x0102_0304_0506_0708,
            r_key: 0x1112_1314,
            dma_len,
        })
    };
    stands_for(
        &packet(0x06, &[with(5120)], &[0xA1, 0xA2, 0xA3, 0xA4]),
        Link::InfiniBand,
        "00320002000b0001 0600ffff0000001200000064 01020304050607081112131400001400 a1a2a3a4 b9ab1f75 94f8",
    );
    stands_for(
        &asking(0x0C, &[with(1 << 31)], &[]),
        Link::InfiniBand,
        "00320002000a0001 0c00ffff0000001280000064 01020304050607081112131480000000 c232ecfc 32a6",
    );
    for (value, _, _) in RC {
        let has_reth = decoded(Link::InfiniBand, &with_opcode(value)).reth().is_some();
        assert_eq!(
            has_reth,
            [0x06, 0x0A, 0x0B, 0x0C].contains(&value),
            "{value:02X}h"
        );
    }
}
