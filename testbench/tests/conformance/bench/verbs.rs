//! Verbs that may be refused, and what software is told by events.
use super::{Bench, LIVENESS};
use hca_golden::extended_counters::ExtendedCounters;
use hca_golden::modification::QpChanges;
use hca_golden::verbs::{HostEvent, PortCounter, QpState};
use hca_testbench::device::{Outcome, Reason, Verb};

/// What a verb comes to.
pub type Told = Result<Outcome, Reason>;

/// It was done, and tells nothing.
pub const DONE: Told = Ok(Outcome::Done);

impl Bench {
    /// What becomes of a verb, on device and model alike.
    pub fn attempt(&mut self, verb: Verb) -> Told {
        let ticket = self.station.attempt(verb);
        for _ in 0..LIVENESS {
            if let Some((answered, outcome)) = self.station.verb_outcome() {
                assert_eq!(answered, ticket);
                return outcome.map_err(|refusal| refusal.code);
            }
            self.step();
        }
        panic!("a verb has no outcome");
    }

    /// [`attempt`](Bench::attempt) of a move of the QP with what the transition requires.
    pub fn attempt_move(&mut self, state: QpState) -> Told {
        let qpn = self.qpn;
        self.attempt(Verb::ModifyQp { qpn, state })
    }

    /// The same with these attributes.
    pub fn attempt_set(&mut self, state: QpState, changes: &QpChanges) -> Told {
        let (qpn, changes) = (self.qpn, changes.clone());
        self.attempt(Verb::SetQp { qpn, state, changes })
    }

    /// State and attributes of the QP.
    pub fn query(&mut self) -> (QpState, QpChanges) {
        let qpn = self.qpn;
        match self.attempt(Verb::QueryQp { qpn }) {
            Ok(Outcome::Qp { state, attributes }) => (state, attributes),
            other => panic!("{other:?}"),
        }
    }

    /// Entries of a CQ, and whether it has failed.
    pub fn query_cq(&mut self, cqn: u32) -> (u32, bool) {
        match self.attempt(Verb::QueryCq { cqn }) {
            Ok(Outcome::Cq { entries, failed }) => (entries, failed),
            other => panic!("{other:?}"),
        }
    }

    /// What a counter of the port has reached.
    pub fn port_counter(&mut self, counter: PortCounter) -> u32 {
        match self.attempt(Verb::QueryPortCounter { counter }) {
            Ok(Outcome::PortCounter(count)) => count,
            other => panic!("{other:?}"),
        }
    }

    /// The 64-bit counters of the port.
    pub fn extended_counters(&mut self) -> ExtendedCounters {
        match self.attempt(Verb::QueryExtendedCounters) {
            Ok(Outcome::ExtendedCounters(counters)) => *counters,
            other => panic!("{other:?}"),
        }
    }

    /// Asks for an event; the arming is in force.
    pub fn arm(&mut self, cqn: u32, solicited: bool) {
        assert_eq!(self.attempt(Verb::RequestNotify { cqn, solicited }), DONE);
        self.settle();
    }

    /// Events that software was told of since the last look.
    pub fn told(&mut self) -> Vec<HostEvent> {
        self.settle();
        std::iter::from_fn(|| self.station.host_event()).collect()
    }

    /// Software polls its completion queues from now on, or leaves them alone.
    pub fn poll_completions(&mut self, polls: bool) {
        self.station.poll_completions(polls);
    }
}
