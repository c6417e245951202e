//! The completions that the model expects.
use crate::device::Verb;
use hca_golden::event::Event;
use hca_golden::verbs::{Completion, QueueSide, ReceiveRequest, SendRequest};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// The completions that the model expects, and those that are compared already.
#[derive(Default)]
pub struct Completions {
    pub(super) queues: BTreeMap<u32, Queue>,
    /// Compared completions, for software to take.
    pub checked: VecDeque<Completion>,
    /// Receive requests that have not completed, by QP, in post order.
    pub(super) receives: HashMap<u32, VecDeque<ReceiveRequest>>,
    /// Send requests that have not completed, by QP, in post order.
    pub(super) sends: HashMap<u32, VecDeque<SendRequest>>,
}

#[derive(Default)]
pub(super) struct Queue {
    pub(super) expected: VecDeque<Expected>,
    pub(super) actual: VecDeque<Completion>,
}

pub(super) struct Expected {
    pub(super) event: Event,
    pub(super) completion: Completion,
    /// The decision that ended the message of a receive request; 0 of others ([`super::placements`]).
    pub(super) placed: u64,
    /// True if its QP went to Reset, or was destroyed, before it was polled.
    pub(super) removed: bool,
}

impl Completions {
    /// Notes the effect of a verb on later completions.
    pub fn verb(&mut self, verb: &Verb) {
        match verb {
            Verb::CreateCq { cqn, .. } => {
                self.queues.entry(*cqn).or_default();
            }
            Verb::PostReceive { qpn, request } => {
                self.receives.entry(*qpn).or_default().push_back(request.clone());
            }
            Verb::PostSend { qpn, request } | Verb::PostDefective { qpn, request, .. } => {
                self.sends.entry(*qpn).or_default().push_back(request.clone());
            }
            Verb::DestroyCq { cqn } => {
                self.queues.remove(cqn);
            }
            _ => {}
        }
    }

    /// Forgets the work of a QP that went to Reset or was destroyed. Its completions may have left the queues without
    /// being polled.
    pub fn forget(&mut self, qpn: u32) {
        self.receives.remove(&qpn);
        self.sends.remove(&qpn);
        for queue in self.queues.values_mut() {
            let of_qp = queue.expected.iter_mut().filter(|e| e.completion.qpn == qpn);
            of_qp.for_each(|e| e.removed = true);
        }
    }

    /// Expects this completion in the queue, because of this event. `placed` is the decision that ended the message of
    /// a receive request, 0 of others.
    pub fn expect(&mut self, cqn: u32, event: Event, completion: Completion, placed: u64) {
        self.queues.entry(cqn).or_default().expected.push_back(Expected {
            event,
            completion,
            placed,
            removed: false,
        });
    }

    /// Returns true if a completion was reported and not yet polled.
    pub fn announced(&self) -> bool {
        self.queues
            .values()
            .any(|q| q.expected.iter().any(|e| !e.removed))
    }

    /// Returns true if a completion of this work queue was reported and not yet polled.
    pub fn announced_of(&self, qpn: u32, of: QueueSide) -> bool {
        let is_of = |e: &Expected| matches!(e.event, Event::CompletionWritten { qpn: q, side, .. } if (q, side) == (qpn, of));
        self.queues.values().any(|q| q.expected.iter().any(is_of))
    }

    /// Returns, as text, the completions that only one of device and model has.
    pub fn open(&self) -> Vec<String> {
        let mut open = Vec::new();
        for (cqn, queue) in &self.queues {
            for e in queue.expected.iter().filter(|e| !e.removed) {
                open.push(format!("CQE of wr_id {} in CQ {cqn}", e.completion.wr_id));
            }
            for c in &queue.actual {
                open.push(format!("report of the CQE of wr_id {} in CQ {cqn}", c.wr_id));
            }
        }
        open
    }
}

impl Completions {
    /// Takes the oldest completion of the queue that was expected and polled.
    pub(super) fn pair(&mut self, cqn: u32) -> Option<(Expected, Completion)> {
        let queue = self.queues.get_mut(&cqn)?;
        let actual = queue.actual.front()?;
        // Completions that left the queue with their QP are skipped.
        let is_it = |e: &Expected| (e.completion.wr_id, e.completion.qpn) == (actual.wr_id, actual.qpn);
        while queue.expected.front().is_some_and(|e| e.removed && !is_it(e)) {
            queue.expected.pop_front();
        }
        Some((queue.expected.pop_front()?, queue.actual.pop_front()?))
    }
}
