//! BTH opcodes (`opcodes.csv`): the transport class first, then what a packet does, where in its message it
//! stands, and which headers it carries.
use Header::*;
use Operation::*;
use Position::*;

/// Transport class of an opcode, its bits 7:5 (`headers.md` section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Rc,
    Uc,
    Rd,
    Ud,
    CongestionNotification,
    Xrc,
    Vendor,
    Reserved,
}

/// What a packet does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Send,
    Write,
    Read,
    ReadResponse,
    Acknowledge,
    AtomicAcknowledge,
    CompareSwap,
    FetchAdd,
}

/// Where in its message a packet stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    First,
    Middle,
    Last,
    Only,
}

/// Extended transport headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    Deth,
    Reth,
    AtomicEth,
    Aeth,
    AtomicAckEth,
    ImmDt,
    Ieth,
}

impl Header {
    /// Bytes on the wire (`headers.csv`).
    pub fn bytes(self) -> usize {
        match self {
            Aeth | ImmDt | Ieth => 4,
            Deth | AtomicAckEth => 8,
            Reth => 16,
            AtomicEth => 28,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode {
    pub value: u8,
    pub name: &'static str,
    pub operation: Operation,
    pub position: Position,
    /// In the order of the wire.
    pub headers: &'static [Header],
}

/// RC Send, by position.
pub const RC_SEND_FIRST: u8 = 0x00;
pub const RC_SEND_MIDDLE: u8 = 0x01;
pub const RC_SEND_LAST: u8 = 0x02;
pub const RC_SEND_ONLY: u8 = 0x04;
/// RC ack or NAK.
pub const RC_ACKNOWLEDGE: u8 = 0x11;

impl Transport {
    /// Class of an opcode, defined or not.
    pub fn of(opcode: u8) -> Transport {
        match opcode >> 5 {
            0b000 => Transport::Rc,
            0b001 => Transport::Uc,
            0b010 => Transport::Rd,
            0b011 => Transport::Ud,
            0b100 => Transport::CongestionNotification,
            0b101 => Transport::Xrc,
            0b111 => Transport::Vendor,
            _ => Transport::Reserved,
        }
    }
}

impl Opcode {
    /// Row of this value; none if reserved, or of a class that the table does not hold.
    pub fn of(value: u8) -> Option<&'static Opcode> {
        TABLE
            .binary_search_by_key(&value, |o| o.value)
            .ok()
            .map(|at| &TABLE[at])
    }

    /// True of what a requester receives.
    pub fn is_response(&self) -> bool {
        matches!(self.operation, ReadResponse | Acknowledge | AtomicAcknowledge)
    }

    /// True of the packet that begins a message.
    pub fn begins(&self) -> bool {
        matches!(self.position, First | Only)
    }

    /// True of the packet that ends a message.
    pub fn ends(&self) -> bool {
        matches!(self.position, Last | Only)
    }

    /// Bytes of all extended headers.
    pub fn header_bytes(&self) -> usize {
        self.headers.iter().map(|h| h.bytes()).sum()
    }
}

const fn row(
    value: u8,
    name: &'static str,
    operation: Operation,
    position: Position,
    headers: &'static [Header],
) -> Opcode {
    Opcode {
        value,
        name,
        operation,
        position,
        headers,
    }
}

/// By ascending value.
#[rustfmt::skip]
static TABLE: [Opcode; 37] = [
    row(0x00, "RC_SEND_FIRST", Send, First, &[]),
    row(0x01, "RC_SEND_MIDDLE", Send, Middle, &[]),
    row(0x02, "RC_SEND_LAST", Send, Last, &[]),
    row(0x03, "RC_SEND_LAST_WITH_IMMEDIATE", Send, Last, &[ImmDt]),
    row(0x04, "RC_SEND_ONLY", Send, Only, &[]),
    row(0x05, "RC_SEND_ONLY_WITH_IMMEDIATE", Send, Only, &[ImmDt]),
    row(0x06, "RC_RDMA_WRITE_FIRST", Write, First, &[Reth]),
    row(0x07, "RC_RDMA_WRITE_MIDDLE", Write, Middle, &[]),
    row(0x08, "RC_RDMA_WRITE_LAST", Write, Last, &[]),
    row(0x09, "RC_RDMA_WRITE_LAST_WITH_IMMEDIATE", Write, Last, &[ImmDt]),
    row(0x0A, "RC_RDMA_WRITE_ONLY", Write, Only, &[Reth]),
    row(0x0B, "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", Write, Only, &[Reth, ImmDt]),
    row(0x0C, "RC_RDMA_READ_REQUEST", Read, Only, &[Reth]),
    row(0x0D, "RC_RDMA_READ_RESPONSE_FIRST", ReadResponse, First, &[Aeth]),
    row(0x0E, "RC_RDMA_READ_RESPONSE_MIDDLE", ReadResponse, Middle, &[]),
    row(0x0F, "RC_RDMA_READ_RESPONSE_LAST", ReadResponse, Last, &[Aeth]),
    row(0x10, "RC_RDMA_READ_RESPONSE_ONLY", ReadResponse, Only, &[Aeth]),
    row(0x11, "RC_ACKNOWLEDGE", Acknowledge, Only, &[Aeth]),
    row(0x12, "RC_ATOMIC_ACKNOWLEDGE", AtomicAcknowledge, Only, &[Aeth, AtomicAckEth]),
    row(0x13, "RC_COMPARE_SWAP", CompareSwap, Only, &[AtomicEth]),
    row(0x14, "RC_FETCH_ADD", FetchAdd, Only, &[AtomicEth]),
    row(0x16, "RC_SEND_LAST_WITH_INVALIDATE", Send, Last, &[Ieth]),
    row(0x17, "RC_SEND_ONLY_WITH_INVALIDATE", Send, Only, &[Ieth]),
    row(0x20, "UC_SEND_FIRST", Send, First, &[]),
    row(0x21, "UC_SEND_MIDDLE", Send, Middle, &[]),
    row(0x22, "UC_SEND_LAST", Send, Last, &[]),
    row(0x23, "UC_SEND_LAST_WITH_IMMEDIATE", Send, Last, &[ImmDt]),
    row(0x24, "UC_SEND_ONLY", Send, Only, &[]),
    row(0x25, "UC_SEND_ONLY_WITH_IMMEDIATE", Send, Only, &[ImmDt]),
    row(0x26, "UC_RDMA_WRITE_FIRST", Write, First, &[Reth]),
    row(0x27, "UC_RDMA_WRITE_MIDDLE", Write, Middle, &[]),
    row(0x28, "UC_RDMA_WRITE_LAST", Write, Last, &[]),
    row(0x29, "UC_RDMA_WRITE_LAST_WITH_IMMEDIATE", Write, Last, &[ImmDt]),
    row(0x2A, "UC_RDMA_WRITE_ONLY", Write, Only, &[Reth]),
    row(0x2B, "UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", Write, Only, &[Reth, ImmDt]),
    row(0x64, "UD_SEND_ONLY", Send, Only, &[Deth]),
    row(0x65, "UD_SEND_ONLY_WITH_IMMEDIATE", Send, Only, &[Deth, ImmDt]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.windows(2).all(|w| w[0].value < w[1].value));
    }

    /// CF002: bth_plus_ext_bytes of opcodes.csv.
    #[test]
    fn header_bytes_of_rc() {
        let ext: [usize; 23] = [
            0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, 4, 4,
        ];
        let rc = TABLE.iter().filter(|o| Transport::of(o.value) == Transport::Rc);
        assert_eq!(rc.map(Opcode::header_bytes).collect::<Vec<_>>(), ext);
    }

    /// CF003: UC has the requests of RC up to Write, each 20h higher.
    #[test]
    fn uc_is_rc_plus_20h() {
        for uc in TABLE.iter().filter(|o| Transport::of(o.value) == Transport::Uc) {
            let rc = Opcode::of(uc.value - 0x20).unwrap();
            assert_eq!(
                (rc.operation, rc.position, rc.headers),
                (uc.operation, uc.position, uc.headers)
            );
        }
        assert!(Opcode::of(0x2B).is_some() && Opcode::of(0x2C).is_none());
    }

    /// CF073: codes that are reserved for RC, or later additions out of scope.
    #[test]
    fn reserved_codes_have_no_row() {
        for code in [0x15].into_iter().chain(0x18..0x20) {
            assert_eq!(Opcode::of(code), None);
            assert_eq!(Transport::of(code), Transport::Rc);
        }
    }
}
