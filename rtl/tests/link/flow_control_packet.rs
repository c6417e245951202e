//! Flow-control packets of `protocol/fcp_vectors.csv` and `protocol/link.md` section 4.
use crate::bench::{library, Bench};
use hca_rtl::link::FlowControlPacket;

/// Op, FCTBS, VL, FCCL, the six bytes.
const VECTORS: [(u64, u64, u64, u64, u64); 7] = [
    (1, 0, 0, 64, 0x1000_0040_5C6D),
    (0, 291, 3, 1110, 0x0123_3456_D19F),
    (0, 4095, 14, 2047, 0x0FFF_E7FF_0484),
    (1, 0, 0, 0, 0x1000_0000_5805),
    (0, 4095, 0, 63, 0x0FFF_003F_69A6),
    (0, 32, 1, 2080, 0x0020_1820_298F),
    (0, 0x123, 3, 0x456, 0x0123_3456_D19F),
];

#[test]
fn every_vector() {
    let mut bench = Bench::without_clock(&library::<FlowControlPacket>("flow_control_packet"), 1);
    for (op, fctbs, vl, fccl, bytes) in VECTORS {
        for (name, value) in [("op", op), ("fctbs", fctbs), ("vl", vl), ("fccl", fccl)] {
            bench.set(name, value);
        }
        bench.follow();
        assert_eq!(bench.get("bytes"), bytes, "{bytes:012X}");
    }
}
