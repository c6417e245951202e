//! Work requests, and their encoding as entries.
use super::ring::Body;
use super::DriverError;
use hca_host::wqe::{self, Datagram, Segment, Wqe};

/// Longest message in bytes.
const MAX_MESSAGE: u64 = 1 << 31;
/// Bytes of an atomic; its target is aligned to this.
const ATOMIC_BYTES: u32 = 8;

/// Operation of a send work request. A `va` is the address of the first byte at the peer, and `r_key` the peer's key
/// for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    #[default]
    Send,
    /// Immediate data as it stands on the wire.
    SendWithImmediate {
        immediate: [u8; 4],
    },
    /// Invalidates `r_key` of the peer.
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
    /// Whether to write a completion on success.
    pub signaled: bool,
    /// Whether to request a solicited event at the receiver.
    pub solicited: bool,
    /// Whether to wait for all earlier Reads and atomics.
    pub fence: bool,
    /// Whether the data is copied when the request is posted; keys are ignored then.
    pub inline: bool,
    /// The receiver; given for a queue pair of UD.
    pub datagram: Option<Datagram>,
}

/// A receive buffer to post.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiveWork {
    pub wr_id: u64,
    pub segments: Vec<Segment>,
}

impl Operation {
    /// Whether it is a CompareSwap or FetchAdd.
    fn is_atomic(&self) -> bool {
        matches!(self, Self::CompareSwap { .. } | Self::FetchAdd { .. })
    }

    /// Whether the answer is data, not an ack.
    pub(super) fn is_read_or_atomic(&self) -> bool {
        self.is_atomic() || matches!(self, Self::Read { .. })
    }

    /// Operation code in the entry.
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

    /// Immediate data, or the R_Key in its place.
    fn immediate(&self) -> [u8; 4] {
        match *self {
            Self::SendWithImmediate { immediate } | Self::WriteWithImmediate { immediate, .. } => immediate,
            Self::SendWithInvalidate { r_key } => r_key.to_be_bytes(),
            _ => [0; 4],
        }
    }

    /// Address and R_Key at the peer.
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

    /// Compare data, and swap or add data.
    fn operands(&self) -> Option<(u64, u64)> {
        match *self {
            Self::CompareSwap { compare, swap, .. } => Some((compare, swap)),
            Self::FetchAdd { add, .. } => Some((0, add)),
            _ => None,
        }
    }
}

impl SendWork {
    /// A message that also completes on success.
    pub fn signaled(wr_id: u64, operation: Operation, segments: Vec<Segment>) -> SendWork {
        SendWork {
            wr_id,
            operation,
            segments,
            signaled: true,
            ..SendWork::default()
        }
    }

    /// The entry of this request and its data; refuses requests that no queue pair can carry out.
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
    /// The entry of this request and its data.
    pub(super) fn entry(&self) -> Result<(Wqe, Body<'_>), DriverError> {
        let entry = Wqe {
            length: message_length(&self.segments)?,
            ..Wqe::default()
        };
        Ok((entry, Body::Segments(&self.segments)))
    }
}

/// Bytes of a scatter/gather list.
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
