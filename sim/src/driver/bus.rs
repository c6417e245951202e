//! Calls as sequences of register accesses, one call after the other.
use super::DriverError;
use crate::axil::{Access, AxilMaster, Done};
use hca_rtl::host::{command, register};
use std::collections::{BTreeMap, VecDeque};

/// Names a call; answered once the clock has carried it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

pub(super) enum Job {
    Read { addr: u32 },
    Write { addr: u32, value: u32 },
    Command { code: u32, arguments: Vec<u32> },
}

/// `COMMAND_STATUS`: the command is being carried out.
const BUSY: u32 = 1 << 31;
/// `COMMAND_STATUS`: the result.
const RESULT: u32 = 0xFF;

#[derive(Default)]
pub(super) struct Jobs {
    waiting: VecDeque<Job>,
    /// The front call has started; accesses it still waits for.
    open: Option<usize>,
    failed_at: Option<u32>,
    issued: u64,
    finished: u64,
    /// Outcomes other than "done, value 0".
    notable: BTreeMap<u64, Result<u32, DriverError>>,
}

impl Jobs {
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

    pub fn step(&mut self, bus: &mut AxilMaster) {
        while let Some(done) = bus.pop() {
            self.take(done, bus);
        }
        if self.open.is_none() {
            self.start(bus);
        }
    }

    fn start(&mut self, bus: &mut AxilMaster) {
        let accesses = match self.waiting.front() {
            None => return,
            Some(Job::Read { addr }) => vec![Access::Read { addr: *addr }],
            Some(Job::Write { addr, value }) => vec![Access::Write {
                addr: *addr,
                value: *value,
            }],
            Some(Job::Command { code, arguments }) => {
                let argument = |(value, n): (&u32, u32)| Access::Write {
                    addr: register::ARGUMENT + 4 * n,
                    value: *value,
                };
                let mut accesses: Vec<Access> = arguments.iter().zip(0..).map(argument).collect();
                accesses.push(Access::Write {
                    addr: register::COMMAND,
                    value: *code,
                });
                accesses.push(STATUS);
                accesses
            }
        };
        self.open = Some(accesses.len());
        accesses.into_iter().for_each(|a| bus.push(a));
    }

    fn take(&mut self, done: Done, bus: &mut AxilMaster) {
        if !done.okay {
            let (Access::Read { addr } | Access::Write { addr, .. }) = done.access;
            self.failed_at.get_or_insert(addr);
        }
        let left = self.open.unwrap_or(0).saturating_sub(1);
        self.open = Some(left);
        if left > 0 {
            return;
        }
        let command = matches!(self.waiting.front(), Some(Job::Command { .. }));
        if command && done.value & BUSY != 0 && done.okay {
            self.open = Some(1);
            bus.push(STATUS);
            return;
        }
        let outcome = match self.failed_at.take() {
            Some(addr) => Err(DriverError::Register(addr)),
            None if command && done.value & RESULT != command::OK => {
                Err(DriverError::Refused(done.value & RESULT))
            }
            None if command => Ok(0),
            None => Ok(done.value),
        };
        if outcome != Ok(0) {
            self.notable.insert(self.finished, outcome);
        }
        self.finished += 1;
        self.waiting.pop_front();
        self.open = None;
    }
}

const STATUS: Access = Access::Read {
    addr: register::COMMAND_STATUS,
};
