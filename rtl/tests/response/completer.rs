//! What the requester decides against plain lists of WQEs: every completion, in post order, once.
use crate::bench::{self, bits, Bench};
use hca_host::{command, cqe};
use hca_rtl::requester::{completer, Completer};
use std::collections::VecDeque;

const QPS: usize = 16;

#[derive(Clone, Debug)]
struct Wqe {
    last_psn: u32,
    operation: u8,
    signaled: bool,
    bytes: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Completion {
    qp: usize,
    index: u16,
    status: u8,
    operation: u8,
    bytes: u32,
    fence: u16,
}

/// The send queue of one QP as software and requester see it.
#[derive(Clone, Default)]
struct Queue {
    next_psn: u32,
    arrived: u16,
    started: u16,
    completed: u16,
    wqes: VecDeque<Wqe>,
    failed: bool,
    /// Nothing is written any more once it has failed.
    fence: u16,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    kind: u8,
    bound: u32,
    status: u8,
    fence: u16,
}

impl Queue {
    /// What a message completes (`protocol/requester.md` sections 6 and 9).
    fn carry_out(&mut self, qp: usize, message: Message, expected: &mut VecDeque<Completion>) {
        let before = |psn: u32| message.bound.wrapping_sub(psn).wrapping_sub(1) & 0xFF_FFFF < 1 << 23;
        let mut end = |queue: &mut Queue, status: u8| {
            let wqe = queue.wqes.pop_front();
            if status != cqe::SUCCESS || wqe.as_ref().is_some_and(|wqe| wqe.signaled) {
                expected.push_back(Completion {
                    qp,
                    index: queue.completed,
                    status,
                    operation: wqe.as_ref().map_or(0, |wqe| wqe.operation),
                    bytes: wqe.filter(|_| status == cqe::SUCCESS).map_or(0, |wqe| wqe.bytes),
                    fence: message.fence,
                });
            }
            queue.completed = queue.completed.wrapping_add(1);
        };
        if message.kind != completer::FLUSH {
            while self.wqes.front().is_some_and(|wqe| before(wqe.last_psn)) {
                end(self, cqe::SUCCESS);
            }
        }
        if message.kind == completer::FAIL {
            end(self, message.status);
        }
        while message.kind == completer::FLUSH && self.completed != self.arrived {
            end(self, cqe::WR_FLUSH_ERR);
        }
    }
}

fn modify(bench: &mut Bench, qp: usize, state: u32) {
    let mut row = [0; 56];
    let mut argument = |n: usize, value: u32| row[4 * (13 - n)..][..4].copy_from_slice(&value.to_le_bytes());
    argument(command::modify_qp::QPN, 0x100 + qp as u32);
    argument(command::modify_qp::STATE, state);
    argument(command::modify_qp::CQNS, 3 * qp as u32);
    bench.set("modify_valid", 1);
    bench.set("modify_index", qp as u64);
    bench.set_bytes("modify_row", &row);
}

struct Run {
    bench: Bench,
    rng: fastrand::Rng,
    queues: Vec<Queue>,
    expected: Vec<VecDeque<Completion>>,
    consumers: Vec<u16>,
    completions: u32,
}

impl Run {
    /// Looks at the outputs of one clock.
    fn observe(&mut self) {
        // The lookup answers without a clock.
        self.bench.settle();
        let looked = self.bench.get("arrived_index") as usize;
        self.bench.set("arrived", self.queues[looked].arrived.into());
        self.bench.settle();
        if self.bench.is_set("completion_valid") && self.bench.is_set("completion_ready") {
            let record = self.bench.bytes("completion");
            let qp = bits(&record, 16, 24) as usize - 0x100;
            assert_eq!(bits(&record, 0, 16) as usize, 3 * qp, "CQN");
            let completion = Completion {
                qp,
                index: bits(&record, 40, 16) as u16,
                status: bits(&record, 56, 8) as u8,
                operation: bits(&record, 65, 8) as u8,
                bytes: bits(&record, 73, 32) as u32,
                fence: bits(&record, 141, 16) as u16,
            };
            assert_eq!(Some(completion), self.expected[qp].pop_front());
            self.completions += 1;
        }
        if self.bench.is_set("consumer_valid") {
            let qp = self.bench.get("consumer_index") as usize;
            self.consumers[qp] = self.consumers[qp].wrapping_add(1);
            assert_eq!(self.bench.get("consumer") as u16, self.consumers[qp]);
        }
    }

    fn quiet(&mut self) {
        for input in ["modify_valid", "sent_valid", "message_valid"] {
            self.bench.set(input, 0);
        }
        let ready = self.rng.u32(..4) != 0;
        self.bench.set("completion_ready", ready.into());
    }

    fn step(&mut self) {
        self.observe();
        self.bench.tick();
        self.quiet();
    }

    /// A WQE starts.
    fn send(&mut self, qp: usize) {
        let queue = &mut self.queues[qp];
        let psns = if self.rng.bool() { 1 } else { self.rng.u32(1..5) };
        queue.next_psn = (queue.next_psn + psns) & 0xFF_FFFF;
        let wqe = Wqe {
            last_psn: queue.next_psn.wrapping_sub(1) & 0xFF_FFFF,
            operation: self.rng.u8(..8),
            signaled: self.rng.bool(),
            bytes: self.rng.u32(..),
        };
        for (port, value) in [
            ("sent_valid", 1),
            ("sent_index", qp as u64),
            ("sent_wqe", queue.started.into()),
            ("sent_psn", wqe.last_psn.into()),
            ("sent_operation", wqe.operation.into()),
            ("sent_signaled", wqe.signaled.into()),
            ("sent_bytes", wqe.bytes.into()),
        ] {
            self.bench.set(port, value);
        }
        queue.started = queue.started.wrapping_add(1);
        queue.wqes.push_back(wqe);
    }

    /// Offers a message until it is taken.
    fn tell(&mut self, qp: usize, message: Message) {
        for (port, value) in [
            ("message_valid", 1),
            ("message_index", qp as u64),
            ("message_kind", message.kind.into()),
            ("message_bound", message.bound.into()),
            ("message_status", message.status.into()),
            ("message_fence", message.fence.into()),
        ] {
            self.bench.set(port, value);
        }
        self.queues[qp].carry_out(qp, message, &mut self.expected[qp]);
        loop {
            self.observe();
            let taken = self.bench.is_set("message_ready");
            self.bench.tick();
            let ready = self.rng.u32(..4) != 0;
            self.bench.set("completion_ready", ready.into());
            if taken {
                break;
            }
        }
        self.quiet();
    }

    /// Waits until nothing is under way for the QP and resets it.
    fn reset(&mut self, qp: usize) {
        self.bench.set("idle_index", qp as u64);
        loop {
            self.observe();
            let idle = self.bench.is_set("idle");
            self.bench.tick();
            self.quiet();
            if idle {
                break;
            }
        }
        assert!(self.expected[qp].is_empty(), "QP {qp} is not idle");
        modify(&mut self.bench, qp, command::STATE_RESET);
        self.queues[qp] = Queue {
            next_psn: self.rng.u32(..1 << 24),
            ..Queue::default()
        };
        self.consumers[qp] = 0;
        self.step();
        for _ in 0..3 {
            self.step();
        }
    }

    fn turn(&mut self) {
        let qp = self.rng.usize(..QPS);
        let queue = &mut self.queues[qp];
        let message = Message {
            kind: completer::ADVANCE,
            bound: 0,
            status: 0,
            fence: if queue.failed {
                queue.fence
            } else {
                self.rng.u16(..)
            },
        };
        match self.rng.u32(..100) {
            0 => self.reset(qp),
            1..=25 if queue.arrived.wrapping_sub(queue.completed) < 60 => {
                queue.arrived = queue.arrived.wrapping_add(self.rng.u16(1..4));
                if queue.failed {
                    let kind = completer::FLUSH;
                    self.tell(qp, Message { kind, ..message });
                }
            }
            26..=60 if queue.started != queue.arrived && !queue.failed => self.send(qp),
            61..=95 if !queue.wqes.is_empty() && !queue.failed => {
                let wqe = queue.wqes[self.rng.usize(..queue.wqes.len())].clone();
                // Sometimes in the middle of a message.
                let bound = wqe.last_psn.wrapping_add(self.rng.u32(..2)) & 0xFF_FFFF;
                self.tell(qp, Message { bound, ..message });
            }
            96..=98 if !queue.wqes.is_empty() && !queue.failed => {
                let bound = queue.wqes[self.rng.usize(..queue.wqes.len())].last_psn;
                queue.failed = true;
                queue.fence = message.fence;
                let (kind, status) = (completer::FAIL, self.rng.u8(1..14));
                self.tell(
                    qp,
                    Message {
                        kind,
                        bound,
                        status,
                        ..message
                    },
                );
                let kind = completer::FLUSH;
                self.tell(qp, Message { kind, ..message });
            }
            _ => {}
        }
        self.step();
    }
}

#[test]
fn completions_follow_the_messages_of_the_requester() {
    let library = bench::library::<Completer<4, 10>>("completer");
    for seed in 0..2 {
        let mut run = Run {
            bench: Bench::new(&library, seed),
            rng: fastrand::Rng::with_seed(seed),
            queues: vec![Queue::default(); QPS],
            expected: vec![VecDeque::new(); QPS],
            consumers: vec![0; QPS],
            completions: 0,
        };
        for input in ["idle_index", "arrived", "sent_index"] {
            run.bench.set(input, 0);
        }
        run.quiet();
        for qp in 0..QPS {
            run.reset(qp);
        }
        for _ in 0..5000 {
            run.turn();
        }
        for qp in 0..QPS {
            run.reset(qp);
        }
        assert!(run.completions > 500, "{}", run.completions);
    }
}

/// Starts WQEs 0 and up of QP 2 in order, one a clock for each of these QPs, WQE n with the PSN n; then hands over the
/// messages, and finds the clocks in which completions come.
fn completion_clocks(wqes: &[usize], messages: &[(usize, u64)]) -> Vec<u32> {
    let library = bench::library::<Completer<4, 10>>("completer");
    let mut bench = Bench::new(&library, 1);
    for input in ["message_valid", "sent_valid", "idle_index", "arrived"] {
        bench.set(input, 0);
    }
    bench.set("completion_ready", 1);
    for qp in 0..4 {
        modify(&mut bench, qp, command::STATE_RESET);
        bench.settle();
        bench.tick();
        bench.set("modify_valid", 0);
        for _ in 0..20 {
            bench.settle();
            bench.tick();
        }
    }
    let mut started = [0; QPS];
    for &qp in wqes {
        for (port, value) in [
            ("sent_valid", 1),
            ("sent_index", qp as u64),
            ("sent_wqe", started[qp]),
            ("sent_psn", started[qp]),
            ("sent_operation", 0),
            ("sent_signaled", 1),
            ("sent_bytes", 0),
        ] {
            bench.set(port, value);
        }
        started[qp] += 1;
        bench.settle();
        bench.tick();
    }
    bench.set("sent_valid", 0);
    let (mut clocks, mut next) = (vec![], 0);
    for clock in 0..200 {
        let message = messages.get(next);
        let (qp, bound) = message.copied().unwrap_or((0, 0));
        for (port, value) in [
            ("message_valid", u64::from(message.is_some())),
            ("message_index", qp as u64),
            ("message_kind", completer::ADVANCE.into()),
            ("message_bound", bound),
            ("message_status", 0),
            ("message_fence", 0),
        ] {
            bench.set(port, value);
        }
        bench.settle();
        next += usize::from(message.is_some() && bench.is_set("message_ready"));
        if bench.is_set("completion_valid") {
            clocks.push(clock);
        }
        bench.tick();
    }
    clocks
}

/// One message that completes 32 WQEs: two clocks each.
#[test]
fn a_message_completes_two_in_four_clocks() {
    let clocks = completion_clocks(&[2; 32], &[(2, 32)]);
    assert_eq!(clocks.len(), 32);
    assert_eq!(clocks[31] - clocks[0], 61, "{clocks:?}");
}

/// Messages that complete one WQE each: two clocks each on queue pairs in turn, five on one.
#[test]
fn a_message_takes_two_clocks() {
    let wqes: Vec<usize> = (0..40).map(|n| n % 4).collect();
    let in_turn: Vec<(usize, u64)> = (0..40).map(|n| (n % 4, n as u64 / 4 + 1)).collect();
    let clocks = completion_clocks(&wqes, &in_turn);
    assert_eq!(clocks.len(), 40);
    assert!(clocks.windows(2).all(|pair| pair[1] - pair[0] == 2), "{clocks:?}");
    let of_one: Vec<(usize, u64)> = (1..=20).map(|bound| (1, bound)).collect();
    let clocks = completion_clocks(&[1; 20], &of_one);
    assert_eq!(clocks.len(), 20);
    assert!(clocks.windows(2).all(|pair| pair[1] - pair[0] == 5), "{clocks:?}");
}
