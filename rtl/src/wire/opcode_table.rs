//! What each opcode says about the headers (`protocol/opcodes.csv`).
use crate::primitive::{comment, Rom};
use rust_hdl_core::prelude::*;

/// Header lengths and places by opcode. An unknown or reserved opcode has a BTH and nothing else.
#[derive(LogicBlock)]
pub struct OpcodeTable {
    pub opcode: Signal<In, Bits<8>>,
    /// 32-bit words of BTH and extended headers.
    pub words: Signal<Out, Bits<4>>,
    /// The AETH follows the BTH.
    pub aeth: Signal<Out, Bit>,
    /// The ImmDt follows the BTH.
    pub immediate: Signal<Out, Bit>,
    /// The ImmDt follows BTH and RETH.
    pub immediate_after_reth: Signal<Out, Bit>,
    entries: Rom<7, 8>,
}

const AETH: u64 = 1 << 4;
const IMMEDIATE: u64 = 1 << 5;
const IMMEDIATE_AFTER_RETH: u64 = 1 << 6;

/// Words of BTH and extended headers of the RC opcodes 00h to 14h, without the service's own headers.
const RC_WORDS: [u64; 0x15] = [3, 3, 3, 4, 3, 4, 7, 3, 3, 4, 7, 8, 7, 4, 3, 4, 4, 4, 6, 10, 10];

fn entry(opcode: usize) -> u64 {
    let (service, code) = (opcode >> 5, opcode & 0x1F);
    let words = match code {
        0x16 | 0x17 => 4,
        _ => RC_WORDS.get(code).copied().unwrap_or(3),
    };
    let response = (0x0D..=0x12).contains(&code);
    match (service, code) {
        (0, 0x0D | 0x0F..=0x12) => words | AETH,
        (0 | 1, 0x03 | 0x05 | 0x09) => words | IMMEDIATE,
        (0 | 1, 0x0B) => words | IMMEDIATE_AFTER_RETH,
        (0, _) | (1, 0x00..=0x0B) => words,
        (2, 0x15) => 6,
        (2, 0x00..=0x14) if response => words + 1,
        (2, 0x00..=0x14) => words + 3,
        (3, 0x04) => 5,
        (3, 0x05) => 6,
        (5, 0x00..=0x14 | 0x16 | 0x17) if response => words,
        (5, 0x00..=0x14 | 0x16 | 0x17) => words + 1,
        _ => 3,
    }
}

impl Default for OpcodeTable {
    fn default() -> Self {
        Self {
            opcode: Default::default(),
            words: Default::default(),
            aeth: Default::default(),
            immediate: Default::default(),
            immediate_after_reth: Default::default(),
            entries: Rom::new((0..256).map(|opcode| entry(opcode).into())),
        }
    }
}

impl Logic for OpcodeTable {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module opcode_table");
        self.entries.address.next = self.opcode.val();
        self.words.next = self.entries.data.val().get_bits::<4>(0);
        self.aeth.next = self.entries.data.val().get_bit(4);
        self.immediate.next = self.entries.data.val().get_bit(5);
        self.immediate_after_reth.next = self.entries.data.val().get_bit(6);
    }
}

#[cfg(test)]
mod tests {
    use super::entry;

    /// Bytes of BTH and extended headers, from the rows of the opcode list.
    const ROWS: [(usize, u64); 28] = [
        (0x00, 12),
        (0x03, 16),
        (0x04, 12),
        (0x06, 28),
        (0x0B, 32),
        (0x0C, 28),
        (0x0D, 16),
        (0x0E, 12),
        (0x11, 16),
        (0x12, 24),
        (0x13, 40),
        (0x14, 40),
        (0x16, 16),
        (0x17, 16),
        (0x15, 12),
        (0x1C, 12),
        (0x24, 12),
        (0x2B, 32),
        (0x44, 24),
        (0x4B, 44),
        (0x4E, 16),
        (0x52, 28),
        (0x53, 52),
        (0x55, 24),
        (0x64, 20),
        (0x65, 24),
        (0xAB, 36),
        (0xFF, 12),
    ];

    #[test]
    fn lengths() {
        for (opcode, bytes) in ROWS {
            assert_eq!(4 * (entry(opcode) & 15), bytes, "opcode {opcode:02x}");
        }
        assert_eq!(4 * (entry(0xB1) & 15), 16);
        assert_eq!(4 * (entry(0x31) & 15), 12);
    }
}
