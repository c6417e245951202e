//! Decisions about packets that arrived.
use super::arrival::{is_response, Arrival, Discarded, Sound};
use super::multicast::Audience;
use super::queue_pair::QueuePair;
use super::room::Room;
use super::{Hca, Output, Rule, Violation};
use crate::decision::{admission, requester, responder, uc, ud, Ruling, Verdict};
use crate::event::DropReason;
use crate::verbs::{QpAttributes, QpState, QueueSide, Service};
use crate::wire::packet::Packet;

impl Hca {
    /// Follows the event that the device has decided about a packet; `qpn` and `psn` are the values in the event.
    pub(super) fn decide(
        &mut self,
        number: u32,
        qpn: Option<u32>,
        psn: Option<u32>,
        verdict: Verdict,
    ) -> Result<Vec<Output>, Violation> {
        self.check_decision(number, qpn, psn, verdict)?;
        let Some(arrival) = self.arrivals.get(&number) else {
            return Ok(Vec::new());
        };
        let port = &mut self.ports[usize::from(arrival.port()) - 1];
        if let Verdict::Drop(reason) = verdict {
            port.counters.drop(reason, arrival);
            port.drop_for_key(number, reason, arrival, qpn);
        }
        port.decided(number, verdict, port.room(number, arrival, verdict));
        if is_by_link(verdict) {
            self.arrivals.remove(&number);
            return Ok(Vec::new());
        }
        let Some(Arrival::Sound(mut sound)) = self.arrivals.remove(&number) else {
            return Ok(Vec::new());
        };
        match self.audience(&sound) {
            Audience::Members(mut members) => {
                if let Some(qpn) = qpn.filter(|qpn| members.remove(qpn)) {
                    self.carry_out(&sound, qpn, verdict);
                }
                if !members.is_empty() {
                    sound.members = Some(members);
                    self.arrivals.insert(number, Arrival::Sound(sound));
                }
            }
            Audience::One(qpn) => self.carry_out(&sound, qpn, verdict),
            Audience::Nobody(_) => {}
        }
        Ok(Vec::new())
    }

    /// Follows the event that the requester has taken a response.
    pub(super) fn accept(
        &mut self,
        number: u32,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    ) -> Result<Vec<Output>, Violation> {
        self.check_decision(number, Some(qpn), Some(psn), Verdict::Accept)?;
        if let Some(Arrival::Sound(Sound { packet, .. })) = self.arrivals.get(&number) {
            let carried = packet.aeth().map_or(0, |a| a.syndrome);
            if carried != syndrome {
                return Err(Rule::Syndrome.broken(
                    qpn,
                    format!("syndrome {carried:02X}h of packet {number}"),
                    format!("took syndrome {syndrome:02X}h"),
                ));
            }
        }
        self.decide(number, Some(qpn), Some(psn), Verdict::Accept)
    }

    /// Returns the permitted verdicts on a packet for this QP, or for no QP; the model's own choice comes first.
    pub(super) fn rulings(&self, number: u32, arrival: &Arrival, qpn: Option<u32>) -> Vec<Ruling> {
        let port = self.port(arrival.port());
        let (passes, drop) = port.gate(number);
        let mut rulings = Vec::from_iter(port.own_overrun(number));
        if passes {
            let (is_carried, idle) = port.vl_gate(number);
            if is_carried {
                rulings.extend(self.rulings_behind_port(number, arrival, qpn));
            }
            rulings.extend(idle);
        }
        rulings.extend(port.overrun(number));
        rulings.extend(drop);
        rulings
    }

    /// Returns the permitted verdicts on a packet that the port's state lets pass.
    fn rulings_behind_port(&self, number: u32, arrival: &Arrival, qpn: Option<u32>) -> Vec<Ruling> {
        let sound = match arrival {
            Arrival::Sound(sound) => sound,
            Arrival::Malformed(Discarded { malformed, .. }) => {
                return vec![Verdict::Drop(malformed.reason).by(malformed.citation)];
            }
        };
        let packet = &sound.packet;
        let qp = match self.audience(sound) {
            Audience::Nobody(ruling) => return vec![ruling],
            Audience::One(qpn) => self.qps.get(&qpn),
            Audience::Members(members) => match qpn.filter(|qpn| members.contains(qpn)) {
                Some(qpn) => self.qps.get(&qpn),
                None => return Vec::new(),
            },
        };
        if let Some(ruling) = admission::of_address(packet) {
            return vec![ruling];
        }
        let Some(qp) = qp else {
            return vec![Verdict::Drop(DropReason::DestQp).by("responder.md section 1 step 5, CF041")];
        };
        self.rulings_of_qp(qp, number, sound)
    }

    fn check_decision(
        &self,
        number: u32,
        qpn: Option<u32>,
        psn: Option<u32>,
        verdict: Verdict,
    ) -> Result<(), Violation> {
        let Some(arrival) = self.arrivals.get(&number) else {
            let expected = match self.moment().is_after(number) {
                true => format!("nothing further of packet {number}, which was decided before"),
                false => "a packet that has arrived".to_owned(),
            };
            return Err(Rule::NoSuchPacket.broken(qpn, expected, format!("decided about packet {number}")));
        };
        let rulings = self.rulings(number, arrival, qpn);
        if !rulings.iter().any(|r| r.verdict == verdict) {
            let expected: Vec<String> = match rulings.is_empty() {
                true => vec!["lets each member of its group decide once".into()],
                false => rulings.iter().map(ToString::to_string).collect(),
            };
            return Err(refusal_rule(&rulings, verdict).broken(
                qpn.or(arrival.lane().map(|(qpn, _)| qpn)),
                format!("packet {number}: the model {}", expected.join(" or ")),
                format!("{verdict}"),
            ));
        }
        let Arrival::Sound(sound) = arrival else {
            return Ok(());
        };
        // A packet that the link drops does not wait behind the packets of its QP.
        let is_overrun = self.port(sound.port).room(number, arrival, verdict) == Room::Lacked;
        if is_overrun || is_by_link(verdict) {
            return Ok(());
        }
        let packet = &sound.packet;
        let carried = match self.audience(sound) {
            Audience::Members(_) => qpn.unwrap_or(packet.bth.dest_qp),
            Audience::One(qpn) => qpn,
            Audience::Nobody(_) => return Ok(()),
        };
        if let Some(qpn) = qpn.filter(|&qpn| qpn != carried) {
            return Err(Rule::QueuePair.broken(
                qpn,
                format!("QP {carried:06X}h, which packet {number} is for"),
                format!("decided about it for QP {qpn:06X}h"),
            ));
        }
        if let Some(psn) = psn.filter(|&psn| psn != packet.bth.psn) {
            return Err(Rule::Psn.broken(
                qpn,
                format!("PSN {} of packet {number}", packet.bth.psn),
                format!("reported PSN {psn}"),
            ));
        }
        if let Some(earlier) = self.earlier(number, arrival, carried) {
            return Err(Rule::PacketOrder.broken(
                carried,
                format!("packet {earlier} of the same QP to be decided first"),
                format!("decided about packet {number}"),
            ));
        }
        self.check_receive_wqe(packet, carried, verdict)
    }

    /// Checks that a request which needs a receive WQE has taken one.
    fn check_receive_wqe(&self, packet: &Packet, qpn: u32, verdict: Verdict) -> Result<(), Violation> {
        let Some(qp) = self.qps.get(&qpn) else {
            return Ok(());
        };
        let needs = match qp.attributes.service {
            Service::Ud => ud::responder::needs_receive_wqe(verdict),
            Service::Uc => uc::responder::needs_receive_wqe(&self.request(qp, packet), verdict),
            _ => responder::needs_receive_wqe(&qp.responder, &self.request(qp, packet), verdict),
        };
        if needs && qp.open_receive.is_none() {
            return Err(Rule::ReceiveWqe.broken(
                qpn,
                "the receive WQE of the message to be taken first",
                format!("{verdict} without one"),
            ));
        }
        Ok(())
    }

    /// Returns the rulings of steps 4 to 15 on a packet of an existing QP.
    fn rulings_of_qp(&self, qp: &QueuePair, number: u32, sound: &Sound) -> Vec<Ruling> {
        if qp.attributes.service == Service::Ud {
            return self.rulings_of_datagram(qp, number, sound);
        }
        let (port, packet) = (&self.port(sound.port).config, &sound.packet);
        let in_error = Verdict::Drop(DropReason::QpState).by("responder.md section 1 step 5, CF044, CF092");
        let response = is_response(packet);
        let side = if response {
            QueueSide::Send
        } else {
            QueueSide::Receive
        };
        let unknown = unknown(qp, number);
        // A response that arrives while a modification takes effect may meet either context.
        let mut views = vec![(&qp.attributes, qp.state)];
        if response {
            views.push((&qp.send_attributes, qp.send_state));
            // A response that arrived before may have met the earlier context (`responder.md` section 1, adopted
            // reading): it waits for those before it, and a modification does not wait for it.
            let earlier = qp.earlier.as_ref().filter(|(.., until)| until.is_after(number));
            views.extend(earlier.map(|(attributes, state, _)| (attributes, *state)));
        }
        let faults = |(a, state): &(&QpAttributes, QpState)| admission::faults(port, a, *state, packet);
        let mut rulings: Vec<Ruling> = views.iter().flat_map(faults).collect();
        if qp.failed_side == Some(side) {
            rulings.insert(0, in_error);
            rulings.extend(unknown);
            return rulings;
        }
        if views.iter().any(|view| faults(view).is_empty()) {
            let judged = if response {
                requester::judge(&qp.requester, &self.response(qp, packet))
            } else {
                let request = self.request(qp, packet);
                match qp.attributes.service {
                    Service::Uc => uc::responder::judge(&qp.met_by(packet), &request),
                    _ => responder::judge(&qp.responder, &request),
                }
            };
            rulings.splice(0..0, judged);
        }
        let not_sending = response && views.iter().skip(1).any(|(_, state)| *state == QpState::Rtr);
        // The other side of the QP may not know of the error yet.
        if not_sending || qp.failing() {
            rulings.push(in_error);
        }
        rulings.extend(unknown);
        rulings
    }
}

/// Returns true for a drop because of the port's state or of the packet's VL, which no member of a group decides.
fn is_by_link(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Drop(DropReason::PortState | DropReason::Vl))
}

/// Returns the drop of a packet whose QP the device does not know: it had not learnt of a QP that was in Reset, or
/// looked the QP up before it learnt of it, or no longer knows a destroyed QP.
pub(super) fn unknown(qp: &QueuePair, number: u32) -> Option<Ruling> {
    let goes = qp.modification.as_ref().is_some_and(|m| m.destroys);
    let unknown = qp.state == QpState::Reset || qp.known_from.is_after(number) || goes;
    unknown.then(|| Verdict::Drop(DropReason::DestQp).by("responder.md section 1 step 5, CF043"))
}

/// Returns the narrowest rule that distinguishes the device's verdict from the permitted ones.
fn refusal_rule(rulings: &[Ruling], verdict: Verdict) -> Rule {
    let Verdict::Refuse { syndrome, psn } = verdict else {
        return Rule::Decision;
    };
    let refusals = || {
        rulings.iter().filter_map(|r| match r.verdict {
            Verdict::Refuse { syndrome, psn } => Some((syndrome, psn)),
            _ => None,
        })
    };
    if refusals().any(|(_, p)| p == psn) {
        Rule::Syndrome
    } else if refusals().any(|(s, _)| s == syndrome) {
        Rule::Psn
    } else {
        Rule::Decision
    }
}
