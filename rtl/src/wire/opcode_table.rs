//! The headers that belong to each opcode (`protocol/opcodes.csv`).
use hca_hdl::prelude::*;

/// Looks up which extended headers follow the BTH of an opcode; they follow in the order of the ports.
///
/// RC opcodes without a row are known and have a BTH alone: the responder answers them (`protocol/responder.md`
/// section 1 step 10, CF073). Everything else without a row of RC, UC, RD or UD is unknown.
#[derive(LogicBlock, SmartDefault)]
pub struct OpcodeTable {
    /// Opcode of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// High if the opcode is known; a packet with an unknown one is dropped.
    pub known: Signal<Out, Bit>,
    /// Number of 32-bit words of BTH and extended headers, 3 to 13.
    pub words: Signal<Out, Bits<4>>,
    /// High if the packet has an RDETH.
    pub rdeth: Signal<Out, Bit>,
    /// High if the packet has a DETH.
    pub deth: Signal<Out, Bit>,
    /// High if the packet has a RETH.
    pub reth: Signal<Out, Bit>,
    /// High if the packet has an AtomicETH.
    pub atomic_eth: Signal<Out, Bit>,
    /// High if the packet has an AETH.
    pub aeth: Signal<Out, Bit>,
    /// High if the packet has an AtomicAckETH.
    pub atomic_ack_eth: Signal<Out, Bit>,
    /// High if the packet has an ImmDt.
    pub immdt: Signal<Out, Bit>,
    /// High if the packet has an IETH.
    pub ieth: Signal<Out, Bit>,
    #[default(Rom::new((0..256).map(|opcode| entry(opcode).into())))]
    entries: Rom<13, 8>,
}

const RDETH: u64 = 1 << 4;
const DETH: u64 = 1 << 5;
const RETH: u64 = 1 << 6;
const ATOMIC_ETH: u64 = 1 << 7;
const AETH: u64 = 1 << 8;
const ATOMIC_ACK_ETH: u64 = 1 << 9;
const IMMDT: u64 = 1 << 10;
const IETH: u64 = 1 << 11;
const KNOWN: u64 = 1 << 12;

/// 32-bit words of each extended header (`protocol/headers.csv`).
const WORDS: [(u64, u64); 8] = [
    (RDETH, 1),
    (DETH, 2),
    (RETH, 4),
    (ATOMIC_ETH, 7),
    (AETH, 1),
    (ATOMIC_ACK_ETH, 2),
    (IMMDT, 1),
    (IETH, 1),
];

/// Extended headers of an RC opcode by its low five bits; none: it has no row.
fn reliable(code: usize) -> Option<u64> {
    Some(match code {
        0x00..=0x02 | 0x04 | 0x07 | 0x08 | 0x0E => 0,
        0x03 | 0x05 | 0x09 => IMMDT,
        0x06 | 0x0A | 0x0C => RETH,
        0x0B => RETH | IMMDT,
        0x0D | 0x0F..=0x11 => AETH,
        0x12 => AETH | ATOMIC_ACK_ETH,
        0x13 | 0x14 => ATOMIC_ETH,
        0x16 | 0x17 => IETH,
        _ => return None,
    })
}

/// Extended headers of an opcode; none: unknown.
fn headers(opcode: usize) -> Option<u64> {
    let (class, code) = (opcode >> 5, opcode & 0x1F);
    match (class, code) {
        (0, _) => Some(reliable(code).unwrap_or(0)),
        (1, 0x00..=0x0B) => reliable(code),
        (2, 0x0D..=0x12) => Some(RDETH | reliable(code)?),
        (2, 0x00..=0x14) => Some(RDETH | DETH | reliable(code)?),
        (2, 0x15) => Some(RDETH | DETH),
        (3, 0x04) => Some(DETH),
        (3, 0x05) => Some(DETH | IMMDT),
        _ => None,
    }
}

fn entry(opcode: usize) -> u64 {
    let Some(headers) = headers(opcode) else {
        return 3;
    };
    let present = WORDS.iter().filter(|(header, _)| headers & header != 0);
    KNOWN | headers | (3 + present.map(|(_, words)| words).sum::<u64>())
}

#[kernel]
impl Logic for OpcodeTable {
    fn update(&mut self) {
        self.entries.address.next = self.opcode.val();
        self.words.next = self.entries.data.val().get_bits::<4>(0);
        self.rdeth.next = self.entries.data.val().get_bit(4);
        self.deth.next = self.entries.data.val().get_bit(5);
        self.reth.next = self.entries.data.val().get_bit(6);
        self.atomic_eth.next = self.entries.data.val().get_bit(7);
        self.aeth.next = self.entries.data.val().get_bit(8);
        self.atomic_ack_eth.next = self.entries.data.val().get_bit(9);
        self.immdt.next = self.entries.data.val().get_bit(10);
        self.ieth.next = self.entries.data.val().get_bit(11);
        self.known.next = self.entries.data.val().get_bit(12);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of BTH and extended headers, from the rows of the opcode list.
    const ROWS: [(usize, u64); 27] = [
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
        (0x20, 12),
    ];

    #[test]
    fn lengths() {
        for (opcode, bytes) in ROWS {
            assert_eq!(4 * (entry(opcode) & 15), bytes, "opcode {opcode:02x}");
        }
    }

    /// RC altogether, UC 20h to 2Bh, RD 40h to 55h, UD 64h and 65h.
    #[test]
    fn what_is_known() {
        for opcode in 0..256 {
            let known = matches!(opcode, 0x00..=0x1F | 0x20..=0x2B | 0x40..=0x55 | 0x64 | 0x65);
            assert_eq!(entry(opcode) & KNOWN != 0, known, "opcode {opcode:02x}");
        }
    }
}
