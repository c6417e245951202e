//! The protocol as pure functions: each takes a context and an event, and returns a new context and actions. They are
//! lists of named checks, each with its source.
pub mod address;
pub mod admission;
pub mod arbitration;
pub mod credits;
pub mod link;
pub mod link_packet;
pub mod mtu;
pub mod partition;
pub mod port_state;
pub mod protection;
pub mod requester;
pub mod responder;
pub mod special_qps;
pub mod static_rate;
pub mod timer;
pub mod transition;
pub mod uc;
pub mod ud;
pub mod vl;

use crate::event::DropReason;
use std::fmt;

/// What a device does with an inbound packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The responder executes a new request.
    Execute,
    /// The responder acknowledges a duplicate request again and does not execute it.
    Duplicate,
    /// The responder schedules a NAK or RNR NAK with this PSN.
    Refuse { syndrome: u8, psn: u32 },
    /// The requester takes a response.
    Accept,
    /// The device drops the packet; only a counter changes.
    Drop(DropReason),
}

/// A verdict and its source in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub verdict: Verdict,
    pub citation: &'static str,
}

impl Verdict {
    /// Makes a ruling of the verdict and its source.
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
