//! A row of the table of opcodes.
use Header::*;

/// The operation of a packet.
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
    /// Resynchronisation, for RD only.
    Resync,
}

/// The place of a packet in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    First,
    Middle,
    Last,
    Only,
}

/// An extended transport header. The order is that in which they follow the BTH (`headers.md` section 2).
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
    /// Returns the length on the wire in bytes (`headers.csv`).
    pub fn bytes(self) -> usize {
        match self {
            Rdeth | Aeth | ImmDt | Ieth => 4,
            Deth | AtomicAckEth => 8,
            Reth => 16,
            AtomicEth => 28,
        }
    }
}

/// A row of the table of opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode {
    pub value: u8,
    pub name: &'static str,
    pub operation: Operation,
    pub position: Position,
    /// Extended headers, in the order of the wire.
    pub headers: &'static [Header],
}
