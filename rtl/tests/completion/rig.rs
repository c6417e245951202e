//! Completion queues between engines, software and host memory, a clock at a time.
use crate::bench::{bits, library, Bench};
use crate::record::Completion;
use hca_rtl::completion::CompletionQueue;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// CQs there are.
pub const RINGS: usize = 16;

pub fn build() -> Library {
    library::<CompletionQueue<4, 4, 16>>("completion_queue")
}

/// Codes of the command bus.
pub const CREATE: u64 = 0;
pub const RESIZE: u64 = 1;
pub const DESTROY: u64 = 2;
pub const QUERY: u64 = 3;

/// Kinds at the retire port.
pub const WRITTEN: u64 = 10;
pub const ARMED: u64 = 23;
pub const CONSUMED: u64 = 24;
pub const OVERFLOW: u64 = 25;

#[derive(Clone, Copy, Debug, Default)]
pub struct Command {
    pub operation: u64,
    pub cqn: usize,
    pub base: u64,
    pub log_size: u64,
}

/// A write of CQ_CONSUMER or CQ_ARM.
#[derive(Clone, Copy, Debug)]
pub struct Doorbell {
    pub cqn: u64,
    pub arm: bool,
    pub value: u64,
}

/// A record of the retire port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub kind: u64,
    pub code: u64,
    pub qpn: u64,
    pub psn: u64,
    pub index: u64,
}

impl Record {
    pub fn read(vector: &[u8]) -> Record {
        Record {
            kind: bits(vector, 88, 8),
            code: bits(vector, 80, 8),
            qpn: bits(vector, 56, 24),
            psn: bits(vector, 32, 24),
            index: bits(vector, 0, 32),
        }
    }
}

/// What a command was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub refused: bool,
    pub base: u64,
    pub log_size: u64,
    pub producer: u16,
    pub consumer: u16,
    pub failed: bool,
    pub armed: u64,
}

/// What a clock brought.
#[derive(Debug, Default)]
pub struct Clock {
    /// Completions that were handed in, by side.
    pub taken: [bool; 2],
    pub rung: bool,
    pub answer: Option<Answer>,
    pub record: Option<Record>,
    pub armed: Option<Record>,
    /// Kind and CQN.
    pub event: Option<(u64, u64)>,
    pub failed: Option<u64>,
    pub entry: Option<(u64, [u8; 32])>,
    /// This entry's write was answered.
    pub answered: Option<u64>,
    /// A send completion, of this QP.
    pub fault_taken: Option<u64>,
}

pub struct Rig {
    pub bench: Bench,
    pub rng: fastrand::Rng,
    /// Offered by the receive and the send side.
    pub offered: [Option<Completion>; 2],
    pub doorbell: Option<Doorbell>,
    pub command: Option<Command>,
    pub written: [u16; 2],
    /// Clocks in which an entry is taken, of 256.
    pub ready: u8,
    /// The same of answers and of events.
    pub answers: u8,
    pub listens: u8,
    /// Addresses of the entries under way.
    pub under_way: VecDeque<u64>,
    pub clock: u64,
}

impl Rig {
    pub fn new(library: &Library, seed: u64) -> Rig {
        let bench = Bench::new(library, seed);
        let mut rig = Rig {
            bench,
            rng: fastrand::Rng::with_seed(seed),
            offered: [None; 2],
            doorbell: None,
            command: None,
            written: [0; 2],
            ready: 255,
            answers: 255,
            listens: 255,
            under_way: VecDeque::new(),
            clock: 0,
        };
        for input in ["broken", "takes_fault", "eqe_valid", "eqe_address", "drain_mark"] {
            rig.bench.set(input, 0);
        }
        rig.bench.set_bytes("eqe", &[0; 16]);
        for _ in 0..2 * RINGS {
            rig.step();
        }
        rig
    }

    fn chance(&mut self, of: u8) -> bool {
        of == 255 || self.rng.u8(..) < of
    }

    pub fn step(&mut self) -> Clock {
        let mut clock = Clock::default();
        for (side, name) in ["receive", "send"].into_iter().enumerate() {
            self.bench
                .set(&format!("{name}_valid"), u64::from(self.offered[side].is_some()));
            let shown = self.offered[side].unwrap_or_else(|| Completion::random(&mut self.rng, 0));
            self.bench.set_bytes(name, &shown.record(side == 0));
        }
        self.bench.set("responder_written", u64::from(self.written[0]));
        self.bench.set("requester_written", u64::from(self.written[1]));
        self.bench.set("command_valid", u64::from(self.command.is_some()));
        let command = self.command.unwrap_or_default();
        self.bench.set("command_operation", command.operation);
        self.bench.set("command_index", command.cqn as u64);
        self.bench.set("command_base", command.base);
        self.bench.set("command_log_size", command.log_size);
        self.bench
            .set("doorbell_valid", u64::from(self.doorbell.is_some()));
        if let Some(doorbell) = self.doorbell {
            self.bench.set("doorbell_index", doorbell.cqn);
            self.bench.set("doorbell_arm", u64::from(doorbell.arm));
            self.bench.set("doorbell_value", doorbell.value);
        }
        let ready = self.chance(self.ready);
        self.bench.set("entry_ready", u64::from(ready));
        let answers = !self.under_way.is_empty() && self.chance(self.answers);
        self.bench.set("answered", u64::from(answers));
        self.bench.set("answered_error", 0);
        let listens = self.chance(self.listens);
        self.bench.set("event_ready", u64::from(listens));
        self.bench.settle();

        for (side, name) in ["receive_ready", "send_ready"].into_iter().enumerate() {
            clock.taken[side] = self.offered[side].is_some() && self.bench.is_set(name);
            if clock.taken[side] {
                self.offered[side] = None;
            }
        }
        if self.doorbell.is_some() && self.bench.is_set("doorbell_ready") {
            clock.rung = true;
            self.doorbell = None;
        }
        if self.command.is_some() && self.bench.is_set("command_ready") {
            clock.answer = Some(Answer {
                refused: self.bench.is_set("command_refused"),
                base: self.bench.get("command_answer_base"),
                log_size: self.bench.get("command_answer_log_size"),
                producer: self.bench.get("command_answer_producer") as u16,
                consumer: self.bench.get("command_answer_consumer") as u16,
                failed: self.bench.is_set("command_answer_failed"),
                armed: self.bench.get("command_answer_armed"),
            });
            self.command = None;
        }
        if self.bench.is_set("retire_valid") {
            clock.record = Some(Record::read(&self.bench.bytes("retire_record")));
        }
        if self.bench.is_set("retire_arm_valid") {
            clock.armed = Some(Record::read(&self.bench.bytes("retire_arm_record")));
        }
        if self.bench.is_set("event_valid") && listens {
            clock.event = Some((self.bench.get("event_kind"), self.bench.get("event_number")));
        }
        clock.failed = self
            .bench
            .is_set("command_failed_valid")
            .then(|| self.bench.get("command_failed_index"));
        clock.fault_taken = self
            .bench
            .is_set("fault_taken_valid")
            .then(|| self.bench.get("fault_taken_index"));
        if answers {
            clock.answered = self.under_way.pop_front();
        }
        if self.bench.is_set("entry_valid") && ready {
            let mut entry: Vec<u8> = self.bench.bytes("entry");
            entry.reverse();
            let address = self.bench.get("entry_address");
            clock.entry = Some((address, entry.try_into().expect("an entry is 32 bytes")));
            self.under_way.push_back(address);
        }
        self.bench.tick();
        self.clock += 1;
        clock
    }

    /// Carries a command out; nothing else happens that the caller would have to see.
    pub fn command(&mut self, operation: u64, cqn: usize, base: u64, log_size: u64) -> Answer {
        self.command = Some(Command {
            operation,
            cqn,
            base,
            log_size,
        });
        for _ in 0..100 {
            if let Some(answer) = self.step().answer {
                return answer;
            }
        }
        panic!("no answer to {:?}", self.command);
    }

    /// Where the ring of a CQ is by default.
    pub fn base(cqn: usize) -> u64 {
        (cqn as u64 + 1) << 32
    }

    pub fn create(&mut self, cqn: usize, log_size: u64) {
        self.command(CREATE, cqn, Rig::base(cqn), log_size);
    }
}
