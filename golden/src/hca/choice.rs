//! The event that the model itself would choose next.
use super::arrival::Arrival;
use super::moment::sequence_of;
use super::multicast::Next;
use super::pending::Pending;
use super::queue_pair::QueuePair;
use super::response::{Body, Response};
use super::{Hca, Port};
use crate::decision::requester::{self, psn_of, timer_window};
use crate::decision::{responder, uc, ud, Verdict};
use crate::event::Event;
use crate::verbs::{QpState, QueueSide, Service};
use crate::wire::aeth::NAK_REMOTE_ACCESS;
use crate::wire::packet::Packet;
use std::collections::BTreeSet;

impl Hca {
    /// Returns every event that the model itself could choose now, in a fixed order. To choose the first one each time
    /// runs the model without a device.
    ///
    /// Doorbells come first, then armings, modifications of QPs and of the port, errors of host memory, unsolicited
    /// acks, packets, reported states, completions, responses, timers, requests, events for software, and consumer
    /// doorbells of CQs. If the rules permit several outcomes for a packet, only the model's own choice is listed.
    /// The list is empty while host memory does not answer.
    pub fn choices(&self) -> Vec<Event> {
        let mut events = Vec::new();
        if self.waits_for_memory() {
            return events;
        }
        for (&qpn, qp) in &self.qps {
            events.extend(doorbells(qp).map(|(side, producer)| Event::Doorbell { qpn, side, producer }));
            let bad = qp.bad_doorbells.iter();
            events.extend(bad.map(|&(side, producer)| Event::DoorbellRefused { qpn, side, producer }));
        }
        let armings = self.armings();
        events.extend(armings.map(|(cqn, solicited)| Event::CqArmed { cqn, solicited }));
        events.extend(
            self.modifications()
                .map(|(qpn, side, state)| Event::QpModified { qpn, side, state }),
        );
        self.ports
            .iter()
            .for_each(|port| events.extend(choices_of_port(port)));
        for (&qpn, qp) in &self.qps {
            events.extend(
                qp.memory
                    .due
                    .iter()
                    .map(|&fault| Event::MemoryFault { qpn, fault }),
            );
        }
        for (&qpn, qp) in &self.qps {
            events.extend(qp.unsolicited().map(|psn| Event::UnsolicitedAck { qpn, psn }));
        }
        let mut lanes = BTreeSet::new();
        for (&number, arrival) in &self.arrivals {
            let multicast = self.capabilities.max_groups > 0;
            if multicast
                || arrival
                    .lane()
                    .is_none_or(|lane| lanes.insert((sequence_of(number), lane)))
            {
                let next = self.next_to_decide(number, arrival);
                events.extend(next.map(|next| self.decision(number, arrival, next)));
            }
        }
        for (&qpn, qp) in &self.qps {
            if qp.send_fails {
                let state = QpState::Sqe;
                events.push(Event::StateChanged { qpn, state });
            }
            if qp.has_to_fail() {
                let state = QpState::Error;
                events.push(Event::StateChanged { qpn, state });
            }
            let oldest = qp.completions.iter().filter_map(|queue| queue.front());
            events.extend(oldest.map(|p| self.completion(qpn, p)));
            let naks = qp.memory.naks.iter();
            let responses = naks.chain(qp.responses.permitted().filter(|r| !r.spare));
            events.extend(responses.map(|r| self.respond(qpn, qp, r)));
            events.extend(self.go_back(qpn, qp));
            events.extend(self.send(qpn, qp));
        }
        events.extend(self.events_due().into_iter().map(Event::EventWritten));
        events.extend(self.cqs.iter().filter_map(|(&cqn, cq)| {
            let consumer = cq.unreported()?;
            Some(Event::CqConsumed { cqn, consumer })
        }));
        events
    }

    /// Returns the event of a completion: it is written, or lost if its queue is full (`qp_cq.md` section 6).
    fn completion(&self, qpn: u32, p: &Pending) -> Event {
        let (cqn, side, index, status) = (p.cqn, p.side, p.index, p.completion.status);
        match self.has_room(cqn) {
            true => Event::CompletionWritten {
                cqn,
                qpn,
                side,
                index,
                status,
            },
            false => Event::CompletionLost {
                cqn,
                qpn,
                side,
                index,
                status,
            },
        }
    }

    /// Returns CQN and kind of the armings that have not taken effect.
    pub(super) fn armings(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.cqs
            .iter()
            .filter_map(|(&cqn, cq)| Some((cqn, *cq.arming.front()?)))
    }

    /// Returns the modifications that have a result and have not taken effect.
    pub(super) fn modifications(&self) -> impl Iterator<Item = (u32, QueueSide, QpState)> + '_ {
        let due =
            |(&qpn, qp): (&u32, &QueuePair)| qp.modification_due().map(|(side, state)| (qpn, side, state));
        self.qps.iter().filter_map(due)
    }

    /// Returns the next moment, in picoseconds, at which a timer gives the model a choice that it does not have now.
    pub fn deadline(&self) -> Option<u64> {
        let of = |qp: &QueuePair| {
            let wait = qp.requester.rewind.map(|r| r.not_before);
            let timer = timer_window(&qp.requester).map(|(first, _)| first);
            let running = qp.sends() && !qp.failing();
            [wait, timer].into_iter().flatten().filter(move |_| running)
        };
        let ends = self.ports.iter().filter_map(Port::end_of_retraining);
        let all = self.qps.values().flat_map(of).chain(ends.map(|(first, _)| first));
        all.filter(|&at| at > self.now).min()
    }

    /// Returns the earliest moment, in picoseconds, at which the ack timer or the RNR wait of this QP may expire;
    /// `None` if neither runs.
    pub fn expiry(&self, qpn: u32) -> Option<u64> {
        let qp = self.qps.get(&qpn).filter(|qp| qp.sends() && !qp.failing())?;
        let wait = qp.requester.rewind.map(|r| r.not_before);
        let timer = timer_window(&qp.requester).map(|(first, _)| first);
        [wait, timer].into_iter().flatten().max()
    }

    /// Returns true if a timer runs, so that an event will follow even if nothing else happens.
    pub fn waits(&self) -> bool {
        let waits = |qp: &QueuePair| {
            let timer = qp.requester.rewind.is_some() || timer_window(&qp.requester).is_some();
            timer && qp.sends() && !qp.failing()
        };
        let mut ends = self.ports.iter().map(Port::end_of_retraining);
        self.qps.values().any(waits) || ends.any(|end| end.is_some())
    }

    /// Returns the event that decides about a packet, or the one that takes the WQE which the decision needs.
    fn decision(&self, number: u32, arrival: &Arrival, next: Next) -> Event {
        let member = match next {
            Next::Member(qpn) => Some(qpn),
            Next::All => None,
        };
        let verdict = self.rulings(number, arrival, member)[0].verdict;
        let packet = match (arrival, verdict) {
            (_, Verdict::Drop(reason)) => {
                let packet = number;
                return match member {
                    Some(qpn) => Event::CopyDropped { packet, qpn, reason },
                    None => Event::PacketDropped { packet, reason },
                };
            }
            (Arrival::Sound(sound), _) => &sound.packet,
            (Arrival::Malformed(discarded), _) => {
                let reason = discarded.malformed.reason;
                return Event::PacketDropped {
                    packet: number,
                    reason,
                };
            }
        };
        let named = arrival.lane().map_or(packet.bth.dest_qp, |(qpn, _)| qpn);
        let qpn = member.unwrap_or(named);
        if let Some(fetch) = self.receive_wqe_to_take(packet, qpn, verdict) {
            return fetch;
        }
        let psn = packet.bth.psn;
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

    /// Returns the event that takes a receive WQE: a request that uses one takes it before its length is checked.
    fn receive_wqe_to_take(&self, packet: &Packet, qpn: u32, verdict: Verdict) -> Option<Event> {
        let qp = self.qps.get(&qpn)?;
        let takes = || match qp.attributes.service {
            Service::Ud => ud::responder::needs_receive_wqe(verdict),
            Service::Uc => uc::responder::needs_receive_wqe(&self.request(qp, packet), verdict),
            _ => responder::takes_receive_wqe(&qp.responder, &self.request(qp, packet), verdict),
        };
        if qp.open_receive.is_some() || verdict == Verdict::Accept || !takes() {
            return None;
        }
        let index = qp.receive.next()?;
        let side = QueueSide::Receive;
        Some(Event::WqeFetched { qpn, side, index })
    }

    /// Returns the event of a response that may leave.
    fn respond(&self, qpn: u32, qp: &QueuePair, response: &Response) -> Event {
        let (psn, syndrome) = (response.psn, response.own_syndrome());
        match &response.body {
            Body::Acknowledge { .. } => Event::AckEmitted { qpn, psn, syndrome },
            Body::Original { .. } => Event::AtomicAckEmitted { qpn, psn, syndrome },
            Body::Data(data) => {
                let readable =
                    !data.fetched.is_empty() || self.read(qp.attributes.pd, &data.access(0)).is_some();
                if readable {
                    Event::ReadResponseEmitted { qpn, psn, syndrome }
                } else {
                    let syndrome = NAK_REMOTE_ACCESS;
                    Event::ReadRefused { qpn, psn, syndrome }
                }
            }
        }
    }

    /// Returns the event of an expired timer, or of packets that have to be sent again.
    fn go_back(&self, qpn: u32, qp: &QueuePair) -> Option<Event> {
        if !qp.sends() || qp.failing() {
            return None;
        }
        if let Some(rewind) = qp.requester.rewind.filter(|r| r.not_before <= self.now) {
            let (psn, cause) = (psn_of(rewind.position), rewind.cause);
            return Some(Event::Rewound { qpn, psn, cause });
        }
        let (first, last) = timer_window(&qp.requester)?;
        let psn = psn_of(qp.requester.unacknowledged);
        (first..=last)
            .contains(&self.now)
            .then_some(Event::AckTimerExpired { qpn, psn })
    }

    /// Returns the next event of the send side: the next packet, or the fetch of its WQE. The send side goes back
    /// before it continues.
    pub(super) fn send(&self, qpn: u32, qp: &QueuePair) -> Option<Event> {
        if !qp.sends() || qp.failing() || qp.requester.rewind.is_some() {
            return None;
        }
        let Some(plan) = requester::plan(&qp.requester) else {
            let (side, index) = (QueueSide::Send, qp.send.next()?);
            return (qp.send_state == QpState::Rts).then_some(Event::WqeFetched { qpn, side, index });
        };
        if qp.attributes.service == Service::Ud {
            return self.send_datagram(qpn, qp, &plan);
        }
        let part = Some((plan.offset, plan.length));
        if !self.send_is_permitted(qp, plan.index, part) {
            return self.fault(qpn, qp, plan.index);
        }
        let gate = qp.gate(qp.send_state, &plan);
        gate.is_none()
            .then_some(Event::RequestEmitted { qpn, psn: plan.psn })
    }

    /// Returns the event that ends a WQE which cannot continue, once it is the oldest.
    pub(super) fn fault(&self, qpn: u32, qp: &QueuePair, index: u16) -> Option<Event> {
        let oldest = qp.requester.messages.front().map(|m| m.index);
        let (status, _) = self.fault_of_work(qp, index)?;
        (oldest == Some(index)).then_some(Event::SendRefused { qpn, index, status })
    }
}

/// Returns the steps of the port's state, and the changes of its tables, that may take effect.
fn choices_of_port(of: &Port) -> impl Iterator<Item = Event> + '_ {
    let port = of.number();
    let steps = of.port_modifications();
    let steps = steps.map(move |(side, state)| Event::PortModified { port, side, state });
    let p_key = of.next_p_key();
    let p_key = p_key.map(|(index, p_key)| Event::PKeySet { port, index, p_key });
    let vls = of.next_vls();
    let vls = vls.map(|(from_sl, vls)| Event::SlToVlSet { port, from_sl, vls });
    steps.chain(p_key).chain(vls)
}

/// Returns the queues with WQEs that the device does not know of, each with the producer that the doorbell must carry.
pub(super) fn doorbells(qp: &QueuePair) -> impl Iterator<Item = (QueueSide, u16)> {
    let send = (QueueSide::Send, qp.send.announced(), qp.send.posted());
    let receive = (QueueSide::Receive, qp.receive.announced(), qp.receive.posted());
    [receive, send]
        .into_iter()
        .filter(|(_, announced, posted)| announced != posted)
        .map(|(side, _, posted)| (side, posted))
}
