//! Turns calls into sequences of register accesses, one call after another.
use super::effect::Effect;
use super::DriverError;
use crate::axil::{Access, AxilMaster, Done};
use hca_host::{command, register};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Identifies a call. Its outcome is available once the clock has carried the call out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

pub(super) enum Job {
    Read {
        addr: u32,
    },
    Write {
        addr: u32,
        value: u32,
    },
    /// A write of a producer. A later write to the same queue makes an earlier one unnecessary.
    Doorbell {
        addr: u32,
        value: u32,
    },
    Command {
        code: u32,
        /// Words of `ARGUMENT`, each with its index.
        arguments: Vec<(usize, u32)>,
        /// Words of `ARGUMENT` that hold the answer.
        answer: Range<usize>,
        /// Effect on the driver's state if the command succeeds.
        effect: Effect,
    },
}

impl Job {
    /// Makes a command without an answer.
    pub fn command(code: u32, arguments: Vec<(usize, u32)>, effect: Effect) -> Job {
        Job::Command {
            code,
            arguments,
            answer: 0..0,
            effect,
        }
    }
}

/// Bit of `COMMAND_STATUS`: the command is being carried out.
const BUSY: u32 = 1 << 31;
/// Bits of `COMMAND_STATUS`: the result.
const RESULT: u32 = 0xFF;

/// A completed command, with the answer if it succeeded.
pub(super) type Ended = (Effect, Option<Vec<u32>>);

/// The call at the front of the queue, which has started.
struct Open {
    /// Number of accesses that the call still waits for.
    left: usize,
    failed_at: Option<u32>,
    /// The words of the answer so far, if the command succeeded.
    answer: Option<Vec<u32>>,
}

#[derive(Default)]
pub(super) struct Jobs {
    waiting: VecDeque<Job>,
    open: Option<Open>,
    issued: u64,
    finished: u64,
    /// Outcomes other than "done, value 0".
    notable: BTreeMap<u64, Result<u32, DriverError>>,
    answers: BTreeMap<u64, Vec<u32>>,
    /// True if waiting doorbells of one queue are combined into one write.
    combines: bool,
    /// By doorbell address: number of the last call that an earlier write has already carried out.
    rung: BTreeMap<u32, u64>,
}

impl Jobs {
    /// Combines waiting doorbells of one queue into one write from now on.
    pub fn combine(&mut self) {
        self.combines = true;
    }

    pub fn push(&mut self, job: Job) -> Ticket {
        self.waiting.push_back(job);
        self.issued += 1;
        Ticket(self.issued - 1)
    }

    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn outcome(&self, ticket: Ticket) -> Option<Result<u32, DriverError>> {
        let done = ticket.0 < self.finished;
        done.then(|| self.notable.get(&ticket.0).cloned().unwrap_or(Ok(0)))
    }

    /// Returns the words of `ARGUMENT` that a successful query has returned.
    pub fn answer(&self, ticket: Ticket) -> Option<&[u32]> {
        self.answers.get(&ticket.0).map(Vec::as_slice)
    }

    /// Makes progress; returns the commands that ended, with the answer if they succeeded.
    pub fn step(&mut self, bus: &mut AxilMaster) -> Vec<Ended> {
        let mut ended = Vec::new();
        while let Some(done) = bus.pop() {
            ended.extend(self.take(done, bus));
        }
        if self.open.is_none() {
            self.start(bus);
        }
        ended
    }

    /// Ends the calls at the front of the queue that an earlier write of the same doorbell has already carried out.
    fn skip_rung(&mut self) {
        while let Some(Job::Doorbell { addr, .. }) = self.waiting.front() {
            if self.rung.get(addr).is_none_or(|last| *last < self.finished) {
                return;
            }
            self.waiting.pop_front();
            self.finished += 1;
        }
    }

    /// Returns the newest producer of this queue that waits before any other access.
    fn newest(&mut self, addr: u32, value: u32) -> u32 {
        let mut newest = value;
        for (call, job) in (self.finished..).zip(&self.waiting) {
            match job {
                Job::Doorbell { addr: other, value } if *other == addr => {
                    newest = *value;
                    self.rung.insert(addr, call);
                }
                Job::Doorbell { .. } => {}
                _ => break,
            }
        }
        newest
    }

    fn start(&mut self, bus: &mut AxilMaster) {
        if self.combines {
            self.skip_rung();
            if let Some(Job::Doorbell { addr, value }) = self.waiting.front() {
                let (addr, value) = (*addr, *value);
                let value = self.newest(addr, value);
                self.waiting[0] = Job::Write { addr, value };
            }
        }
        let accesses = match self.waiting.front() {
            None => return,
            Some(Job::Read { addr }) => vec![Access::Read { addr: *addr }],
            Some(Job::Write { addr, value } | Job::Doorbell { addr, value }) => vec![Access::Write {
                addr: *addr,
                value: *value,
            }],
            Some(Job::Command { code, arguments, .. }) => {
                let argument = |(n, value): &(usize, u32)| Access::Write {
                    addr: argument(*n),
                    value: *value,
                };
                let mut accesses: Vec<Access> = arguments.iter().map(argument).collect();
                accesses.push(Access::Write {
                    addr: register::COMMAND,
                    value: *code,
                });
                accesses.push(STATUS);
                accesses
            }
        };
        self.open = Some(Open {
            left: accesses.len(),
            failed_at: None,
            answer: None,
        });
        accesses.into_iter().for_each(|a| bus.push(a));
    }

    fn take(&mut self, done: Done, bus: &mut AxilMaster) -> Option<Ended> {
        let open = self.open.as_mut()?;
        if !done.okay {
            let (Access::Read { addr } | Access::Write { addr, .. }) = done.access;
            open.failed_at.get_or_insert(addr);
        }
        if let Some(answer) = &mut open.answer {
            answer.push(done.value);
        }
        open.left = open.left.saturating_sub(1);
        if open.left > 0 {
            return None;
        }
        let wanted = match self.waiting.front() {
            Some(Job::Command { answer, .. }) => Some(answer.clone()),
            _ => None,
        };
        let outcome = match (open.failed_at, wanted) {
            (Some(addr), _) => Err(DriverError::Register(addr)),
            (None, None) => Ok(done.value),
            (None, Some(_)) if open.answer.is_some() => Ok(0),
            (None, Some(_)) if done.value & BUSY != 0 => {
                open.left = 1;
                bus.push(STATUS);
                return None;
            }
            (None, Some(_)) if done.value & RESULT != command::OK => {
                Err(DriverError::Refused(done.value & RESULT))
            }
            (None, Some(words)) => {
                open.answer = Some(Vec::new());
                if !words.is_empty() {
                    open.left = words.len();
                    words.for_each(|n| bus.push(Access::Read { addr: argument(n) }));
                    return None;
                }
                Ok(0)
            }
        };
        self.finish(outcome)
    }

    fn finish(&mut self, outcome: Result<u32, DriverError>) -> Option<Ended> {
        let answer = self.open.take()?.answer;
        let job = self.waiting.pop_front()?;
        let answer = answer.filter(|_| outcome.is_ok());
        if outcome != Ok(0) {
            self.notable.insert(self.finished, outcome);
        }
        if let Some(words) = answer.as_ref().filter(|words| !words.is_empty()) {
            self.answers.insert(self.finished, words.clone());
        }
        self.finished += 1;
        match job {
            Job::Command { effect, .. } => Some((effect, answer)),
            Job::Read { .. } | Job::Write { .. } | Job::Doorbell { .. } => None,
        }
    }
}

const STATUS: Access = Access::Read {
    addr: register::COMMAND_STATUS,
};

/// Returns the address of argument `n`.
fn argument(n: usize) -> u32 {
    register::ARGUMENT + 4 * n as u32
}
