//! Actions that a device still owes.
use super::choice::doorbells;
use super::queue_pair::QueuePair;
use super::work::start;
use super::{Hca, Port};
use crate::decision::requester::{psn_of, timer_window};
use crate::event::{Event, MemoryFault, RewindCause};
use crate::port::PortState;
use crate::verbs::{HostEvent, QpState, QueueSide, Status};
use std::fmt;

impl Hca {
    /// Returns the actions that must happen before the device may rest. Answers that a peer owes are not included.
    pub fn due(&self) -> Vec<Due> {
        let mut due = Vec::new();
        due.extend(self.undecided());
        for (&qpn, qp) in &self.qps {
            due.extend(doorbells(qp).map(|(side, producer)| Due::Doorbell { qpn, side, producer }));
            let bad = qp.bad_doorbells.iter();
            due.extend(bad.map(|&(side, producer)| Due::DoorbellRefused { qpn, side, producer }));
            if qp.send_fails {
                let state = QpState::Sqe;
                due.push(Due::State { qpn, state });
            }
            if qp.has_to_fail() {
                let state = QpState::Error;
                due.push(Due::State { qpn, state });
            }
            due.extend(qp.completions.iter().flatten().map(|p| Due::Completion {
                cqn: p.cqn,
                qpn,
                side: p.side,
                index: p.index,
                status: p.completion.status,
            }));
            due.extend(qp.unsolicited().map(|psn| Due::UnsolicitedAck { qpn, psn }));
            due.extend(qp.memory.due.iter().map(|&fault| Due::MemoryFault { qpn, fault }));
            due.extend(
                qp.memory
                    .naks
                    .iter()
                    .chain(qp.responses.required())
                    .map(|r| match r.syndrome() {
                        Some(_) => Due::Ack {
                            qpn,
                            psn: r.psn,
                            syndrome: r.own_syndrome(),
                        },
                        None => Due::Response { qpn, psn: r.psn },
                    }),
            );
            due.extend(self.due_of_requester(qpn, qp));
        }
        let modifications = self.modifications();
        due.extend(modifications.map(|(qpn, side, state)| Due::Modification { qpn, side, state }));
        self.ports.iter().for_each(|port| due.extend(due_of_port(port)));
        due.extend(self.armings().map(|(cqn, _)| Due::Arming { cqn }));
        due.extend(self.events_due().into_iter().map(Due::Event));
        due
    }

    /// Returns the decisions about packets that have arrived.
    pub fn undecided(&self) -> impl Iterator<Item = Due> + '_ {
        self.arrivals.keys().map(|&packet| Due::Packet { packet })
    }

    /// Returns true if an action must happen before the device may rest.
    pub fn is_due(&self) -> bool {
        !self.arrivals.is_empty() || !self.due().is_empty()
    }

    fn due_of_requester(&self, qpn: u32, qp: &QueuePair) -> Option<Due> {
        if !qp.sends() || qp.failing() {
            return None;
        }
        if let Some(rewind) = qp.requester.rewind {
            let (psn, cause) = (psn_of(rewind.position), rewind.cause);
            return (rewind.not_before <= self.now).then_some(Due::Rewind { qpn, psn, cause });
        }
        if timer_window(&qp.requester).is_some_and(|(_, last)| self.now > last) {
            return Some(Due::AckTimer { qpn });
        }
        let next = match self.send(qpn, qp)? {
            // A device may leave a WQE until nothing holds its first packet back.
            Event::WqeFetched { .. } => {
                let mut qp = qp.clone();
                start(&mut qp);
                self.send(qpn, &qp)?
            }
            next => next,
        };
        match next {
            Event::SendRefused { index, .. } => Some(Due::SendFault { qpn, index }),
            Event::RequestEmitted { psn, .. } | Event::RequestDiscarded { psn, .. } => {
                Some(Due::Request { qpn, psn })
            }
            _ => None,
        }
    }
}

/// Returns the steps of the port's state and the P_Keys that the device owes.
fn due_of_port(of: &Port) -> Vec<Due> {
    let port = of.number();
    let overdue = (QueueSide::Receive, PortState::Down);
    let steps: Vec<_> = match of.end_of_retraining() {
        Some((_, last)) => (of.now > last).then_some(overdue).into_iter().collect(),
        None => of.port_modifications().collect(),
    };
    let steps = steps
        .into_iter()
        .map(|(side, state)| Due::PortModification { port, side, state });
    let p_key = of.next_p_key();
    let p_key = p_key.map(|(index, p_key)| Due::PKey { port, index, p_key });
    steps.chain(p_key).collect()
}

/// An action that must happen before the device may rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// Report the doorbell of posted WQEs.
    Doorbell {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// Take or drop an inbound packet.
    Packet { packet: u32 },
    /// Send an unsolicited ack that announces new receive WQEs.
    UnsolicitedAck { qpn: u32, psn: u32 },
    /// Send the ack of a packet with AckReq, or a NAK.
    Ack { qpn: u32, psn: u32, syndrome: u8 },
    /// Send a read response or an atomic ack.
    Response { qpn: u32, psn: u32 },
    /// Go back because of a NAK or an RNR wait that is over.
    Rewind { qpn: u32, psn: u32, cause: RewindCause },
    /// Let the ack timer expire.
    AckTimer { qpn: u32 },
    /// End the oldest send WQE, which a local fault stops.
    SendFault { qpn: u32, index: u16 },
    /// Send the next packet of an announced send WQE.
    Request { qpn: u32, psn: u32 },
    /// Write a completion.
    Completion {
        cqn: u32,
        qpn: u32,
        side: QueueSide,
        index: u16,
        status: Status,
    },
    /// Report an error of host memory.
    MemoryFault { qpn: u32, fault: MemoryFault },
    /// Refuse an impossible doorbell.
    DoorbellRefused {
        qpn: u32,
        side: QueueSide,
        producer: u16,
    },
    /// Report that a modification has taken effect on this side.
    Modification {
        qpn: u32,
        side: QueueSide,
        state: QpState,
    },
    /// Report that this side of the port uses this state.
    PortModification {
        port: u8,
        side: QueueSide,
        state: PortState,
    },
    /// Report that the device uses this entry of the port's P_Key table.
    PKey { port: u8, index: u16, p_key: u16 },
    /// Report that an arming has taken effect.
    Arming { cqn: u32 },
    /// Write an event.
    Event(HostEvent),
    /// Report a change of state.
    State { qpn: u32, state: QpState },
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Due::Doorbell { qpn, side, producer } => {
                write!(f, "doorbell {producer} of the {side:?} queue of QP {qpn:06X}h")
            }
            Due::DoorbellRefused { qpn, side, producer } => {
                write!(
                    f,
                    "refusal of doorbell {producer} of the {side:?} queue of QP {qpn:06X}h"
                )
            }
            Due::Modification { qpn, side, state } => {
                write!(f, "QP {qpn:06X}h in {state:?} on the {side:?} side")
            }
            Due::PortModification { port, side, state } => {
                write!(f, "port {port} in {state:?} on the {side:?} side")
            }
            Due::PKey { port, index, p_key } => {
                write!(f, "P_Key {p_key:04X}h at index {index} of port {port}")
            }
            Due::Arming { cqn } => write!(f, "arming of CQ {cqn}"),
            Due::Event(event) => write!(f, "event {event:?}"),
            Due::Packet { packet } => write!(f, "decision on packet {packet}"),
            Due::UnsolicitedAck { qpn, psn } => {
                write!(f, "unsolicited ack at PSN {psn} of QP {qpn:06X}h")
            }
            Due::Ack { qpn, psn, syndrome } => {
                write!(f, "response {syndrome:02X}h for PSN {psn} of QP {qpn:06X}h")
            }
            Due::Response { qpn, psn } => write!(f, "data of PSN {psn} of QP {qpn:06X}h"),
            Due::Rewind { qpn, psn, cause } => {
                write!(f, "going back to PSN {psn} of QP {qpn:06X}h for {cause:?}")
            }
            Due::AckTimer { qpn } => write!(f, "expiry of the ack timer of QP {qpn:06X}h"),
            Due::SendFault { qpn, index } => {
                write!(
                    f,
                    "end of send WQE {index} of QP {qpn:06X}h, whose SGEs are protected"
                )
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
            Due::MemoryFault { qpn, fault } => {
                write!(f, "report of QP {qpn:06X}h on host memory's error: {fault:?}")
            }
            Due::State { qpn, state } => write!(f, "change of QP {qpn:06X}h to {state:?}"),
        }
    }
}
