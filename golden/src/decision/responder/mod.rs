//! RC responder (`responder.md`).
mod check;
mod duplicate;
mod execute;
pub mod resource;

pub use check::{judge, needs_receive_wqe, takes_receive_wqe};
pub use duplicate::is_superseded;
pub use execute::{access, answered, fail, step};

use crate::psn;
use crate::verbs::{RemoteAccess, Status};
use crate::wire::opcode::{Header, Opcode, Operation};
use crate::wire::reth::Reth;
use resource::Resources;

/// Stands in place of a NAK's syndrome for a request that is refused without an answer, because its R_Key cannot be
/// invalidated (`responder.md` section 5). A device may find this before or after it places the payload.
pub const UNANSWERED: u8 = 0x00;

/// State of the receiving side of a QP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Payload of a full packet, in bytes.
    pub pmtu: usize,
    /// Timer code of RNR NAKs, 5 bits.
    pub min_rnr_timer: u8,
    /// Accesses that the peer may make.
    pub enabled: RemoteAccess,
    /// The device supports Writes, Reads and atomics.
    pub remote_access: bool,
    /// The device supports Send with Invalidate.
    pub invalidates: bool,
    /// ePSN, 24 bits.
    pub expected_psn: u32,
    /// Number of messages completed, 24 bits.
    pub msn: u32,
    /// PSN of the latest Send or Write executed, which an ack for a duplicate carries; 24 bits.
    pub ackable_psn: u32,
    /// The message of several packets that is under way.
    pub open: Option<Open>,
    /// Which NAK waits for the expected PSN (section 7).
    pub outstanding_nak: OutstandingNak,
    /// Reads and atomics whose duplicates can be answered.
    pub resources: Resources,
}

/// A message of several packets whose last packet has not arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    Send { received: u64 },
    Write { target: Reth, received: u64 },
}

/// Which NAK waits for the expected PSN to arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutstandingNak {
    #[default]
    None,
    Sequence,
    Rnr,
}

/// An admitted request and the results of its look-ups.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Row of the opcode table; `None` for a reserved code.
    pub opcode: Option<&'static Opcode>,
    /// PSN, 24 bits.
    pub psn: u32,
    /// The packet requests an ack (AckReq).
    pub ack_req: bool,
    /// Length of the payload in bytes.
    pub length: usize,
    /// Address, key and length: those of a RETH, or of an AtomicETH with length 8.
    pub target: Option<Reth>,
    pub operands: Option<Operands>,
    /// R_Key of an IETH.
    pub invalidate: Option<u32>,
    /// Receive WQE that the request uses or would take; `None` if there is none.
    pub receive_wqe: Option<ReceiveWqe>,
    /// True if the access of [`access`] is permitted.
    pub permitted: bool,
    /// True if the key of `invalidate` may be invalidated.
    pub may_invalidate: bool,
    /// The 64 bits at the target of an atomic.
    pub original: u64,
    /// Number of answers of the QP that wait to leave; of a Read, all of its packets are one.
    pub answers_waiting: usize,
}

/// Operands of an atomic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// Swap data of a CompareSwap, or addend of a FetchAdd.
    pub swap_add: u64,
    pub compare: u64,
}

/// A receive WQE, as the responder sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveWqe {
    /// Sum of the lengths of all SGEs, in bytes.
    pub room: u64,
    /// True if the SGEs that this payload reaches may be written.
    pub payload_permitted: bool,
    /// True if all its SGEs may be written.
    pub permitted: bool,
}

/// An action that a request causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Writes the payload to the receive WQE, at this offset in bytes.
    Place { offset: u64 },
    /// Writes the payload to this address under this R_Key.
    Store { va: u64, r_key: u32 },
    /// Writes 64 bits to this address under this R_Key.
    StoreAtomic { va: u64, r_key: u32, value: u64 },
    /// Invalidates the R_Key.
    Invalidate { r_key: u32 },
    /// Makes a response due, or only permitted if it is not `required`.
    Respond {
        psn: u32,
        syndrome: u8,
        msn: u32,
        required: bool,
    },
    /// Permits the same response to leave behind all scheduled ones, unless only acks are scheduled.
    RespondLast { psn: u32, syndrome: u8, msn: u32 },
    /// Makes read responses due; the first has this PSN.
    RespondWithData { psn: u32, data: Reth, msn: u32 },
    /// Makes the answer to an atomic due; with `again`, the answer to its duplicate.
    RespondWithOriginal {
        psn: u32,
        original: u64,
        msn: u32,
        again: bool,
    },
    /// Completes the receive WQE with this many bytes.
    Complete { byte_count: u32, of: Completed },
    /// Completes the open receive WQE in error; if none is open, reports the error. Status `other` may replace `status`
    /// if it describes a second fault of the same packet.
    CompleteInError { status: Status, other: Option<Status> },
    /// Raises the asynchronous access-error event of the QP.
    ReportAccessError,
    /// Moves the QP to Error.
    Fail,
}

/// The kind of message that a receive WQE completes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    Send,
    SendWithInvalidate { r_key: u32 },
    WriteWithImmediate,
}

impl Open {
    /// Returns the number of bytes received so far.
    pub fn received(&self) -> u64 {
        match *self {
            Open::Send { received } | Open::Write { received, .. } => received,
        }
    }

    /// Returns the operation of the message.
    pub fn operation(&self) -> Operation {
        match self {
            Open::Send { .. } => Operation::Send,
            Open::Write { .. } => Operation::Write,
        }
    }
}

impl Context {
    /// Returns the number of bytes of the open message before this request.
    fn received(&self) -> u64 {
        self.open.map_or(0, |open| open.received())
    }

    /// Returns the target of the Write to which the request belongs.
    fn write_target(&self, request: &Request) -> Option<Reth> {
        match self.open {
            Some(Open::Write { target, .. }) => Some(target),
            _ => request.target,
        }
    }
}

impl Request {
    fn operation(&self) -> Option<Operation> {
        self.opcode.map(|o| o.operation)
    }

    fn is_atomic(&self) -> bool {
        matches!(
            self.operation(),
            Some(Operation::CompareSwap | Operation::FetchAdd)
        )
    }

    fn is_read_or_atomic(&self) -> bool {
        self.is_atomic() || self.operation() == Some(Operation::Read)
    }

    fn has(&self, header: Header) -> bool {
        self.opcode.is_some_and(|o| o.headers.contains(&header))
    }

    /// Returns true for a Send, and for the packet of a Write that carries immediate data (`aeth.md` section 5).
    fn uses_receive_wqe(&self) -> bool {
        self.operation() == Some(Operation::Send) || self.has(Header::ImmDt)
    }

    /// Returns the number of PSNs that the request takes.
    fn psns(&self, pmtu: usize) -> u32 {
        match self.target {
            Some(t) if self.operation() == Some(Operation::Read) => {
                crate::wire::length::packets(t.dma_len.into(), pmtu)
            }
            _ => 1,
        }
    }

    /// Returns the PSN after the last one that the request takes.
    fn next_psn(&self, pmtu: usize) -> u32 {
        psn::add(self.psn, self.psns(pmtu))
    }
}

#[cfg(test)]
mod tests;
