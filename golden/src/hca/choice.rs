//! What the model would do next by itself, and what it owes.
use super::arrival::Arrival;
use super::inbound::request;
use super::queue_pair::QueuePair;
use super::{Due, Hca};
use crate::decision::requester::{self, Plan};
use crate::decision::{responder, Verdict};
use crate::event::Event;
use crate::verbs::{QpState, QueueSide};
use crate::wire::packet::Packet;
use std::collections::BTreeSet;

impl Hca {
    /// Every event that the model itself could take now, in a fixed order; taking the first one each time runs
    /// the model without a device.
    ///
    /// Doorbells come first, then packets, reported states, completions, responses and requests. Where the rules
    /// leave several outcomes for a packet, only the model's own one is listed.
    pub fn choices(&self) -> Vec<Event> {
        let mut events = Vec::new();
        for (&qpn, qp) in &self.qps {
            events.extend(doorbells(qp).map(|(side, producer)| Event::Doorbell { qpn, side, producer }));
        }
        let mut lanes = BTreeSet::new();
        for (&number, arrival) in &self.arrivals {
            if arrival.lane().is_none_or(|lane| lanes.insert(lane)) {
                events.push(self.decision(number, arrival));
            }
        }
        for (&qpn, qp) in &self.qps {
            if qp.failed_side.is_some() {
                let state = QpState::Error;
                events.push(Event::StateChanged { qpn, state });
            }
            events.extend(qp.completions.iter().filter_map(|queue| queue.front()).map(|p| {
                Event::CompletionWritten {
                    cqn: p.cqn,
                    qpn,
                    side: p.side,
                    index: p.index,
                    status: p.completion.status,
                }
            }));
            events.extend(qp.responses.permitted().map(|r| Event::AckEmitted {
                qpn,
                psn: r.psn,
                syndrome: r.syndrome,
            }));
            events.extend(send(qpn, qp));
        }
        events
    }

    /// What must still happen before the device may rest. Answers that a peer owes are not among it.
    pub fn due(&self) -> Vec<Due> {
        let mut due = Vec::new();
        due.extend(self.arrivals.keys().map(|&packet| Due::Packet { packet }));
        for (&qpn, qp) in &self.qps {
            due.extend(doorbells(qp).map(|(side, producer)| Due::Doorbell { qpn, side, producer }));
            if qp.failed_side.is_some() {
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
            due.extend(qp.responses.required().map(|r| Due::Ack {
                qpn,
                psn: r.psn,
                syndrome: r.syndrome,
            }));
            if send(qpn, qp).is_some() {
                let psn = qp.requester.next_psn;
                due.push(Due::Request { qpn, psn });
            }
        }
        due
    }

    /// The event that decides about a packet, or the WQE that must be taken before.
    fn decision(&self, number: u32, arrival: &Arrival) -> Event {
        let verdict = self.rulings(arrival)[0].verdict;
        let packet = match (arrival, verdict) {
            (_, Verdict::Drop(reason)) => {
                return Event::PacketDropped {
                    packet: number,
                    reason,
                }
            }
            (Arrival::Sound(packet), _) => packet,
            (Arrival::Malformed(malformed), _) => {
                let reason = malformed.reason;
                return Event::PacketDropped {
                    packet: number,
                    reason,
                };
            }
        };
        if let Some(fetch) = self.receive_wqe_to_take(packet, verdict) {
            return fetch;
        }
        let (qpn, psn) = (packet.bth.dest_qp, packet.bth.psn);
        let packet_syndrome = packet.aeth().map_or(0, |a| a.syndrome);
        let packet = number;
        match verdict {
            Verdict::Execute => Event::RequestExecuted { packet, qpn, psn },
            Verdict::Duplicate => Event::DuplicateRequest { packet, qpn, psn },
            Verdict::Refuse { syndrome, psn } => Event::RequestRefused {
                packet,
                qpn,
                psn,
                syndrome,
            },
            Verdict::Accept => Event::ResponseAccepted {
                packet,
                qpn,
                psn,
                syndrome: packet_syndrome,
            },
            Verdict::Drop(reason) => Event::PacketDropped { packet, reason },
        }
    }

    /// A Send that begins takes its receive WQE before its length is looked at.
    fn receive_wqe_to_take(&self, packet: &Packet, verdict: Verdict) -> Option<Event> {
        let qpn = packet.bth.dest_qp;
        let qp = self.qps.get(&qpn)?;
        let executes = matches!(verdict, Verdict::Execute | Verdict::Refuse { .. });
        let takes = executes && responder::takes_receive_wqe(&qp.responder, &request(qp, packet));
        if !takes || qp.open_receive.is_some() {
            return None;
        }
        let index = qp.receive.next()?;
        let side = QueueSide::Receive;
        Some(Event::WqeFetched { qpn, side, index })
    }
}

/// Queues whose newest WQEs the device has not heard of, with what the doorbell must say.
fn doorbells(qp: &QueuePair) -> impl Iterator<Item = (QueueSide, u16)> {
    let send = (QueueSide::Send, qp.send.announced(), qp.send.posted());
    let receive = (QueueSide::Receive, qp.receive.announced(), qp.receive.posted());
    [receive, send]
        .into_iter()
        .filter(|(_, announced, posted)| announced != posted)
        .map(|(side, _, posted)| (side, posted))
}

/// What the send side does next: the next packet, or the WQE it comes from.
fn send(qpn: u32, qp: &QueuePair) -> Option<Event> {
    let sending = qp.failed_side.is_none() && !qp.requester.window_is_full();
    let state_permits = |plan: &Plan| qp.state == QpState::Rts || qp.state == QpState::Sqd && !plan.starts;
    match requester::plan(&qp.requester) {
        Some(plan) if sending && state_permits(&plan) => Some(Event::RequestEmitted { qpn, psn: plan.psn }),
        None if sending && qp.state == QpState::Rts => {
            let (side, index) = (QueueSide::Send, qp.send.next()?);
            Some(Event::WqeFetched { qpn, side, index })
        }
        _ => None,
    }
}
