//! The events of packets that leave.
use super::response::{Body, Response};
use super::{transmit, Hca, Output, Rule, Violation};
use crate::decision::protection::{Access, Right};
use crate::decision::requester::{self, Gate, Plan};
use crate::decision::ud::requester::Outcome;
use crate::decision::{responder, special_qps, uc, ud};
use crate::event::MemoryFault;
use crate::verbs::{QpState, QueueSide, Service};
use crate::wire::aeth::NAK_REMOTE_ACCESS;

impl Hca {
    /// Returns the packet with this PSN, if the QP may send it next; `sent` says in words what the device did.
    pub(super) fn next_request(&self, qpn: u32, psn: u32, sent: &str) -> Result<Plan, Violation> {
        let qp = self.qp(qpn)?;
        let plans = requester::plans(&qp.requester);
        let Some(own) = plans.first() else {
            return Err(Rule::NoSendWqe.broken(qpn, "no request, for all WQEs taken are sent", sent));
        };
        if !(qp.sends() || qp.send_queue_fails() && qp.late_requests > 0) {
            let expected = match qp.send_state {
                QpState::Error => "no request in Error beyond those under way".into(),
                state => format!("no request in {state:?}"),
            };
            return Err(Rule::SendState.broken(qpn, expected, sent));
        }
        // A packet that leaves in Error, or that begins a message in SQD, was decided on before the change of state.
        let state = match qp.late_requests {
            0 => qp.send_state,
            _ => QpState::Rts,
        };
        let gate = qp.gate(state, own);
        let answered = plans
            .iter()
            .any(|p| p.psn == psn && p.position < qp.requester.unacknowledged);
        let gate = gate.filter(|_| !answered);
        if gate == Some(Gate::State) {
            return Err(Rule::SendState.broken(qpn, format!("no new message in {state:?}"), sent));
        }
        let Some(plan) = plans.iter().find(|p| p.psn == psn) else {
            return Err(Rule::Psn.broken(qpn, format!("request PSN {}", own.psn), sent));
        };
        // A packet that is sent again carries the same data: it may not leave once software may have written other data
        // (`requester.md` section 7, adopted reading).
        if qp.send.is_complete(plan.index) {
            let expected = format!("no request of WQE {}, whose completion is written", plan.index);
            return Err(Rule::GivenBack.broken(qpn, expected, sent));
        }
        if let Some(gate) = gate {
            let (rule, expected) = refused_by(gate);
            return Err(rule.broken(qpn, expected, sent));
        }
        Ok(plan.clone())
    }

    /// Follows the event that the next request packet of the QP leaves.
    pub(super) fn emit_request(&mut self, qpn: u32, psn: u32) -> Result<Vec<Output>, Violation> {
        let sent = format!("sent request PSN {psn}");
        let plan = self.next_request(qpn, psn, &sent)?;
        let qp = self.qp(qpn)?;
        if qp.attributes.service == Service::Ud && self.judge_work(qp, plan.index) != Outcome::Sent {
            let expected = format!("no packet of WQE {}, which is faulty or too long", plan.index);
            return Err(Rule::Datagram.broken(qpn, expected, sent));
        }
        let Some(bytes) = self.request_bytes(qp, &plan) else {
            let expected = format!("no data of WQE {}, whose SGEs are protected", plan.index);
            return Err(Rule::Protection.broken(qpn, expected, sent));
        };
        let answers = self.source_answers(qp, &plan);
        let (is_datagram, port) = (qp.attributes.service == Service::Ud, qp.send_attributes.port);
        self.leave(qpn, &plan, answers);
        if is_datagram && answers && self.port_sends(port, qpn, &bytes) {
            self.loop_back(port, qpn, &bytes);
        }
        Ok(vec![Output::Transmit { port, bytes }])
    }

    /// Applies the departure of a request packet; `answers` is false if host memory failed to return its data.
    pub(super) fn leave(&mut self, qpn: u32, plan: &Plan, answers: bool) {
        let now = self.now;
        let Some(mut qp) = self.qps.remove(&qpn) else {
            return;
        };
        if !answers {
            qp.memory.due.push(MemoryFault::RequestData { psn: plan.psn });
        }
        let context = std::mem::take(&mut qp.requester);
        let (context, actions) = match qp.attributes.service {
            Service::Uc => uc::requester::send(context, plan, answers),
            Service::Ud => ud::requester::send(context, plan, answers),
            _ => (requester::send(context, plan, now), Vec::new()),
        };
        qp.requester = context;
        if !actions.is_empty() {
            self.complete_requests(&mut qp, &[], &actions);
        }
        qp.late_requests = qp.late_requests.saturating_sub(1);
        self.qps.insert(qpn, qp);
    }

    /// Returns the bytes of a request packet; `None` if its WQE may not use its SGEs. The SGEs of a Read or an atomic
    /// may be checked when its data arrives (`qp_cq.md` section 5).
    fn request_bytes(&self, qp: &super::QueuePair, plan: &requester::Plan) -> Option<Vec<u8>> {
        let from = plan.offset as usize;
        let inline = qp.started(plan.index).and_then(|wqe| wqe.inline.as_ref());
        let payload = match inline {
            Some(data) => data.get(from..from + plan.length)?.to_vec(),
            None => {
                if !qp.sges_are_known(QueueSide::Send, plan.index, plan.offset, plan.length) {
                    return None;
                }
                let sges = qp.send_sges(plan.index);
                let window = qp.window(&self.regions);
                window.gather(&self.memory, sges, plan.offset, plan.length)?
            }
        };
        let port = &self.port(qp.send_attributes.port).config;
        match qp.attributes.service {
            Service::Ud => {
                let datagram = qp.started(plan.index)?.request.datagram.unwrap_or_default();
                let handle = self.handles.get(&datagram.handle)?;
                let own = special_qps::in_packets(self.capabilities.ports, qp.attributes.qpn);
                Some(transmit::datagram(
                    port, qp, own, plan, payload, &datagram, handle,
                ))
            }
            _ => Some(transmit::request(port, qp, plan, payload)),
        }
    }

    /// Returns true if host memory can read the data of a request packet. Inline data is not at the address of its SGEs
    /// (CF166).
    fn source_answers(&self, qp: &super::QueuePair, plan: &requester::Plan) -> bool {
        let copied = qp.started(plan.index).is_some_and(|wqe| wqe.inline.is_some());
        let (offset, length, right) = (plan.offset, plan.length, Right::LocalRead);
        if copied {
            return qp.memory.gives_inline(plan.index, offset, length);
        }
        let window = qp.window(&self.regions);
        window.answers(&self.memory, qp.send_sges(plan.index), offset, length, right)
    }

    /// Follows the event that a scheduled ack or NAK leaves.
    pub(super) fn emit_ack(&mut self, qpn: u32, psn: u32, syndrome: u8) -> Result<Vec<Output>, Violation> {
        let number = self.qp(qpn)?.attributes.port;
        let port = self.port(number).config;
        let qp = self.qp_mut(qpn)?;
        let transmit = |bytes| Output::Transmit { port: number, bytes };
        if let Some(nak) = qp.memory.emit_nak(psn, syndrome) {
            let bytes = transmit::acknowledge(&port, qp, &nak, syndrome);
            return Ok(vec![transmit(bytes)]);
        }
        let addresses = qp.responses.addresses(psn, syndrome);
        match qp.responses.emit_ack(psn, syndrome) {
            Ok(response) => {
                if !response.is_nak() {
                    qp.report(psn, syndrome);
                }
                let bytes = transmit::acknowledge(&port, qp, &response, syndrome);
                let others = addresses.into_iter().filter(|&lrh| lrh != response.lrh);
                let others = others.map(|lrh| Response {
                    lrh,
                    ..response.clone()
                });
                let instead = others.map(|r| Output::Instead(transmit::acknowledge(&port, qp, &r, syndrome)));
                Ok(std::iter::once(transmit(bytes)).chain(instead).collect())
            }
            Err(rule) => {
                let actual = format!("sent syndrome {syndrome:02X}h at PSN {psn}");
                Err(rule.broken(qpn, permitted(qp), actual))
            }
        }
    }

    /// Follows the event that the data of a read response is read from memory.
    pub(super) fn fetch_data(&mut self, qpn: u32, psn: u32) -> Result<Vec<Output>, Violation> {
        let says = format!("fetched the data of PSN {psn}");
        let pd = self.qp(qpn)?.attributes.pd;
        let Some(data) = self.qp_mut(qpn)?.responses.unfetched(psn) else {
            return Err(Rule::ResponseNotPermitted.broken(qpn, permitted(self.qp(qpn)?), says));
        };
        let access = data.access(data.fetched.len());
        let Some(bytes) = self.read(pd, &access) else {
            return Err(Rule::Protection.broken(qpn, format!("a NAK at PSN {psn}"), says));
        };
        if let Some(data) = self.qp_mut(qpn)?.responses.unfetched(psn) {
            data.fetched.push_back(bytes);
        }
        Ok(Vec::new())
    }

    /// Follows the event that a read response leaves.
    pub(super) fn emit_data(&mut self, qpn: u32, psn: u32, syndrome: u8) -> Result<Vec<Output>, Violation> {
        let qp = self.qp(qpn)?;
        let sent = format!("sent the read response of PSN {psn} with syndrome {syndrome:02X}h");
        let response = match qp.responses.data(psn, syndrome) {
            Ok(response) => response,
            Err(rule) => return Err(rule.broken(qpn, permitted(qp), sent)),
        };
        let Body::Data(data) = &response.body else {
            return Err(Rule::ResponseNotPermitted.broken(qpn, permitted(qp), sent));
        };
        let payload = match data.fetched.front() {
            Some(fetched) => fetched.clone(),
            None => match self.read(qp.attributes.pd, &data.access(0)) {
                Some(bytes) => bytes,
                None => return Err(Rule::Protection.broken(qpn, format!("a NAK at PSN {psn}"), sent)),
            },
        };
        if !response.may_say(syndrome) {
            let expected = format!("syndrome {:02X}h", response.own_syndrome());
            return Err(Rule::Syndrome.broken(qpn, expected, sent));
        }
        let positive = data.place() != (false, false);
        let port = qp.attributes.port;
        let config = &self.port(port).config;
        let bytes = transmit::data(config, qp, response, data.place(), syndrome, payload);
        let (response, fails) = (
            response.clone(),
            !self.target_answers(qp.attributes.pd, &data.access(0)),
        );
        let qp = self.qp_mut(qpn)?;
        qp.memory.sends(&response);
        if fails {
            qp.memory.due.push(MemoryFault::ResponseData { psn });
        }
        if positive {
            qp.report(psn, syndrome);
        }
        match qp.responses.emit_data(psn, syndrome) {
            Ok(last) if last => qp.responder = responder::answered(std::mem::take(&mut qp.responder), psn),
            Ok(_) => {}
            Err(rule) => return Err(rule.broken(qpn, permitted(qp), sent)),
        }
        Ok(vec![Output::Transmit { port, bytes }])
    }

    /// Follows the event that the answer to an atomic leaves.
    pub(super) fn emit_original(
        &mut self,
        qpn: u32,
        psn: u32,
        syndrome: u8,
    ) -> Result<Vec<Output>, Violation> {
        let port = self.qp(qpn)?.attributes.port;
        let config = self.port(port).config;
        let qp = self.qp_mut(qpn)?;
        match qp.responses.emit_original(psn, syndrome) {
            Ok(response) => {
                qp.report(psn, syndrome);
                qp.responder = responder::answered(std::mem::take(&mut qp.responder), psn);
                let bytes = transmit::original(&config, qp, &response, syndrome);
                Ok(vec![Output::Transmit { port, bytes }])
            }
            Err(rule) => {
                let sent = format!("sent the atomic ack of PSN {psn} with syndrome {syndrome:02X}h");
                Err(rule.broken(qpn, permitted(qp), sent))
            }
        }
    }

    /// Follows the event that the duplicate of an atomic gets no answer.
    pub(super) fn drop_replay(&mut self, qpn: u32, psn: u32) -> Result<Vec<Output>, Violation> {
        let qp = self.qp_mut(qpn)?;
        match qp.responses.drop_replay(psn) {
            Ok(()) => Ok(Vec::new()),
            Err(rule) => {
                let says = format!("dropped the answer to a duplicate of PSN {psn}");
                Err(rule.broken(qpn, permitted(qp), says))
            }
        }
    }

    /// Follows the event that a read response cannot be produced (CF142).
    pub(super) fn refuse_data(&mut self, qpn: u32, psn: u32, syndrome: u8) -> Result<Vec<Output>, Violation> {
        let qp = self.qp(qpn)?;
        let says = format!("refused PSN {psn} with syndrome {syndrome:02X}h");
        let response = match qp.responses.refusable(psn) {
            Ok(response) => response.clone(),
            Err(rule) => return Err(rule.broken(qpn, permitted(qp), says)),
        };
        let pd = qp.attributes.pd;
        let readable = match &response.body {
            Body::Data(data) => self.read(pd, &data.access(data.fetched.len())).is_some(),
            _ => true,
        };
        if readable {
            return Err(Rule::Protection.broken(qpn, format!("the read response of PSN {psn}"), says));
        }
        if syndrome != NAK_REMOTE_ACCESS {
            return Err(Rule::Syndrome.broken(qpn, format!("syndrome {NAK_REMOTE_ACCESS:02X}h"), says));
        }
        if let Some(mut qp) = self.qps.remove(&qpn) {
            let actions = responder::fail(response.msn, psn, syndrome);
            qp.responses.refuse(psn);
            self.serve(&mut qp, response.lrh, None, &actions);
            qp.responses.end();
            // The QP is not in Error yet: requests under way are still judged (adopted reading, `responder.md` section
            // 7). If the requester failed before, the QP stays in Error.
            qp.must_fail |= qp.state != QpState::Error;
            self.qps.insert(qpn, qp);
        }
        Ok(Vec::new())
    }

    /// Returns true if host memory answers the permitted part of a remote access without error.
    pub(super) fn target_answers(&self, pd: u32, access: &Access) -> bool {
        let addr = self.regions.resolve(pd, access);
        addr.map_or(true, |addr| self.memory.answers(addr, access.length))
    }

    /// Returns the bytes that a remote access reads; `None` if it is not permitted.
    pub(super) fn read(&self, pd: u32, access: &Access) -> Option<Vec<u8>> {
        if access.length == 0 {
            return Some(Vec::new());
        }
        let addr = self.regions.resolve(pd, access).ok()?;
        Some(self.memory.read(addr, access.length as usize))
    }
}

fn refused_by(gate: Gate) -> (Rule, &'static str) {
    match gate {
        Gate::State => (Rule::SendState, "no new message in this state"),
        Gate::Window => (
            Rule::Window,
            "no request before an ack, as it would make more than 2^23 PSNs outstanding",
        ),
        Gate::Fence => (Rule::Fence, "a fenced WQE to wait for earlier reads and atomics"),
        Gate::ReadDepth => (Rule::ReadDepth, "no read or atomic beyond max_rd_atomic"),
        Gate::Credits => (
            Rule::Credits,
            "no request behind a limited one before a response gives credits for it",
        ),
        Gate::Rewind => (Rule::Rewind, "no request before the requester goes back"),
    }
}

/// Returns the responses that may leave, as text.
fn permitted(qp: &super::QueuePair) -> String {
    let in_words = |r: &Response| match r.body {
        Body::Acknowledge { .. } => format!("syndrome {:02X}h at PSN {}", r.own_syndrome(), r.psn),
        Body::Data(_) => format!("read response PSN {}", r.psn),
        Body::Original { .. } => format!("atomic ack PSN {}", r.psn),
    };
    let permitted: Vec<String> = qp.responses.permitted().map(in_words).collect();
    if permitted.is_empty() {
        "no response".into()
    } else {
        permitted.join(" or ")
    }
}

#[cfg(test)]
#[path = "outbound_tests.rs"]
mod tests;
