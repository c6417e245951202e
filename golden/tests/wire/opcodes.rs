//! Names and headers of opcodes (`opcodes.csv`); the packets that they begin are conformance cases.
use super::formats::{encoded, packet};
use super::{decoded, reason};
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::wire::opcode::Opcode;

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
fn rc_opcodes_have_their_names_and_headers() {
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
fn uc_opcodes_have_the_names_and_headers_of_rc() {
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
