//! Decisions on packets that arrived.
use super::arrival::{is_response, Arrival};
use super::queue_pair::QueuePair;
use super::{Hca, Output, Rule, Violation};
use crate::decision::{admission, requester, responder, uc, Ruling, Verdict};
use crate::event::DropReason;
use crate::verbs::{QpAttributes, QpState, QueueSide, Service};
use crate::wire::packet::Packet;

impl Hca {
    /// The device has decided about a packet; `qpn` and `psn` are the values in its event.
    pub(super) fn decide(
        &mut self,
        number: u32,
        qpn: Option<u32>,
        psn: Option<u32>,
        verdict: Verdict,
    ) -> Result<Vec<Output>, Violation> {
        self.check_decision(number, qpn, psn, verdict)?;
        if let Some(Arrival::Sound(packet)) = self.arrivals.remove(&number) {
            self.carry_out(&packet, verdict);
        }
        Ok(Vec::new())
    }

    /// The requester has taken a response.
    pub(super) fn accept(
        &mut self,
        number: u32,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    ) -> Result<Vec<Output>, Violation> {
        self.check_decision(number, Some(qpn), Some(psn), Verdict::Accept)?;
        if let Some(Arrival::Sound(packet)) = self.arrivals.get(&number) {
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

    /// The permitted verdicts on a packet, the model's own choice first, and its QP, if it names one that exists.
    pub(super) fn rulings(&self, number: u32, arrival: &Arrival) -> Vec<Ruling> {
        let packet = match arrival {
            Arrival::Sound(packet) => packet,
            Arrival::Malformed(malformed) => {
                return vec![Verdict::Drop(malformed.reason).by(malformed.citation)];
            }
        };
        let Some(qp) = self.qps.get(&packet.bth.dest_qp) else {
            return vec![Verdict::Drop(DropReason::DestQp).by("responder.md section 1 step 5, CF041")];
        };
        self.rulings_of_qp(qp, number, packet)
    }

    fn check_decision(
        &self,
        number: u32,
        qpn: Option<u32>,
        psn: Option<u32>,
        verdict: Verdict,
    ) -> Result<(), Violation> {
        let Some(arrival) = self.arrivals.get(&number) else {
            let expected = if number < self.arrived {
                format!("nothing further of packet {number}, which was decided before")
            } else {
                format!("a packet below {}", self.arrived)
            };
            return Err(Rule::NoSuchPacket.broken(qpn, expected, format!("decided about packet {number}")));
        };
        let rulings = self.rulings(number, arrival);
        if !rulings.iter().any(|r| r.verdict == verdict) {
            let expected: Vec<String> = rulings.iter().map(ToString::to_string).collect();
            return Err(refusal_rule(&rulings, verdict).broken(
                qpn.or(arrival.lane().map(|(qpn, _)| qpn)),
                format!("packet {number}: the model {}", expected.join(" or ")),
                format!("{verdict}"),
            ));
        }
        let Arrival::Sound(packet) = arrival else {
            return Ok(());
        };
        let carried = packet.bth.dest_qp;
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
        let earlier = self
            .arrivals
            .range(..number)
            .find(|(_, a)| a.lane() == arrival.lane());
        if let Some((earlier, _)) = earlier {
            return Err(Rule::PacketOrder.broken(
                carried,
                format!("packet {earlier} of the same QP to be decided first"),
                format!("decided about packet {number}"),
            ));
        }
        self.check_receive_wqe(packet, verdict)
    }

    /// A request that needs a receive WQE must have taken one.
    fn check_receive_wqe(&self, packet: &Packet, verdict: Verdict) -> Result<(), Violation> {
        let Some(qp) = self.qps.get(&packet.bth.dest_qp) else {
            return Ok(());
        };
        let request = self.request(qp, packet);
        let needs = match qp.attributes.service {
            Service::Uc => uc::responder::needs_receive_wqe(&request, verdict),
            _ => responder::needs_receive_wqe(&qp.responder, &request, verdict),
        };
        if needs && qp.open_receive.is_none() {
            return Err(Rule::ReceiveWqe.broken(
                packet.bth.dest_qp,
                "the receive WQE of the message to be taken first",
                format!("{verdict} without one"),
            ));
        }
        Ok(())
    }

    /// Steps 4 to 15 for a packet of an existing QP.
    fn rulings_of_qp(&self, qp: &QueuePair, number: u32, packet: &Packet) -> Vec<Ruling> {
        let in_error = Verdict::Drop(DropReason::QpState).by("responder.md section 1 step 5, CF044, CF092");
        let response = is_response(packet);
        let side = if response {
            QueueSide::Send
        } else {
            QueueSide::Receive
        };
        // A device that was not informed of a QP in Reset does not know it, and may have looked before it was informed;
        // it no longer knows a destroyed QP.
        let goes = qp.modification.as_ref().is_some_and(|m| m.destroys);
        let unknown = (qp.state == QpState::Reset || number < qp.known_from || goes)
            .then(|| Verdict::Drop(DropReason::DestQp).by("responder.md section 1 step 5, CF043"));
        // A response that arrives while a modification takes effect may meet either context.
        let mut views = vec![(&qp.attributes, qp.state)];
        if response {
            views.push((&qp.send_attributes, qp.send_state));
            // A response that arrived before may have met the earlier context (`responder.md` section 1, adopted
            // reading): it waits for those before it, and a modification does not wait for it.
            let earlier = qp.earlier.as_ref().filter(|(.., until)| number < *until);
            views.extend(earlier.map(|(attributes, state, _)| (attributes, *state)));
        }
        let faults = |(a, state): &(&QpAttributes, QpState)| admission::faults(&self.port, a, *state, packet);
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
            let not_sending = response && views.iter().skip(1).any(|(_, state)| *state == QpState::Rtr);
            // The other side of the QP may not know of the error yet.
            if not_sending || qp.failing() {
                rulings.push(in_error);
            }
        }
        rulings.extend(unknown);
        rulings
    }
}

/// The narrowest rule that distinguishes the device's verdict from the permitted ones.
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
