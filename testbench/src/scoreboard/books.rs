//! What the model says at the end of a run.
use super::Checked;
use crate::device::{Books, Outcome};
use hca_golden::verbs::PortCounter;

impl Checked {
    /// Returns what queue pairs, completion queues and ports of the device must read as, now that nothing is under way.
    pub(super) fn books(&self) -> Books {
        let mut qpns: Vec<u32> = self.attributes.keys().copied().collect();
        qpns.sort_unstable();
        let described = |qpn| {
            let (state, attributes) = self.model.query_qp(qpn).ok()?;
            Some((qpn, Outcome::Qp { state, attributes }))
        };
        let qps: Vec<_> = qpns.into_iter().filter_map(described).collect();
        let cqns = self.completions.queues.keys();
        let armings = cqns.filter_map(|cqn| Some((*cqn, self.model.arming(*cqn)?)));
        let mut books = Books {
            qps,
            armings: armings.collect(),
            ..Books::default()
        };
        for number in 1..=self.device.capabilities().ports {
            let port = self.model.port(number);
            let counted = |counter| (number, counter, port.port_counter_range(counter));
            books.counters.extend(PortCounter::ALL.map(counted));
            books.extended.push((number, port.extended_counters_range()));
            books.latches.push((number, port.possible_violations()));
        }
        books
    }
}
