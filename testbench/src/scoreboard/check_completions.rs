//! Compares completions. Each must equal the one that the reported write requires, and its data must be in memory.
use super::completions::Expected;
use super::failure::{is_expected, Failure, Kind};
use super::{queue_pair_of, Checked};
use crate::station::Station;
use hca_golden::event::Event;
use hca_golden::verbs::{CompletedOperation, Completion, QueueSide, SendRequest, Status};
use std::collections::VecDeque;

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
            while let Some((expected, actual)) = self.completions.pair(cqn) {
                self.completion_out(cqn, expected, actual)?;
            }
        }
        Ok(())
    }

    fn completion_out(
        &mut self,
        cqn: u32,
        expected: Expected,
        actual: Completion,
    ) -> Result<(), Box<Failure>> {
        let Expected {
            event,
            completion: expected,
            placed,
            ..
        } = expected;
        let qpn = queue_pair_of(&event);
        if let Some(qpn) = qpn {
            let (wr_id, status) = (actual.wr_id, actual.status);
            let line = move || format!("CQE in CQ {cqn}: wr_id {wr_id}, {status:?}");
            self.history.push(qpn, self.now(), line);
        }
        if !is_expected(&expected, &actual) {
            let kind = Kind::Completion {
                cqn,
                expected,
                actual,
            };
            return Err(self.failure(qpn, Some(event), kind));
        }
        if is_of_receive_queue(&event) {
            self.received(&event, &actual)?;
            if actual.status == Status::Success {
                self.nothing_after_receive(&event, actual.qpn, placed)?;
            }
        } else {
            self.answered(&event, &actual)?;
        }
        self.completions.checked.push_back(actual);
        Ok(())
    }

    /// Checks a completed receive: its whole buffer in memory must be as the rules require.
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
    /// Checks a completed send request, and all before it: the results of its Reads and atomics in memory must be as
    /// the rules require.
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

fn is_of_receive_queue(event: &Event) -> bool {
    matches!(
        event,
        Event::CompletionWritten {
            side: QueueSide::Receive,
            ..
        }
    )
}
