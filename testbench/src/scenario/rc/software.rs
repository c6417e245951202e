//! Software of both sides. It posts as the queues have room; receive buffers are often too late.
use super::breakage::Breakage;
use super::plan::{Flow, Message, Plan, Random, Shape};
use super::traffic::{qpn_of, OnProgress, Traffic, ENTRIES};
use crate::device::Verb;
use crate::fabric::{Fabric, Reaped, Stop};
use crate::Side;
use hca_golden::verbs::{Completion, ReceiveRequest, Status};

/// Lowest `wr_id` of receive buffers. It distinguishes them, because a failed completion does not name its queue.
const RECEIVE: u64 = 1_000;
/// Largest number of verbs under way, so that software does not run far ahead of the device.
const VERBS: usize = 8;
/// Number of clock cycles between two looks while nothing completes.
const PAUSE: u32 = 20;

/// The progress of a flow.
#[derive(Default)]
pub struct Progress {
    /// Number of messages and of receive buffers posted.
    pub posted: usize,
    pub buffers: usize,
    /// Number of messages that a completion has ended.
    pub ended: usize,
    /// Completions of both queues, in order.
    pub sent: Vec<Completion>,
    pub received: Vec<Completion>,
    /// A completion of the sender was in error, so its queue is flushed.
    pub failed: bool,
    /// A completion of the receiver was in error. It may have acknowledged that message and all behind it, so that the
    /// sender does not learn of the error.
    pub receive_failed: bool,
}

pub struct Software<'a> {
    plan: &'a Plan,
    random: Random,
    may_give_up: bool,
    posts: u32,
    breakage: &'a Breakage,
    /// All connections but the stalled ones have ended.
    others_done: bool,
    /// Progress of each flow, by sending side and connection.
    pub progress: [Vec<Progress>; 2],
}

/// Returns the phase of a status in a queue that host memory may fail: successes, then the status of the fault, then
/// flushed requests.
fn turn(status: Status) -> Option<u8> {
    match status {
        Status::Success => Some(0),
        Status::LocQpOpErr | Status::RemOpErr | Status::RetryExcErr => Some(1),
        Status::WrFlushErr => Some(2),
        _ => None,
    }
}

/// Returns true if no completion of a posted message is outstanding.
fn is_settled(flow: &Flow, progress: &Progress) -> bool {
    let open = &flow.messages[progress.ended..progress.posted];
    let silent = |m: &Message| !progress.failed && !m.request.signaled;
    open.iter().all(silent)
}

impl<'a> Software<'a> {
    pub fn new(plan: &'a Plan, random: Random, traffic: &Traffic, breakage: &'a Breakage) -> Software<'a> {
        let fresh = |flows: &Vec<Flow>| flows.iter().map(|_| Progress::default()).collect();
        Software {
            plan,
            random,
            may_give_up: traffic.may_give_up,
            posts: traffic.posts,
            breakage,
            others_done: false,
            progress: [fresh(&plan.flows[0]), fresh(&plan.flows[1])],
        }
    }

    /// Returns true if one of the connection's two QPs has failed.
    pub fn failed(&self, n: usize) -> bool {
        let failed = |of_side: &Vec<Progress>| of_side[n].failed || of_side[n].receive_failed;
        self.progress.iter().any(failed)
    }

    /// Posts everything and waits for all of it, except for connections that failed.
    pub fn run(&mut self, fabric: &mut Fabric<'_>, progress: &OnProgress) -> Result<(), Stop> {
        let total: usize = self.plan.flows.iter().flatten().map(|f| f.messages.len()).sum();
        while !self.is_done() {
            for side in Side::BOTH {
                for _ in 0..self.posts {
                    if fabric.station(side).verbs_open() < VERBS {
                        self.post(fabric, side);
                    }
                }
            }
            let mut pause = 0;
            fabric.run_until("a completion", |fabric| {
                pause += 1;
                pause > PAUSE || fabric.has_completion()
            })?;
            self.take_completions(fabric)?;
            self.others_done = self.is_done_without(|shape| shape.stalled);
            let ended: usize = self.progress.iter().flatten().map(|p| p.ended).sum();
            progress(fabric, ended as u64, total as u64);
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_done_without(|_| false)
    }

    /// Returns true if all connections are done, or left out.
    fn is_done_without(&self, left_out: impl Fn(&Shape) -> bool) -> bool {
        let done = |flow: &Flow| {
            if left_out(&flow.shape) {
                return true;
            }
            let n = flow.shape.n as usize;
            let progress = &self.progress[flow.from as usize][n];
            let count = flow.messages.len();
            if self.failed(n) {
                return !self.breakage.meets(n as u32) || is_settled(flow, progress);
            }
            progress.ended == count && progress.received.len() == flow.receiving().count()
        };
        self.plan.flows.iter().flatten().all(done)
    }

    /// Posts one request of a random flow that begins or ends on this side.
    fn post(&mut self, fabric: &mut Fabric<'_>, side: Side) {
        let n = self.random.below(self.plan.shapes.len() as u32);
        if self.failed(n as usize) {
            return;
        }
        let qpn = qpn_of(side, n);
        let from = match self.random.once_in(2) {
            true => side,
            false => side.other(),
        };
        let flow = &self.plan.flows[from as usize][n as usize];
        let progress = &mut self.progress[from as usize][n as usize];
        let room = ENTRIES as usize;
        if from == side {
            if let Some(message) = flow.messages.get(progress.posted) {
                if progress.posted - progress.ended < room {
                    progress.posted += 1;
                    let request = message.request.clone();
                    fabric.station(side).submit(Verb::PostSend { qpn, request });
                }
            }
        } else if progress.buffers - progress.received.len() < room
            && (self.others_done || !flow.shape.stalled)
        {
            let next = flow.receiving().nth(progress.buffers);
            if let Some((message, received)) = next.and_then(|m| m.received.as_ref().map(|r| (m, r))) {
                progress.buffers += 1;
                let request = ReceiveRequest {
                    wr_id: RECEIVE + message.request.wr_id,
                    sges: received.buffer.clone(),
                };
                fabric.station(side).submit(Verb::PostReceive { qpn, request });
            }
        }
    }

    /// Takes the completions.
    pub fn take_completions(&mut self, fabric: &mut Fabric<'_>) -> Result<(), Stop> {
        for side in Side::BOTH {
            while let Some(reaped) = fabric.reap(side) {
                self.take(fabric, &reaped)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, fabric: &Fabric<'_>, reaped: &Reaped) -> Result<(), Stop> {
        let completion = &reaped.completion;
        let receive = completion.wr_id >= RECEIVE;
        let from = match receive {
            true => reaped.side.other(),
            false => reaped.side,
        };
        let known = (0..self.plan.shapes.len()).find(|&n| qpn_of(reaped.side, n as u32) == completion.qpn);
        fabric.expect("a completion of a QP that exists", true, known.is_some())?;
        let n = known.unwrap_or_default();
        let fails = self.breakage.meets(n as u32);
        let progress = &mut self.progress[from as usize][n];
        let queue = match receive {
            true => &progress.received,
            false => &progress.sent,
        };
        if fails {
            let last = queue.last().map_or(Some(0), |c| turn(c.status));
            let ordered = last <= turn(completion.status) && turn(completion.status).is_some();
            let name = format!(
                "{:?} of connection {n} behind {:?} in order",
                completion.status,
                queue.last()
            );
            fabric.expect(&name, true, ordered)?;
            let failed = match receive {
                true => &mut progress.receive_failed,
                false => &mut progress.failed,
            };
            *failed |= completion.status != Status::Success;
        } else if completion.status != Status::Success {
            if !self.may_give_up {
                fabric.expect("status of a completion", Status::Success, completion.status)?;
            }
            // The first one gives the cause: its retries ran out. The rest is flushed, including receive buffers.
            let first = !progress.failed && !receive;
            let expected = match first {
                true => Status::RetryExcErr,
                false => Status::WrFlushErr,
            };
            fabric.expect("status of a failed completion", expected, completion.status)?;
            if !receive {
                progress.failed = true;
            }
        }
        let completion = Completion {
            wr_id: completion.wr_id % RECEIVE,
            ..completion.clone()
        };
        if receive {
            progress.received.push(completion);
        } else {
            progress.ended = completion.wr_id as usize + 1;
            progress.sent.push(completion);
        }
        Ok(())
    }
}
