//! What a device still owes.
use crate::verbs::{QpState, QueueSide, Status};
use std::fmt;

/// Something that must happen before the device may rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// WQEs were posted and the device has not reported the doorbell.
    Doorbell {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// An inbound packet was neither taken nor dropped.
    Packet { packet: u32 },
    /// A packet with AckReq, or a NAK, was not answered.
    Ack { qpn: u32, psn: u32, syndrome: u8 },
    /// An announced send WQE has packets that were not sent.
    Request { qpn: u32, psn: u32 },
    /// A completion was not written.
    Completion {
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    },
    /// A change of state was not reported.
    State { qpn: u32, state: QpState },
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Due::Doorbell { qpn, side, producer } => {
                write!(f, "doorbell {producer} of the {side:?} queue of QP {qpn:06X}h")
            }
            Due::Packet { packet } => write!(f, "decision on packet {packet}"),
            Due::Ack { qpn, psn, syndrome } => {
                write!(f, "response {syndrome:02X}h for PSN {psn} of QP {qpn:06X}h")
            }
            Due::Request { qpn, psn } => write!(f, "request PSN {psn} of QP {qpn:06X}h"),
            Due::Completion {
                cqn,
                qpn,
                side,
                index,
                status,
            } => write!(
                f,
                "completion {status:?} of {side:?} WQE {index} of QP {qpn:06X}h in CQ {cqn}"
            ),
            Due::State { qpn, state } => write!(f, "change of QP {qpn:06X}h to {state:?}"),
        }
    }
}
