//! The checks of an arriving link packet, one by one (`link.md` section 4.1).
use super::crc::link_packet;
use crate::bench::{library_of, Bench};
use hca_rtl::link::FlowControlCheck;

/// Rows of `fcp_vectors.csv`: the packet, Op, FCTBS, VL, FCCL.
const VECTORS: [([u8; 6], u8, u16, u8, u16); 6] = [
    ([0x10, 0x00, 0x00, 0x40, 0x5C, 0x6D], 1, 0, 0, 64),
    ([0x01, 0x23, 0x34, 0x56, 0xD1, 0x9F], 0, 291, 3, 1110),
    ([0x0F, 0xFF, 0xE7, 0xFF, 0x04, 0x84], 0, 4095, 14, 2047),
    ([0x10, 0x00, 0x00, 0x00, 0x58, 0x05], 1, 0, 0, 0),
    ([0x0F, 0xFF, 0x00, 0x3F, 0x69, 0xA6], 0, 4095, 0, 63),
    ([0x00, 0x20, 0x18, 0x20, 0x29, 0x8F], 0, 32, 1, 2080),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Taken,
    Counted,
    Ignored,
}
use Fate::{Counted, Ignored, Taken};

struct Check(Bench);

impl Check {
    fn of(vls: usize) -> Check {
        let block = FlowControlCheck::new(vls);
        let mut bench = Bench::without_clock(&library_of(block, "flow_control_check"), 1);
        bench.set("whole", 1);
        bench.set("looks", 1);
        Check(bench)
    }

    fn fate(&mut self, packet: &[u8], data_vls: u8, armed: bool) -> Fate {
        let word = packet.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        self.0.set("packet", word);
        self.0.set("data_vls", data_vls.into());
        self.0.set("armed", armed.into());
        self.0.follow();
        match (self.0.is_set("takes"), self.0.is_set("faulty")) {
            (true, false) => Taken,
            (false, true) => Counted,
            (false, false) => Ignored,
            (true, true) => panic!("taken and faulty"),
        }
    }
}

#[test]
fn published_packets_are_taken() {
    let mut check = Check::of(15);
    for (bytes, op, fctbs, vl, fccl) in VECTORS {
        assert_eq!(link_packet(op, fctbs, vl, fccl), bytes, "the bench");
        for armed in [false, true] {
            assert_eq!(check.fate(&bytes, 15, armed), Taken);
        }
        check.0.set("whole", 0);
        assert_eq!(check.fate(&bytes, 15, true), Counted);
        check.0.set("whole", 1);
        check.0.set("looks", 0);
        assert_eq!(check.fate(&bytes, 15, true), Ignored);
        check.0.set("looks", 1);
    }
}

/// CF440.
#[test]
fn no_bit_error_passes() {
    let mut check = Check::of(15);
    let flipped = |bytes: &[u8; 6], bits: &[usize]| {
        let mut bytes = *bytes;
        for bit in bits {
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        bytes
    };
    for (bytes, ..) in VECTORS {
        for first in 0..48 {
            assert_eq!(check.fate(&flipped(&bytes, &[first]), 15, false), Counted);
        }
    }
    for first in 0..48 {
        for second in 0..first {
            let bytes = flipped(&VECTORS[1].0, &[first, second]);
            assert_eq!(check.fate(&bytes, 15, true), Counted);
        }
    }
}

/// CF441 and CF442.
#[test]
fn op_and_vl_must_be_known() {
    let mut check = Check::of(4);
    for armed in [false, true] {
        for op in 0..16 {
            let expected = if op < 2 { Taken } else { Counted };
            assert_eq!(
                check.fate(&link_packet(op, 77, 1, 99), 4, armed),
                expected,
                "Op {op}"
            );
        }
        for data_vls in [1, 2, 4] {
            for vl in 0..16 {
                let expected = match (vl < data_vls, vl < 4, armed) {
                    (true, ..) => Taken,
                    (false, true, false) => Ignored,
                    _ => Counted,
                };
                let packet = link_packet(0, 4095, vl, 4095);
                assert_eq!(
                    check.fate(&packet, data_vls, armed),
                    expected,
                    "VL {vl} of {data_vls}"
                );
            }
        }
        // A VL that is not operational makes no packet good that is bad.
        let mut packet = link_packet(0, 5, 3, 5);
        packet[5] ^= 1;
        assert_eq!(check.fate(&packet, 1, armed), Counted);
    }
}
