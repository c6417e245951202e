//! Queue pairs of datagrams (`ud.md`): the look-ups that their decisions need, and the effects.
use super::arrival::Sound;
use super::completions::Received;
use super::effect::back;
use super::inbound::unknown;
use super::queue_pair::QueuePair;
use super::{Hca, Output, Rule, Violation};
use crate::decision::protection::Right;
use crate::decision::requester::Plan;
use crate::decision::responder::{Action, Completed};
use crate::decision::ud::requester::{Outcome, Work};
use crate::decision::ud::responder::{Datagram, ReceiveWqe, AREA_BYTES};
use crate::decision::{partition, special_qps, ud, Ruling, Verdict};
use crate::event::{Event, MemoryFault};
use crate::port::{Link, PortConfig};
use crate::verbs::{DatagramSource, QpState, QueueSide, Service, Status};
use crate::wire::lrh::PERMISSIVE_LID;
use crate::wire::multicast::LIDS;
use crate::wire::packet::{Packet, Route};

impl Hca {
    /// Returns what becomes of a send WQE of a QP of datagrams.
    pub(super) fn judge_work(&self, qp: &QueuePair, index: u16) -> Outcome {
        let Some(wqe) = qp.started(index) else {
            return Outcome::Sent;
        };
        let datagram = wqe.request.datagram.unwrap_or_default();
        let port = qp.send_attributes.port;
        let (length, active_mtu) = (wqe.bytes(), self.port(port).config.mtu.bytes());
        let read = !qp.memory.unread(QueueSide::Send, index);
        // A message that is too long reads nothing, and inline data needs no keys.
        let unread = length > active_mtu as u64 || wqe.inline.is_some();
        let permitted = || {
            let (sges, length) = (&wqe.request.sges, length as usize);
            qp.sges_are_known(QueueSide::Send, index, 0, length)
                && qp
                    .window(&self.regions)
                    .permits(sges, 0, length, Right::LocalRead)
        };
        let fault_of_sges = (!unread && !permitted()).then(|| {
            let of_keys = (Status::LocProtErr, None);
            qp.fault_of_sges(&self.regions, QueueSide::Send, index, of_keys)
        });
        ud::requester::judge(&Work {
            qpn: special_qps::in_packets(self.capabilities.ports, qp.attributes.qpn),
            operation: wqe.request.operation,
            well_formed: read && !wqe.is_malformed(),
            handle: self.handles.get(&datagram.handle).copied(),
            pd: qp.attributes.pd,
            port,
            p_key_index: datagram.p_key_index,
            length,
            active_mtu,
            fault_of_sges,
        })
    }

    /// Returns the next event of a send queue whose next message is this one. It depends only on the QP's state.
    pub(super) fn send_datagram(&self, qpn: u32, qp: &QueuePair, plan: &Plan) -> Option<Event> {
        let psn = plan.psn;
        let event = match self.judge_work(qp, plan.index) {
            Outcome::Failed(..) => return self.fault(qpn, qp, plan.index),
            Outcome::Sent => Event::RequestEmitted { qpn, psn },
            Outcome::Discarded => Event::RequestDiscarded { qpn, psn },
        };
        qp.gate(qp.send_state, plan).is_none().then_some(event)
    }

    /// Follows the event that a message longer than the port's active MTU was discarded (`ud.md` section 2, step 3).
    pub(super) fn discard_request(&mut self, qpn: u32, psn: u32) -> Result<Vec<Output>, Violation> {
        let says = format!("discarded request PSN {psn}");
        let plan = self.next_request(qpn, psn, &says)?;
        let qp = self.qp(qpn)?;
        let discarded =
            qp.attributes.service == Service::Ud && self.judge_work(qp, plan.index) == Outcome::Discarded;
        if !discarded {
            let expected = format!("WQE {} to be sent, or to end in error", plan.index);
            return Err(Rule::Datagram.broken(qpn, expected, says));
        }
        let number = qp.send_attributes.port;
        self.leave(qpn, &plan, true);
        let port = self.port_mut(number);
        // Over Ethernet there is no such counter.
        if port.config.link == Link::InfiniBand {
            port.discard();
        }
        Ok(Vec::new())
    }

    /// Returns the verdict on a packet for a QP of datagrams, and those that the device may reach because it does not
    /// know the QP's state yet, or no longer.
    pub(super) fn rulings_of_datagram(&self, qp: &QueuePair, number: u32, sound: &Sound) -> Vec<Ruling> {
        let packet = &sound.packet;
        let receive_wqe = self.receive_wqe_of_datagram(qp, packet);
        let judged = |state| {
            ud::responder::judge(&Datagram {
                port: &self.port(sound.port).config,
                qp: &qp.attributes,
                state,
                packet,
                receive_wqe,
            })
        };
        let mut rulings = match qp.failed_side {
            Some(QueueSide::Receive) => vec![judged(QpState::Error)],
            // The receive queue may not know of the error yet.
            _ if qp.failing() => vec![judged(qp.state), judged(QpState::Error)],
            _ => vec![judged(qp.state)],
        };
        rulings.extend(unknown(qp, number));
        rulings
    }

    fn receive_wqe_of_datagram(&self, qp: &QueuePair, packet: &Packet) -> Option<ReceiveWqe> {
        let sges = qp.next_receive_sges()?;
        let room = qp.receive_room()?;
        let index = qp.open_receive.or_else(|| qp.receive.next())?;
        let window = qp.window(&self.regions);
        let permits = |offset, length| {
            qp.sges_are_known(QueueSide::Receive, index, offset, length)
                && window.permits(sges, offset, length, Right::LocalWrite)
        };
        // Without a network header the first bytes are skipped (CF327).
        let area = match packet.route {
            Route::Local(_) => true,
            Route::Global(..) | Route::Roce(_) => permits(0, AREA_BYTES),
        };
        Some(ReceiveWqe {
            read: !qp.memory.unread(QueueSide::Receive, index),
            room,
            permitted: area && permits(AREA_BYTES as u64, packet.payload.len()),
        })
    }

    /// Applies a verdict on a datagram.
    pub(super) fn carry_out_datagram(&mut self, qp: &mut QueuePair, sound: &Sound, verdict: Verdict) {
        let packet = &sound.packet;
        match verdict {
            Verdict::Execute => {
                let port = self.port(sound.port).config;
                self.place_datagram(qp, sound);
                qp.complete_receive(Received {
                    byte_count: (AREA_BYTES + packet.payload.len()) as u32,
                    immediate: packet.immediate(),
                    p_key_index: partition::completed_index(&port, &packet.bth),
                    solicited: packet.bth.se,
                    of: Completed::Send,
                    datagram: Some(source(&port, packet)),
                });
            }
            Verdict::Refuse { .. } => {
                let error = Action::CompleteInError {
                    status: Status::LocProtErr,
                    other: None,
                };
                self.serve(qp, back(packet), Some(packet), &[error, Action::Fail]);
            }
            _ => {}
        }
    }

    /// Places a datagram (section 3.2).
    fn place_datagram(&mut self, qp: &mut QueuePair, sound: &Sound) {
        let sges = qp.open_receive.map_or(&[][..], |index| qp.receive_sges(index));
        let window = qp.window(&self.regions);
        let area = sound.area.as_ref().map_or(&[][..], |area| &area[..]);
        let mut answers = true;
        for (offset, bytes) in [(0, area), (AREA_BYTES as u64, &sound.packet.payload[..])] {
            window.scatter(&mut self.memory, sges, offset, bytes);
            answers &= window.answers(&self.memory, sges, offset, bytes.len(), Right::LocalWrite);
        }
        if !answers {
            qp.memory.due.push(MemoryFault::RequestPlacement);
        }
    }
}

/// Returns the source of a datagram (section 3.3).
fn source(port: &PortConfig, packet: &Packet) -> DatagramSource {
    let qpn = packet.deth().map_or(0, |deth| deth.src_qp);
    match (packet.lrh(), packet.roce()) {
        (Some(lrh), _) => {
            // Neither a multicast LID nor the permissive one has path bits (`ud.md` section 3.3).
            let path_bits = match LIDS.contains(&lrh.dlid) || lrh.dlid == PERMISSIVE_LID {
                true => 0,
                false => (lrh.dlid & port.path_bits()) as u8,
            };
            DatagramSource {
                port: port.number,
                qpn,
                slid: lrh.slid,
                sl: lrh.sl,
                lid: port.lid | u16::from(path_bits),
                path_bits,
                grh: packet.grh().is_some(),
                source_mac: None,
            }
        }
        (None, roce) => DatagramSource {
            port: port.number,
            qpn,
            grh: true,
            source_mac: roce.map(|roce| roce.ethernet.source),
            ..DatagramSource::default()
        },
    }
}
