//! The protocol: pure functions from a context and an event to a new context and actions, as lists of named
//! checks, each with its source.
pub mod address;
pub mod admission;
pub mod credits;
pub mod link;
pub mod link_packet;
pub mod partition;
pub mod port_state;
pub mod protection;
pub mod requester;
pub mod responder;
pub mod timer;
pub mod transition;
pub mod uc;
pub mod ud;
pub mod vl;

use crate::event::DropReason;
use std::fmt;

/// What happens to an inbound packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A new request is executed.
    Execute,
    /// A duplicate request is acknowledged again, not executed.
    Duplicate,
    /// A NAK or RNR NAK with this PSN is scheduled.
    Refuse { syndrome: u8, psn: u32 },
    /// A response is taken.
    Accept,
    /// The packet has no effect but a counter.
    Drop(DropReason),
}

/// A verdict and its source in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub verdict: Verdict,
    pub citation: &'static str,
}

impl Verdict {
    /// The verdict as a ruling.
    pub fn by(self, citation: &'static str) -> Ruling {
        Ruling {
            verdict: self,
            citation,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Execute => write!(f, "executes it"),
            Verdict::Duplicate => write!(f, "acknowledges it again as a duplicate"),
            Verdict::Refuse { syndrome, psn } => {
                write!(f, "refuses it with syndrome {syndrome:02X}h at PSN {psn}")
            }
            Verdict::Accept => write!(f, "takes it"),
            Verdict::Drop(reason) => write!(f, "drops it for {reason:?}"),
        }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.verdict, self.citation)
    }
}
