//! The effects of decisions: bytes in memory, responses, completions.
use super::arrival::Sound;
use super::completions::Received;
use super::facts::ATOMIC_BYTES;
use super::queue_pair::QueuePair;
use super::response::{Body, Data, Response, Saved};
use super::Hca;
use crate::decision::protection::{Access, Right};
use crate::decision::responder::OutstandingNak;
use crate::decision::{partition, requester, responder, uc, Verdict};
use crate::event::MemoryFault;
use crate::verbs::{AsyncEvent, HostEvent, QpState, QueueSide, Service, Status};
use crate::wire::aeth::{NAK_INVALID_REQUEST, RNR_NAK};
use crate::wire::lrh::Lrh;
use crate::wire::packet::Packet;

impl Hca {
    /// Applies a decision about a packet.
    pub(super) fn carry_out(&mut self, sound: &Sound, qpn: u32, verdict: Verdict) {
        let packet = &sound.packet;
        let Some(mut qp) = self.qps.remove(&qpn) else {
            return;
        };
        match verdict {
            Verdict::Accept => {
                let response = self.response(&qp, packet);
                let context = std::mem::take(&mut qp.requester);
                let (context, actions) = requester::accept(context, &response, self.now);
                qp.requester = context;
                self.complete_requests(&mut qp, &packet.payload, &actions);
            }
            _ if qp.attributes.service == Service::Ud => self.carry_out_datagram(&mut qp, sound, verdict),
            _ if qp.attributes.service == Service::Uc => {
                let dropped = matches!(verdict, Verdict::Drop(reason) if !uc::responder::decides(reason));
                if !dropped {
                    let request = self.request(&qp, packet);
                    let context = std::mem::take(&mut qp.responder);
                    let (context, actions) = uc::responder::step(context, &request, verdict);
                    qp.responder = context;
                    self.establish(&mut qp);
                    self.serve(&mut qp, back(packet), Some(packet), &actions);
                }
            }
            Verdict::Execute | Verdict::Duplicate | Verdict::Refuse { .. } => {
                let request = self.request(&qp, packet);
                if let Verdict::Refuse { syndrome, .. } = verdict {
                    self.report_dry_queue(&qp, syndrome);
                }
                let context = std::mem::take(&mut qp.responder);
                let (context, mut actions) = responder::step(context, &request, verdict);
                qp.responder = context;
                let unanswered = verdict == Verdict::Execute && self.atomic_fails(&qp, packet);
                if unanswered {
                    qp.memory.due.push(MemoryFault::Atomic);
                    let carried_out = |a: &responder::Action| {
                        use responder::Action::{RespondWithOriginal, StoreAtomic};
                        matches!(a, StoreAtomic { .. } | RespondWithOriginal { .. })
                    };
                    actions.retain(|a| !carried_out(a));
                }
                if verdict == Verdict::Execute && packet.atomic_eth().is_some() {
                    let lost = |psn| responder::is_superseded(&qp.responder, psn);
                    qp.responses.supersede(lost);
                }
                if verdict == Verdict::Execute {
                    self.establish(&mut qp);
                }
                self.serve(&mut qp, back(packet), Some(packet), &actions);
                if unanswered {
                    // Later answers may not overtake the missing one (`responder.md` section 8).
                    qp.responses.end();
                }
            }
            Verdict::Drop(_) => {}
        }
        self.qps.insert(qpn, qp);
    }

    /// Returns true for an atomic whose target host memory fails to return.
    fn atomic_fails(&self, qp: &QueuePair, packet: &Packet) -> bool {
        packet.atomic_eth().is_some_and(|h| {
            let access = Access {
                key: h.r_key,
                va: h.va,
                length: ATOMIC_BYTES as u64,
                right: Right::RemoteAtomic,
            };
            !self.target_answers(qp.attributes.pd, &access)
        })
    }

    /// Raises the event of a dry receive queue for the first RNR NAK since a receive WQE was there (CF539).
    fn report_dry_queue(&mut self, qp: &QueuePair, syndrome: u8) {
        let again = qp.responder.outstanding_nak == OutstandingNak::Rnr;
        if qp.attributes.dry_event && syndrome >> 5 == RNR_NAK >> 5 && !again {
            let qpn = qp.attributes.qpn;
            self.events.raise(AsyncEvent::ReceiveQueueDry { qpn });
        }
    }

    /// Raises the event that communication is established (CF105).
    fn establish(&mut self, qp: &mut QueuePair) {
        let qpn = qp.attributes.qpn;
        if qp.state == QpState::Rtr && !qp.established {
            self.events.raise(AsyncEvent::CommunicationEstablished { qpn });
        }
        qp.established = true;
    }

    /// Applies actions of the requester; `payload` is the payload of the response.
    pub(super) fn complete_requests(
        &mut self,
        qp: &mut QueuePair,
        payload: &[u8],
        actions: &[requester::Action],
    ) {
        for action in actions {
            match *action {
                requester::Action::Place { index, offset } => {
                    self.place_response(qp, index, offset, payload);
                }
                // CF176; host memory is little-endian.
                requester::Action::PlaceOriginal { index, original } => {
                    self.place_response(qp, index, 0, &original.to_le_bytes());
                }
                requester::Action::Complete { index, status, other } => {
                    let (status, other) = match status {
                        Status::LocProtErr => {
                            qp.fault_of_sges(&self.regions, QueueSide::Send, index, (status, other))
                        }
                        _ => (status, other),
                    };
                    qp.complete_send(index, status, other);
                }
                requester::Action::Fail => qp.fail(QueueSide::Send),
            }
        }
        self.report_drained(qp);
    }

    fn place_response(&mut self, qp: &mut QueuePair, index: u16, offset: u64, bytes: &[u8]) {
        let (window, sges) = (qp.window(&self.regions), qp.send_sges(index));
        window.scatter(&mut self.memory, sges, offset, bytes);
        if !window.answers(&self.memory, sges, offset, bytes.len(), Right::LocalWrite) {
            qp.memory.due.push(MemoryFault::ResponsePlacement);
        }
    }

    /// Raises the event of a drained send queue once it is due (CF239).
    pub(super) fn report_drained(&mut self, qp: &mut QueuePair) {
        if qp.draining && !qp.failing() && requester::is_drained(&qp.requester) {
            let qpn = qp.attributes.qpn;
            self.events.raise(AsyncEvent::SendQueueDrained { qpn });
            qp.draining = false;
        }
    }

    /// Applies actions of the responder. `lrh` is the route back to the peer, `packet` the packet that caused the
    /// actions.
    pub(super) fn serve(
        &mut self,
        qp: &mut QueuePair,
        lrh: Lrh,
        packet: Option<&Packet>,
        actions: &[responder::Action],
    ) {
        use responder::Action::*;
        let qpn = qp.attributes.qpn;
        let payload = packet.map_or(&[][..], |p| &p.payload);
        let codes = qp.codes();
        let respond = |psn, msn, body| Response {
            psn,
            msn,
            lrh,
            body,
            codes,
            spare: false,
        };
        for action in actions {
            match *action {
                Place { offset } => {
                    let sges = qp.open_receive.map_or(&[][..], |index| qp.receive_sges(index));
                    let window = qp.window(&self.regions);
                    window.scatter(&mut self.memory, sges, offset, payload);
                    if !window.answers(&self.memory, sges, offset, payload.len(), Right::LocalWrite) {
                        qp.memory.due.push(MemoryFault::RequestPlacement);
                    }
                }
                Store { va, r_key } => {
                    self.store(qp, r_key, va, Right::RemoteWrite, payload);
                }
                // Host memory is little-endian.
                StoreAtomic { va, r_key, value } => {
                    self.store(qp, r_key, va, Right::RemoteAtomic, &value.to_le_bytes());
                }
                Invalidate { r_key } => self.regions.invalidate_for_peer(r_key),
                Respond {
                    psn,
                    syndrome,
                    msn,
                    required,
                } => {
                    let response = respond(psn, msn, Body::Acknowledge { syndrome, required });
                    qp.decide_answer(response.is_nak());
                    qp.responses.push(response);
                }
                RespondLast { psn, syndrome, msn } => {
                    let required = false;
                    let body = Body::Acknowledge { syndrome, required };
                    qp.responses.push_last(respond(psn, msn, body));
                }
                RespondWithData { psn, data, msn } => {
                    let data = Data::new(data, qp.responder.pmtu);
                    qp.decide_answer(false);
                    qp.responses.push(respond(psn, msn, Body::Data(data)));
                }
                RespondWithOriginal {
                    psn,
                    original,
                    msn,
                    again,
                } => {
                    let body = Body::Original {
                        original,
                        required: true,
                        saved: if again { Saved::Kept } else { Saved::Not },
                    };
                    qp.decide_answer(false);
                    qp.responses.push(respond(psn, msn, body));
                }
                Complete { byte_count, of } => {
                    let port = self.port(qp.attributes.port).config;
                    let p_key_index = packet.and_then(|p| partition::completed_index(&port, &p.bth));
                    qp.complete_receive(Received {
                        byte_count,
                        immediate: packet.and_then(Packet::immediate),
                        p_key_index,
                        solicited: packet.is_some_and(|p| p.bth.se),
                        of,
                        datagram: None,
                    });
                }
                CompleteInError { status, other } => {
                    let receive = QueueSide::Receive;
                    let (status, other) = match qp.open_receive {
                        Some(index) if status == Status::LocProtErr => {
                            match qp.memory.unread(receive, index) {
                                true => (Status::LocQpOpErr, None),
                                false => qp.fault_of_sges(&self.regions, receive, index, (status, other)),
                            }
                        }
                        _ => (status, other),
                    };
                    let event = AsyncEvent::RequestError { qpn };
                    // AD: if a receive WQE ends with the error, software may be informed in both ways.
                    match qp.complete_receive_in_error(status, other) {
                        false => self.events.raise(event),
                        true if is_invalid_request(actions) => self.events.permit(HostEvent::Qp(event)),
                        true => {}
                    }
                }
                ReportAccessError => self.events.raise(AsyncEvent::AccessError { qpn }),
                Fail => qp.fail(QueueSide::Receive),
            }
        }
    }

    fn store(&mut self, qp: &mut QueuePair, key: u32, va: u64, right: Right, bytes: &[u8]) {
        let access = Access {
            key,
            va,
            length: bytes.len() as u64,
            right,
        };
        if bytes.is_empty() {
            return;
        }
        debug_assert!(right != Right::RemoteAtomic || bytes.len() == ATOMIC_BYTES);
        if let Ok(addr) = self.regions.resolve(qp.attributes.pd, &access) {
            self.memory.write(addr, bytes);
            if !self.memory.answers(addr, bytes.len() as u64) {
                qp.memory.due.push(MemoryFault::RequestPlacement);
            }
        }
    }
}

/// Returns true if one of the actions is a NAK 61h.
fn is_invalid_request(actions: &[responder::Action]) -> bool {
    let is_it = |a: &responder::Action| matches!(a, responder::Action::Respond { syndrome, .. } if *syndrome == NAK_INVALID_REQUEST);
    actions.iter().any(is_it)
}

/// Returns the LRH of an answer: LIDs swapped, SL copied (CF129). On RoCE it has no meaning.
pub(super) fn back(packet: &Packet) -> Lrh {
    let of = packet.lrh().copied().unwrap_or_default();
    Lrh {
        sl: of.sl,
        dlid: of.slid,
        slid: of.dlid,
        ..Lrh::default()
    }
}
