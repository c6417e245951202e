//! Answers of the Verilated hardware to verbs.
use super::software::answer;
use super::{Outcome, Verb};
use hca_sim::driver::{
    ExtendedCounters, ExtendedCountersQuery, HcaLimits, HcaQuery, KeyViolation, Ticket, ViolationQuery,
};
use hca_sim::SimHca;

/// The kind of answer of a successful verb.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    Nothing,
    Hca(HcaQuery),
    /// The number of entries of this CQ.
    Entries(u32),
    Cq,
    Qp,
    Ah,
    PortCounter,
    ExtendedCounters(ExtendedCountersQuery),
    Violation(ViolationQuery),
    /// No answer, once this port has taken a step.
    PortSettled(u8),
    PortState,
}

impl Answer {
    /// Returns the answer of a verb that is a single call of the driver, about this port if it is one of a port.
    pub(super) fn by(verb: &Verb, port: u8) -> Answer {
        match verb {
            Verb::CreateCq { cqn, .. } | Verb::ResizeCq { cqn, .. } => Answer::Entries(*cqn),
            Verb::QueryCq { .. } => Answer::Cq,
            Verb::QueryQp { .. } => Answer::Qp,
            Verb::QueryAh { .. } => Answer::Ah,
            Verb::QueryPortCounter { .. } => Answer::PortCounter,
            Verb::QueryPortState => Answer::PortState,
            verb if verb.moves_port() => Answer::PortSettled(port),
            _ => Answer::Nothing,
        }
    }

    /// Returns the outcome of a verb whose last call was successful and returned this value. `None`: it depends on the
    /// settings of a port.
    pub(super) fn outcome(self, hca: &mut SimHca, call: Ticket, value: u32) -> Option<Outcome> {
        let outcome = match self {
            Answer::PortState => return None,
            Answer::Nothing | Answer::PortSettled(_) => None,
            Answer::Hca(query) => Some(answer::hca(&HcaLimits::of(values(hca, query.0, value)))),
            Answer::Entries(cqn) => {
                let books = hca.driver().cq_books(cqn).ok();
                books.map(|books| Outcome::Entries(books.entries))
            }
            Answer::Cq => hca.driver().cq_status(call).as_ref().map(answer::cq),
            Answer::Qp => hca.driver().qp_status(call).as_ref().map(answer::qp),
            Answer::Ah => hca.driver().ah(call).as_ref().map(answer::ah),
            Answer::PortCounter => Some(Outcome::PortCounter(value)),
            Answer::ExtendedCounters(query) => {
                let counters = ExtendedCounters::of(values(hca, query.0, value));
                let counters = answer::extended_counters(&counters);
                Some(Outcome::ExtendedCounters(Box::new(counters)))
            }
            Answer::Violation(query) => {
                let violation = KeyViolation::of(values(hca, query.0, value));
                Some(Outcome::Violation(answer::violation(violation).map(Box::new)))
            }
        };
        Some(outcome.unwrap_or(Outcome::Done))
    }
}

/// Returns the values of the registers that these calls read, in the order of the calls. `last` is the value of the
/// last one, whose outcome the caller has taken.
fn values<const N: usize>(hca: &SimHca, calls: [Ticket; N], last: u32) -> [u32; N] {
    let mut values = calls.map(|call| match hca.outcome(call) {
        Some(Ok(value)) => value,
        _ => 0,
    });
    values[N - 1] = last;
    values
}
