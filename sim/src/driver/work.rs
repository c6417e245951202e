//! Work requests, and their encoding as queue entries.
use super::ring::Body;
use super::DriverError;
use hca_host::wqe::{self, Datagram, Segment, Wqe};

/// Longest message in bytes.
const MAX_MESSAGE: u64 = 1 << 31;
/// Length of an atomic in bytes, to which its target is aligned.
const ATOMIC_BYTES: u32 = 8;

/// The operation of a send work request. `va` is the address of the first byte at the peer, and `r_key` the peer's key
/// for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    #[default]
    Send,
    /// The immediate data is given as it stands on the wire.
    SendWithImmediate {
        immediate: [u8; 4],
    },
    /// The peer invalidates its `r_key`.
    SendWithInvalidate {
        r_key: u32,
    },
    Write {
        va: u64,
        r_key: u32,
    },
    WriteWithImmediate {
        va: u64,
        r_key: u32,
        immediate: [u8; 4],
    },
    Read {
        va: u64,
        r_key: u32,
    },
    CompareSwap {
        va: u64,
        r_key: u32,
        compare: u64,
        swap: u64,
    },
    FetchAdd {
        va: u64,
        r_key: u32,
        add: u64,
    },
}

/// A message to post.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendWork {
    pub wr_id: u64,
    pub operation: Operation,
    pub segments: Vec<Segment>,
    /// A success makes a completion, too.
    pub signaled: bool,
    /// The message requests a solicited event at the receiver.
    pub solicited: bool,
    /// The message waits for all earlier Reads and atomics.
    pub fence: bool,
    /// The data is copied when the request is posted; its L_Keys are ignored.
    pub inline: bool,
    /// The receiver; given for a queue pair of UD only.
    pub datagram: Option<Datagram>,
}

/// A receive buffer to post.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiveWork {
    pub wr_id: u64,
    pub segments: Vec<Segment>,
}

impl Operation {
    /// Returns true for CompareSwap and FetchAdd.
    fn is_atomic(&self) -> bool {
        matches!(self, Self::CompareSwap { .. } | Self::FetchAdd { .. })
    }

    /// Returns true if the answer is data rather than an ack.
    pub(super) fn is_read_or_atomic(&self) -> bool {
        self.is_atomic() || matches!(self, Self::Read { .. })
    }

    /// Returns the operation code in the entry.
    fn code(&self) -> u8 {
        match self {
            Self::Send => wqe::OP_SEND,
            Self::SendWithImmediate { .. } => wqe::OP_SEND_IMMEDIATE,
            Self::SendWithInvalidate { .. } => wqe::OP_SEND_INVALIDATE,
            Self::Write { .. } => wqe::OP_WRITE,
            Self::WriteWithImmediate { .. } => wqe::OP_WRITE_IMMEDIATE,
            Self::Read { .. } => wqe::OP_READ,
            Self::CompareSwap { .. } => wqe::OP_COMPARE_SWAP,
            Self::FetchAdd { .. } => wqe::OP_FETCH_ADD,
        }
    }

    /// Returns the immediate data, or the R_Key in its place.
    fn immediate(&self) -> [u8; 4] {
        match *self {
            Self::SendWithImmediate { immediate } | Self::WriteWithImmediate { immediate, .. } => immediate,
            Self::SendWithInvalidate { r_key } => r_key.to_be_bytes(),
            _ => [0; 4],
        }
    }

    /// Returns address and R_Key at the peer.
    fn remote(&self) -> (u64, u32) {
        match *self {
            Self::Write { va, r_key }
            | Self::WriteWithImmediate { va, r_key, .. }
            | Self::Read { va, r_key }
            | Self::CompareSwap { va, r_key, .. }
            | Self::FetchAdd { va, r_key, .. } => (va, r_key),
            Self::Send | Self::SendWithImmediate { .. } | Self::SendWithInvalidate { .. } => (0, 0),
        }
    }

    /// Returns the compare data, and the swap or add data.
    fn operands(&self) -> Option<(u64, u64)> {
        match *self {
            Self::CompareSwap { compare, swap, .. } => Some((compare, swap)),
            Self::FetchAdd { add, .. } => Some((0, add)),
            _ => None,
        }
    }
}

impl SendWork {
    /// Makes a message that completes on success, too.
    pub fn signaled(wr_id: u64, operation: Operation, segments: Vec<Segment>) -> SendWork {
        SendWork {
            wr_id,
            operation,
            segments,
            signaled: true,
            ..SendWork::default()
        }
    }

    /// Returns the entry of this request and its data; `Err` for a request that no queue pair can carry out.
    pub(super) fn entry(&self) -> Result<(Wqe, Body<'_>), DriverError> {
        let length = message_length(&self.segments)?;
        let operation = &self.operation;
        if self.inline && operation.is_read_or_atomic() {
            return Err(DriverError::InlineResult);
        }
        if self.inline && length as usize > wqe::MAX_INLINE {
            let (found, limit) = (length, wqe::MAX_INLINE);
            return Err(DriverError::InlineTooLong { found, limit });
        }
        let body = match (operation.operands(), &self.segments[..]) {
            (None, segments) if self.inline => Body::Inline(segments),
            (None, segments) => Body::Segments(segments),
            (Some((compare, swap_add)), &[target])
                if target.length >= ATOMIC_BYTES && target.addr % u64::from(ATOMIC_BYTES) == 0 =>
            {
                Body::Atomic {
                    target,
                    compare,
                    swap_add,
                }
            }
            (Some(_), _) => return Err(DriverError::AtomicTarget),
        };
        let (remote_va, r_key) = operation.remote();
        let flags = [
            (self.signaled, wqe::FLAG_SIGNALED),
            (self.solicited, wqe::FLAG_SOLICITED),
            (self.fence, wqe::FLAG_FENCE),
        ];
        let entry = Wqe {
            operation: operation.code(),
            flags: flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum(),
            immediate: operation.immediate(),
            remote_va,
            r_key,
            length: if operation.is_atomic() {
                ATOMIC_BYTES
            } else {
                length
            },
            datagram: self.datagram,
            ..Wqe::default()
        };
        Ok((entry, body))
    }
}

impl ReceiveWork {
    /// Returns the entry of this request and its data; `Err` for a request that no queue pair can carry out.
    pub(super) fn entry(&self) -> Result<(Wqe, Body<'_>), DriverError> {
        let entry = Wqe {
            length: message_length(&self.segments)?,
            ..Wqe::default()
        };
        Ok((entry, Body::Segments(&self.segments)))
    }
}

/// Returns the length of a scatter/gather list in bytes.
fn message_length(segments: &[Segment]) -> Result<u32, DriverError> {
    let (found, limit) = (segments.len(), wqe::MAX_SGES);
    if found > limit {
        return Err(DriverError::TooManySges { found, limit });
    }
    let length: u64 = segments.iter().map(|s| u64::from(s.length)).sum();
    if length > MAX_MESSAGE {
        return Err(DriverError::MessageTooLong(length));
    }
    Ok(length as u32)
}
