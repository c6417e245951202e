//! Completions: each must equal the one that the reported write requires, and its data must be in memory.
use super::failure::{completion_rows, Failure, Kind};
use super::{queue_pair_of, Checked};
use crate::device::Verb;
use crate::station::Station;
use hca_golden::event::Event;
use hca_golden::verbs::{CompletedOperation, Completion, QueueSide, ReceiveRequest, SendRequest, Status};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// The completions that the model expects, and those that were compared already.
#[derive(Default)]
pub struct Completions {
    queues: BTreeMap<u32, Queue>,
    /// Compared completions, for software.
    pub checked: VecDeque<Completion>,
    /// Receive requests per QP that have not completed, in post order.
    receives: HashMap<u32, VecDeque<ReceiveRequest>>,
    /// Send requests per QP that have not completed, in post order.
    sends: HashMap<u32, VecDeque<SendRequest>>,
}

#[derive(Default)]
struct Queue {
    expected: VecDeque<Expected>,
    actual: VecDeque<Completion>,
}

struct Expected {
    event: Event,
    completion: Completion,
    /// Its QP went to Reset, or was destroyed, before it was polled.
    removed: bool,
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

    /// A QP went to Reset, or was destroyed: its work is forgotten, and its completions may have left the queues
    /// unpolled.
    pub fn forget(&mut self, qpn: u32) {
        self.receives.remove(&qpn);
        self.sends.remove(&qpn);
        for queue in self.queues.values_mut() {
            let of_qp = queue.expected.iter_mut().filter(|e| e.completion.qpn == qpn);
            of_qp.for_each(|e| e.removed = true);
        }
    }

    /// This completion must be in the queue, because of this event.
    pub fn expect(&mut self, cqn: u32, event: Event, completion: Completion) {
        self.queues.entry(cqn).or_default().expected.push_back(Expected {
            event,
            completion,
            removed: false,
        });
    }

    /// True if a completion was reported and not yet polled.
    pub fn announced(&self) -> bool {
        self.queues
            .values()
            .any(|q| q.expected.iter().any(|e| !e.removed))
    }

    /// True if a completion of this work queue was reported and not yet polled.
    pub fn announced_of(&self, qpn: u32, of: QueueSide) -> bool {
        let is_of = |e: &Expected| matches!(e.event, Event::CompletionWritten { qpn: q, side, .. } if (q, side) == (qpn, of));
        self.queues.values().any(|q| q.expected.iter().any(is_of))
    }

    /// Completions that only one of the two has, as text.
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

impl Checked {
    pub(super) fn completions_out(&mut self) -> Result<(), Box<Failure>> {
        let cqns: Vec<u32> = self.completions.queues.keys().copied().collect();
        for cqn in cqns {
            while let Some(actual) = self.device.poll(cqn).map_err(|fault| self.fault(fault))? {
                self.progress = self.now();
                if let Some(queue) = self.completions.queues.get_mut(&cqn) {
                    queue.actual.push_back(actual);
                }
            }
            while let Some((event, expected, actual)) = self.completions.pair(cqn) {
                self.completion_out(cqn, event, expected, actual)?;
            }
        }
        Ok(())
    }

    fn completion_out(
        &mut self,
        cqn: u32,
        event: Event,
        expected: Completion,
        actual: Completion,
    ) -> Result<(), Box<Failure>> {
        let qpn = queue_pair_of(&event);
        if let Some(qpn) = qpn {
            let (wr_id, status) = (actual.wr_id, actual.status);
            let line = move || format!("CQE in CQ {cqn}: wr_id {wr_id}, {status:?}");
            self.history.push(qpn, self.now(), line);
        }
        if completion_rows(&expected, &actual).iter().any(|r| r.differs) {
            let kind = Kind::Completion {
                cqn,
                expected,
                actual,
            };
            return Err(self.failure(qpn, Some(event), kind));
        }
        if is_of_receive_queue(&event) {
            self.received(&event, &actual)?;
        } else {
            self.answered(&event, &actual)?;
        }
        self.completions.checked.push_back(actual);
        Ok(())
    }

    /// A receive completed: its whole buffer in memory must be as the rules require.
    fn received(&mut self, event: &Event, completion: &Completion) -> Result<(), Box<Failure>> {
        let open = self.completions.receives.get_mut(&completion.qpn);
        let Some(request) = open.and_then(VecDeque::pop_front) else {
            return Ok(());
        };
        if completion.status != Status::Success || completion.operation != CompletedOperation::Receive {
            return Ok(());
        }
        for sge in &request.sges {
            let what = format!("receive buffer of wr_id {}", completion.wr_id);
            self.compare_memory(Some(*event), &what, sge.addr, sge.length.into())?;
        }
        Ok(())
    }
}

impl Checked {
    /// A send request completed, and all before it: the results of its Reads and atomics in memory must be as the rules
    /// require.
    fn answered(&mut self, event: &Event, completion: &Completion) -> Result<(), Box<Failure>> {
        let Some(open) = self.completions.sends.get_mut(&completion.qpn) else {
            return Ok(());
        };
        let Some(last) = open.iter().position(|r| r.wr_id == completion.wr_id) else {
            return Ok(());
        };
        let ended: Vec<SendRequest> = open.drain(..=last).collect();
        if completion.status != Status::Success {
            return Ok(());
        }
        for request in ended.iter().filter(|r| r.operation.is_read_or_atomic()) {
            let what = format!("what wr_id {} brought", request.wr_id);
            for sge in &request.sges {
                self.compare_memory(Some(*event), &what, sge.addr, sge.length.into())?;
            }
        }
        Ok(())
    }
}

impl Completions {
    fn pair(&mut self, cqn: u32) -> Option<(Event, Completion, Completion)> {
        let queue = self.queues.get_mut(&cqn)?;
        let actual = queue.actual.front()?;
        // Completions that left the queue with their QP are skipped.
        let is_it = |e: &Expected| (e.completion.wr_id, e.completion.qpn) == (actual.wr_id, actual.qpn);
        while queue.expected.front().is_some_and(|e| e.removed && !is_it(e)) {
            queue.expected.pop_front();
        }
        let Expected {
            event, completion, ..
        } = queue.expected.pop_front()?;
        Some((event, completion, queue.actual.pop_front()?))
    }
}

fn is_of_receive_queue(event: &Event) -> bool {
    matches!(
        event,
        Event::CompletionWritten {
            side: QueueSide::Receive,
            ..
        }
    )
}
