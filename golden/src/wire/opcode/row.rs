//! A row of the table of opcodes.
use Header::*;

/// Operation of a packet.
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
    /// For RD only.
    Resync,
}

/// Place of a packet in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    First,
    Middle,
    Last,
    Only,
}

/// Extended transport headers, in the order in which they follow the BTH (`headers.md` section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Header {
    Rdeth,
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
            Rdeth | Aeth | ImmDt | Ieth => 4,
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
