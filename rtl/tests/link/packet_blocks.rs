//! Blocks of packets by their opcode and payload (`protocol/link.md` section 5).
use crate::bench::{library, Bench};
use hca_rtl::link::PacketBlocks;

/// Opcode, GRH, payload in bytes, blocks; the comment says PktLen.
const PACKETS: [(u64, u64, u64, u64); 18] = [
    (0x11, 0, 0, 1),     // 7: acknowledge
    (0x11, 1, 0, 2),     // 17
    (0x04, 0, 0, 1),     // 6: Send Only
    (0x04, 0, 33, 1),    // 15
    (0x04, 0, 36, 1),    // 15
    (0x04, 0, 37, 2),    // 16
    (0x04, 0, 100, 2),   // 31
    (0x04, 0, 101, 3),   // 32
    (0x0A, 0, 20, 1),    // 15: Write Only, with RETH
    (0x0A, 0, 21, 2),    // 16
    (0x13, 0, 0, 1),     // 13: CmpSwap
    (0x64, 0, 256, 5),   // 72: datagram, a MAD
    (0x64, 1, 256, 6),   // 82
    (0x01, 0, 2048, 33), // 518: Send Middle
    (0x01, 0, 4096, 65), // 1030
    (0x64, 0, 4096, 65), // 1032
    (0x64, 1, 4096, 66), // 1042
    (0x0B, 1, 4096, 66), // 1045: Write Only with Immediate
];

#[test]
fn every_length() {
    let mut bench = Bench::without_clock(&library::<PacketBlocks>("packet_blocks"), 1);
    for (opcode, has_grh, payload, blocks) in PACKETS {
        bench.set("opcode", opcode);
        bench.set("has_grh", has_grh);
        bench.set("payload", payload);
        bench.follow();
        assert_eq!(bench.get("blocks"), blocks, "{opcode:02X} {has_grh} {payload}");
    }
}
