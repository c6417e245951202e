//! Events for software (`protocol/qp_cq.md` section 7 and 8).
use super::{Hca, Output, Port, Rule, Violation};
use crate::verbs::{AsyncEvent, HostEvent};

impl Hca {
    /// Returns the events that the device has to write.
    pub(super) fn events_due(&self) -> Vec<HostEvent> {
        let mut due = Vec::new();
        for (&cqn, cq) in &self.cqs {
            if cq.event_is_due() {
                due.push(HostEvent::Completion { cqn });
            }
            if cq.error_due {
                due.push(HostEvent::CqError { cqn });
            }
        }
        due.extend(self.events.due.iter().copied().map(HostEvent::Qp));
        due.extend(self.ports.iter().filter_map(|port| port.events.front()));
        let latched = self.ports.iter().filter(|port| port.latch.event_due);
        due.extend(latched.map(|port| HostEvent::Violation { port: port.number() }));
        due
    }

    /// Follows the event that an event for software is written.
    pub(super) fn event_written(&mut self, event: HostEvent) -> Result<Vec<Output>, Violation> {
        let reported = match event {
            HostEvent::Completion { cqn } => self.cqs.get_mut(&cqn).is_some_and(|cq| cq.notify()),
            HostEvent::CqError { cqn } => self
                .cqs
                .get_mut(&cqn)
                .is_some_and(|cq| std::mem::take(&mut cq.error_due)),
            HostEvent::PortActive { .. } | HostEvent::PortError { .. } => {
                let is_next = |port: &&mut Port| port.events.front() == Some(&event);
                let port = self.ports.iter_mut().find(is_next);
                port.is_some_and(|port| port.events.pop_front().is_some())
            }
            HostEvent::Violation { port } => self.has_port(port) && self.port_mut(port).latch.event_written(),
            HostEvent::Qp(_) => false,
        };
        if !reported && !self.events.take(event) {
            let due: Vec<String> = self.events_due().iter().map(|e| format!("{e:?}")).collect();
            let (rule, qpn) = match event {
                HostEvent::Completion { .. } => (Rule::Notification, None),
                HostEvent::CqError { .. } => (Rule::CqError, None),
                HostEvent::Qp(event) => (Rule::AsyncEvent, Some(event.qpn())),
                HostEvent::PortActive { .. } | HostEvent::PortError { .. } => (Rule::PortEvent, None),
                HostEvent::Violation { .. } => (Rule::ViolationEvent, None),
            };
            let expected = match due.is_empty() {
                true => "no event".to_owned(),
                false => due.join(" or "),
            };
            return Err(rule.broken(qpn, expected, format!("told software of {event:?}")));
        }
        self.events.reported.push_back(event);
        Ok(vec![Output::Event(event)])
    }

    /// Takes the oldest written event, as software does when it polls.
    pub fn poll_event(&mut self) -> Option<HostEvent> {
        self.events.reported.pop_front()
    }

    /// Takes the oldest event of a QP, whether it is written or not.
    pub fn poll_async(&mut self) -> Option<AsyncEvent> {
        let of_qp = |e: &HostEvent| matches!(e, HostEvent::Qp(_));
        let reported = self.events.reported.iter().position(of_qp);
        match reported.and_then(|at| self.events.reported.remove(at)) {
            Some(HostEvent::Qp(event)) => Some(event),
            _ => self.events.due.pop_front(),
        }
    }
}
