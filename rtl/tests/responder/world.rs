//! The receive side under Verilator between stubs: walker, cache, queues and the requester, each as slow as it likes.
use crate::bench::{bits, Bench};
use crate::packet::{Completion, Fields, Job, Outcome, Packet, DLID, SL};
use crate::reference::{permits, psns, report, Open, Qp, ERROR, L_KEY, RESET, RTR, RTS};
use crate::traffic::{wqe, Faults, Peer};
use fastrand::Rng;
use hca_sim::verilated::Library;
use std::collections::VecDeque;

/// How the surroundings behave.
#[derive(Clone, Copy)]
pub struct Surroundings {
    pub faults: Faults,
    /// Sinks are ready in so many of 8 clocks.
    pub ready: u32,
    /// A bad receive WQE in one of so many; 0: none.
    pub bad_wqes: u32,
    /// Sides fail QPs without cause in one of so many clocks; 0: never.
    pub failures: u32,
    /// A packet is sent in one of so many clocks.
    pub pause: u32,
    /// Receive WQEs are posted in one of so many clocks.
    pub posts: u32,
    /// Room for what a decision tells comes in one of so many clocks that are ready.
    pub room: u32,
}

pub struct World {
    bench: Bench,
    rng: Rng,
    how: Surroundings,
    /// Of `SINKS`, whether there is room.
    room: [bool; 3],
    pub qps: Vec<Qp>,
    peers: Vec<Peer>,
    next_number: u32,
    at_door: Option<Packet>,
    /// Packets that passed the door, not yet decided on.
    under_way: VecDeque<Packet>,
    responses: VecDeque<Packet>,
    order: VecDeque<bool>,
    walk: Option<(u32, u8)>,
    pieces: Vec<(u64, u32)>,
    wqe_address: (usize, usize),
    /// Receive WQEs of each QP: posted, and in the cache; those on their way there, with the clock of their arrival.
    posted: Vec<u16>,
    landed: Vec<u16>,
    landing: Vec<VecDeque<(u64, u16)>>,
    /// Doorbells that are not reported yet: clock, QP, producer.
    rung: VecDeque<(u64, usize, u16)>,
    /// A queue that Reset has emptied in the clock before.
    emptied: Option<usize>,
    answers: Vec<VecDeque<(u64, u32)>>,
    failed: VecDeque<(u64, usize)>,
    requester_fail: Option<usize>,
    unreadable: Option<usize>,
    /// QPs of whose failure the requester has to hear.
    fails_due: VecDeque<usize>,
    modifying: Option<(usize, u8, u32)>,
    recreate: Vec<Option<(u64, u8)>>,
    committed: u16,
    /// By kind of report.
    pub counts: [u64; 32],
    pub refusals: [u64; 256],
    pub flushed: u64,
    pub decided: u64,
}

/// Clocks from a doorbell to its report.
const DOORBELL_COUNTS: u64 = 4;
/// What a commit goes to.
const SINKS: [&str; 3] = ["job", "atomic", "completion"];

fn at(vector: &[u8], offset: usize, width: usize) -> u64 {
    bits(vector, offset, width)
}

impl World {
    pub fn new(library: &Library, qps: usize, seed: u64, how: Surroundings) -> World {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(library, seed);
        for input in [
            "modify_valid", "state_error_valid", "header_valid", "response_ready", "order_ready",
            "fail_valid", "unreadable_valid", "failed_ready", "announced_valid", "credit_valid", "port_lids",
            "walk_ready", "walk_done", "pieces_ready", "atomic_ready", "job_ready", "answered_valid",
            "completion_ready", "invalidate_quiet", "mark", "level_many", "level_fill",
        ] {
            bench.set(input, 0);
        }
        bench.set("port_p_keys", 0x8106_8104_8102_8100);
        bench.set("latched", 0);
        bench.set("response_key_decided", 0);
        let contexts = (0..qps)
            .map(|n| Qp {
                qpn: 0x4430 + n as u32,
                state: RESET,
                reported: false,
                pmtu: 256 << (n % 2),
                timer: 1 + n as u8,
                depth: [1, 4, 16, 3][n % 4],
                access: [n != 5, n != 6, n != 7],
                slid: 0x70 + n as u16 * 2,
                p_key: 0x8100 + n as u16 % 4 * 2,
                epsn: 0,
                msn: 0,
                consumer: 0,
                arrived: 0,
                wqes: vec![Default::default(); 32],
                open: Open::No,
                nak: false,
                acked: 0,
                received: 0,
                write: (0, 0, 0),
                operations: Vec::new(),
                taken: 0,
            })
            .collect();
        World {
            bench,
            how,
            qps: contexts,
            peers: (0..qps).map(|_| Peer::default()).collect(),
            next_number: rng.u32(..),
            rng,
            at_door: None,
            under_way: VecDeque::new(),
            responses: VecDeque::new(),
            order: VecDeque::new(),
            walk: None,
            pieces: Vec::new(),
            wqe_address: (0, 0),
            posted: vec![0; qps],
            landed: vec![0; qps],
            landing: vec![VecDeque::new(); qps],
            rung: VecDeque::new(),
            emptied: None,
            answers: vec![VecDeque::new(); qps],
            failed: VecDeque::new(),
            requester_fail: None,
            unreadable: None,
            fails_due: VecDeque::new(),
            room: [false; 3],
            modifying: None,
            recreate: vec![Some((0, RESET)); qps],
            committed: 0,
            counts: [0; 32],
            refusals: [0; 256],
            flushed: 0,
            decided: 0,
        }
    }

    pub fn executed(&self) -> u64 {
        self.counts[usize::from(report::EXECUTED)]
    }

    pub fn cycle(&self) -> u64 {
        self.bench.cycle
    }

    fn ready(&mut self) -> bool {
        self.rng.u32(..8) < self.how.ready
    }

    fn index(qpn: u64) -> usize {
        (qpn & 15) as usize
    }

    /// Argument rows of `MODIFY_QP`.
    fn modify(&mut self, n: usize, state: u8, psn: u32) {
        let qp = &self.qps[n];
        let pmtu = (qp.pmtu / 256).ilog2() + 1;
        // The last argument is at the least significant end.
        let row = Fields::default()
            .put(u128::from(qp.timer), 32)
            .put(u128::from(psn), 32)
            .put(0, 32)
            .put(n as u128 % 4, 32)
            .put(u128::from(qp.slid), 32)
            .put(0x99, 32)
            .put(0x3_0000, 32)
            .put(0, 32 * 5)
            .put(u128::from(state) | u128::from(pmtu) << 8, 32)
            .put(u128::from(qp.qpn), 32);
        let access = (0..3)
            .filter(|bit| qp.access[*bit])
            .map(|bit| 1 << (16 + bit))
            .sum::<u32>();
        let limits = Fields::default()
            .put(0x77, 32)
            .put(u128::from(access | (qp.depth as u32) << 8), 32);
        self.bench.set("modify_valid", 1);
        self.bench.set("modify_index", n as u64);
        self.bench.set_bytes("modify_row", &row.bytes());
        self.bench.set_bytes("modify_limits", &limits.bytes());
        self.bench.set_bytes("modify_route", &[0; 32]);
        self.modifying = Some((n, state, psn));
    }

    /// Receive WQEs are posted, or the queue is emptied.
    fn announce(&mut self, n: usize, producer: u16) {
        self.posted[n] = producer;
        self.bench.set("announced_valid", 1);
        self.bench.set("announced_index", n as u64);
        self.bench.set("announced_producer", producer.into());
    }

    /// One clock.
    pub fn step(&mut self) {
        let now = self.bench.cycle;
        self.drive_inputs(now);
        self.bench.settle();
        self.observe(now);
        self.bench.tick();
    }

    fn drive_inputs(&mut self, now: u64) {
        // Life of a QP: Reset, RTR, RTS; again some time after an error.
        if self.modifying.is_none() {
            let due = (0..self.qps.len()).find(|n| self.recreate[*n].is_some_and(|(when, _)| when <= now));
            if let Some(n) = due {
                let (_, state) = self.recreate[n].expect("it is due");
                let psn = match self.rng.bool() {
                    true => 0xFF_FFF0 + self.rng.u32(..16),
                    false => self.rng.u32(..1 << 24),
                };
                self.modify(n, state, psn);
            }
        }
        // Packets.
        if self.at_door.is_none() && self.rng.u32(..self.how.pause) == 0 {
            let n = self.rng.usize(..self.qps.len());
            if matches!(self.qps[n].state, RTR | RTS) || self.rng.u32(..64) == 0 {
                let packet = self.peers[n].next(&mut self.rng, &self.qps[n], self.how.faults);
                if let Some(mut packet) = packet {
                    packet.number = self.next_number;
                    self.next_number = self.next_number.wrapping_add(1);
                    self.at_door = Some(packet);
                }
            }
        }
        self.bench.set("header_valid", u64::from(self.at_door.is_some()));
        if let Some(packet) = &self.at_door {
            self.bench.set_bytes("header", &packet.header());
            self.bench.set("header_next_dest_qp", packet.dest_qp.into());
        }
        // Receive WQEs.
        while self.rung.front().is_some_and(|(when, ..)| *when <= now) {
            let (_, n, producer) = self.rung.pop_front().expect("it is there");
            self.qps[n].arrived = producer;
        }
        let mut arrives = false;
        for (landing, landed) in self.landing.iter_mut().zip(&mut self.landed) {
            if landing.front().is_some_and(|(when, _)| *when <= now) {
                (_, *landed) = landing.pop_front().expect("it is there");
                arrives = true;
            }
        }
        self.bench.set("flush_arrives", arrives.into());
        self.bench.set("announced_valid", 0);
        let n = self.rng.usize(..self.qps.len());
        let room = 32 - self.posted[n].wrapping_sub(self.qps[n].consumer).min(32);
        let seldom = if self.qps[n].state == ERROR { 8 } else { 1 };
        if let Some(n) = self.emptied.take() {
            self.announce(n, 0);
        } else if room > 1 && self.qps[n].state != RESET && self.rng.u32(..self.how.posts * seldom) == 0 {
            let count = 1 + self.rng.u16(..(room - 1).min(4));
            let first = self.posted[n];
            for slot in 0..count {
                let entry = wqe(&mut self.rng, self.qps[n].pmtu, self.how.bad_wqes);
                self.qps[n].wqes[usize::from(first.wrapping_add(slot)) % 32] = entry;
            }
            self.announce(n, first.wrapping_add(count));
            self.rung.push_back((now + DOORBELL_COUNTS, n, self.posted[n]));
            let landing = now + DOORBELL_COUNTS + self.rng.u64(2..40);
            let last = self.landing[n].back().map_or(0, |(when, _)| when + 1);
            self.landing[n].push_back((landing.max(last), self.posted[n]));
        }
        let (n, slot) = self.wqe_address;
        let entry = self.qps[n % self.qps.len()].wqes[slot].bytes();
        self.bench.set_bytes("wqe", &entry);
        // Walker.
        self.bench.set("walk_done", 0);
        if let Some((left, fault)) = self.walk {
            self.walk = Some((left - 1, fault));
            if left == 1 {
                self.bench.set("walk_done", 1);
                self.bench.set("walk_fault", fault.into());
                self.walk = None;
            }
        }
        let walk_ready = self.walk.is_none() && self.ready();
        self.bench.set("walk_ready", walk_ready.into());
        for port in [
            "pieces_ready", "failed_ready", "order_ready", "response_ready", "invalidate_quiet",
        ] {
            let ready = self.ready();
            self.bench.set(port, ready.into());
        }
        // Room stays until something is taken. Who makes it may have keys to look up.
        let held = self.bench.is_set("invalidate_hold");
        for (sink, name) in SINKS.into_iter().enumerate() {
            self.room[sink] |= !held && self.ready() && self.rng.u32(..self.how.room) == 0;
            self.bench.set(&format!("{name}_ready"), self.room[sink].into());
        }
        // Answers that leave.
        self.bench.set("answered_valid", 0);
        let n = self.rng.usize(..self.qps.len());
        if self.answers[n].front().is_some_and(|(when, _)| *when <= now) {
            let (_, psn) = self.answers[n].pop_front().expect("it is there");
            self.bench.set("answered_valid", 1);
            self.bench.set("answered_index", n as u64);
            self.bench.set("answered_psn", psn.into());
        }
        // The requester: reports, and fails QPs of its own.
        self.bench.set("state_error_valid", 0);
        if self.failed.front().is_some_and(|(when, _)| *when <= now) {
            let (_, n) = self.failed.pop_front().expect("it is there");
            self.bench.set("state_error_valid", 1);
            self.bench.set("state_error_index", n as u64);
            self.qps[n].reported |= self.qps[n].state == ERROR;
        }
        if self.how.failures > 0 {
            let n = self.rng.usize(..self.qps.len());
            if self.requester_fail.is_none() && self.rng.u32(..self.how.failures) == 0 {
                self.requester_fail = Some(n);
            }
            let n = self.rng.usize(..self.qps.len());
            if self.unreadable.is_none() && self.rng.u32(..self.how.failures) == 0 {
                self.unreadable = Some(n);
            }
        }
        for (port, index, fail) in [
            ("fail_valid", "fail", self.requester_fail),
            ("unreadable_valid", "unreadable", self.unreadable),
        ] {
            self.bench.set(port, u64::from(fail.is_some()));
            self.bench.set(index, fail.unwrap_or(0) as u64);
        }
        // Tables without a clock.
        self.bench.settle();
        for (index, arrived) in [
            ("posted_index", "posted_arrived"),
            ("flush_index", "flush_arrived"),
        ] {
            let n = self.bench.get(index) as usize;
            let value = self.landed.get(n).map_or(0, |landed| *landed);
            self.bench.set(arrived, value.into());
        }
    }

    fn outcome(&mut self) -> Outcome {
        let record = self.bench.bytes("retire_record");
        let mut outcome = Outcome {
            report: (
                at(&record, 88, 8) as u8,
                at(&record, 80, 8) as u8,
                at(&record, 32, 24) as u32,
            ),
            ..Outcome::default()
        };
        if self.bench.is_set("retire_wqe_valid") {
            let wqe = self.bench.bytes("retire_wqe_record");
            assert_eq!(at(&wqe, 80, 16), 0x0201, "a WQE of the receive queue is fetched");
            outcome.wqe_fetched = Some(at(&wqe, 0, 16) as u16);
        }
        if self.bench.is_set("job_valid") {
            outcome.job = Some(self.job());
        }
        if self.bench.is_set("completion_valid") {
            outcome.completion = Some(self.completion(self.committed.wrapping_add(1)));
        }
        assert!(self.bench.is_set("pieces_commit"), "every packet is committed");
        let atomic = self.bench.is_set("atomic_valid");
        assert_eq!(self.bench.get("pieces_kind"), u64::from(atomic));
        outcome.pieces = std::mem::take(&mut self.pieces);
        if atomic {
            outcome.atomic = Some((
                self.bench.is_set("atomic_fetch_add"),
                self.bench.get("atomic_compare"),
                self.bench.get("atomic_swap_add"),
                self.bench.get("atomic_slot") as u32,
            ));
        }
        if self.bench.is_set("invalidate_valid") {
            assert!(
                self.bench.is_set("invalidate_hold"),
                "others may look up the key that is invalidated"
            );
            outcome.invalidated = Some(self.bench.get("invalidate_key") as u32);
        }
        outcome
    }

    fn job(&self) -> Job {
        let job = self.bench.bytes("job");
        let kind = at(&job, 0, 2) as u8;
        assert_eq!(at(&job, 82, 16) as u16, DLID, "SLID of the answer");
        assert_eq!(at(&job, 98, 4) as u8, SL);
        assert_eq!(at(&job, 234, 16) as u16, self.committed.wrapping_add(1), "fence");
        Job {
            kind,
            qpn: at(&job, 2, 24) as u32,
            psn: at(&job, 26, 24) as u32,
            syndrome: at(&job, 50, 8) as u8,
            msn: at(&job, 58, 24) as u32,
            va: if kind == 1 { at(&job, 102, 64) } else { 0 },
            r_key: if kind == 1 { at(&job, 166, 32) as u32 } else { 0 },
            length: if kind == 0 { 0 } else { at(&job, 198, 32) as u32 },
            slot: if kind == 0 { 0 } else { at(&job, 230, 4) as u8 },
        }
    }

    fn completion(&self, fence: u16) -> Completion {
        let c = self.bench.bytes("completion");
        assert_eq!(at(&c, 0, 16), 3, "CQN");
        assert_eq!(at(&c, 64, 1), 1, "of the receive queue");
        assert_eq!(at(&c, 141, 16) as u16, fence, "fence");
        let value = at(&c, 106, 32) as u32;
        Completion {
            qpn: at(&c, 16, 24) as u32,
            index: at(&c, 40, 16) as u16,
            status: at(&c, 56, 8) as u8,
            operation: at(&c, 65, 8) as u8,
            byte_count: at(&c, 73, 32) as u32,
            immediate: (at(&c, 105, 1) == 1).then_some(value),
            invalidated: (at(&c, 157, 1) == 1).then_some(value),
        }
    }

    fn walked(&mut self) {
        let w = self.bench.bytes("walk");
        let (va, length, key) = (at(&w, 192, 64), at(&w, 160, 32) as u32, at(&w, 128, 32) as u32);
        let (offset, bytes) = (at(&w, 265, 32) as u32, at(&w, 297, 13) as u32);
        let (entire, right) = (at(&w, 310, 1) == 1, at(&w, 311, 3));
        assert_eq!(at(&w, 256, 8), 1, "SGEs");
        assert_eq!(at(&w, 314, 24), 0x77, "protection domain");
        assert_eq!(entire, right != 1);
        let fault = match right {
            1 if key != L_KEY => 2,
            1 if offset + bytes > length => 1,
            1 => 0,
            5 => {
                if permits(key, 0x10_0000, 0) {
                    0
                } else {
                    2
                }
            }
            2..=4 => {
                if permits(key, va, length) {
                    0
                } else {
                    2
                }
            }
            _ => panic!("no such right"),
        };
        // What was pushed before a fault has to be thrown away.
        if bytes > 0 {
            self.pieces.push((va + u64::from(offset), bytes));
        }
        let delay = if self.how.ready == 8 {
            4
        } else {
            1 + self.rng.u32(..6)
        };
        self.walk = Some((delay, fault));
    }

    fn observe(&mut self, now: u64) {
        for (sink, name) in SINKS.into_iter().enumerate() {
            if self.bench.is_set(&format!("{name}_valid")) {
                assert!(self.room[sink], "a {name} without room for it");
                self.room[sink] = false;
            }
        }
        if self.bench.is_set("walk_valid") && self.bench.is_set("walk_ready") {
            self.walked();
        }
        if self.bench.is_set("pieces_abort") {
            self.pieces.clear();
        }
        let header_ready = self.bench.is_set("header_ready");
        if let Some(packet) = self.at_door.take_if(|_| header_ready) {
            let response = matches!(packet.opcode & 0x1F, 0x0D..=0x12);
            self.order.push_back(response);
            if response {
                self.responses.push_back(packet);
            } else {
                self.under_way.push_back(packet);
            }
        }
        if self.bench.is_set("order_valid") && self.bench.is_set("order_ready") {
            let response = self.order.pop_front().expect("a packet is in order");
            assert_eq!(self.bench.is_set("order_response"), response);
        }
        if self.bench.is_set("response_valid") && self.bench.is_set("response_ready") {
            let packet = self.responses.pop_front().expect("a response arrived");
            let r = self.bench.bytes("response");
            assert_eq!(at(&r, 0, 32) as u32, packet.number);
            assert_eq!(at(&r, 64, 24) as u32, packet.psn);
            let n = Self::index(packet.dest_qp.into());
            self.peers[n].under_way -= 1;
        }
        let commits = self.bench.is_set("pieces_commit");
        let retires = self.bench.is_set("retire_valid");
        assert!(!commits || retires, "every packet is reported");
        if commits {
            self.decided(now);
        } else if retires {
            self.changed();
        } else if self.bench.is_set("completion_valid") {
            let got = self.completion(self.committed);
            let n = Self::index(got.qpn.into());
            assert_eq!(Some(got), self.qps[n].flush(), "flush");
            self.flushed += 1;
            self.consumed(n);
        }
        if self.bench.is_set("modify_ready") {
            self.modified(now);
        }
        if self.bench.is_set("unreadable_ready") {
            let n = self.unreadable.take().expect("it was offered");
            let qp = &mut self.qps[n];
            if !matches!(qp.state, RESET | ERROR) {
                (qp.state, qp.reported) = (ERROR, false);
                self.fails_due.push_back(n);
            }
        }
        if self.bench.is_set("failed_valid") && self.bench.is_set("failed_ready") {
            let n = self.bench.get("failed") as usize;
            assert_eq!(self.fails_due.pop_front(), Some(n), "QP that has failed");
            let delay = self.rng.u64(1..60);
            self.failed.push_back((now + delay, n));
            self.recreate[n] = Some((now + 1500 * u64::from(self.how.room) + self.rng.u64(..500), RESET));
        }
        if self.bench.is_set("fail_ready") {
            // Its report follows.
            self.requester_fail = self.requester_fail.filter(|n| {
                let n = *n;
                self.recreate[n].get_or_insert((now + 1500 * u64::from(self.how.room), RESET));
                false
            });
        }
        if self.bench.is_set("answered_valid") {
            let n = self.bench.get("answered_index") as usize;
            self.qps[n].answer(self.bench.get("answered_psn") as u32);
        }
        self.wqe_address = (
            self.bench.get("wqe_index") as usize,
            self.bench.get("wqe_slot") as usize,
        );
    }

    fn consumed(&mut self, n: usize) {
        assert!(self.bench.is_set("consumer_valid"));
        assert_eq!(self.bench.get("consumer_index") as usize, n);
        assert_eq!(self.bench.get("consumer") as u16, self.qps[n].consumer);
    }

    fn decided(&mut self, now: u64) {
        let packet = self.under_way.pop_front().expect("a packet is under way");
        let n = Self::index(packet.dest_qp.into());
        let record = self.bench.bytes("retire_record");
        assert_eq!(at(&record, 0, 32) as u32, packet.number, "arrival number");
        assert_eq!(at(&record, 56, 24) as u32, packet.dest_qp, "QPN");
        let got = self.outcome();
        let before = self.qps[n].clone();
        let mut expected = self.qps[n].decide(&packet);
        let fails = std::mem::take(&mut expected.fails);
        assert_eq!(got, expected, "cycle {now}: {packet:x?}\nat {before:x?}");
        let dropped = expected.report.0 == report::DROPPED;
        assert_eq!(self.bench.is_set("drop_valid"), dropped);
        if dropped {
            assert_eq!(self.bench.get("drop_reason"), u64::from(expected.report.1));
        }
        assert_eq!(self.bench.is_set("consumer_valid"), expected.completion.is_some());
        if expected.completion.is_some() {
            self.consumed(n);
        }
        if let Some(job) = expected.job.filter(|job| job.kind > 0) {
            let last = self.answers[n].back().map_or(0, |(when, _)| *when);
            let delay = self.rng.u64(1..120);
            let responses = if job.kind == 1 {
                psns(job.length, before.pmtu)
            } else {
                1
            };
            let last_psn = (job.psn + responses - 1) & 0xFF_FFFF;
            self.answers[n].push_back((last.max(now + delay), last_psn));
        }
        if fails {
            self.fails_due.push_back(n);
        }
        self.peers[n].under_way = self.peers[n].under_way.saturating_sub(1);
        self.committed = self.committed.wrapping_add(1);
        self.decided += 1;
        self.counts[usize::from(expected.report.0)] += 1;
        if expected.report.0 != report::EXECUTED {
            self.refusals[usize::from(expected.report.1)] += 1;
        }
    }

    /// A report that no packet caused.
    fn changed(&mut self) {
        let record = self.bench.bytes("retire_record");
        assert_eq!(
            at(&record, 80, 16),
            u64::from(report::STATE) << 8 | u64::from(ERROR)
        );
        let n = Self::index(at(&record, 56, 24));
        let qp = &mut self.qps[n];
        assert!(!matches!(qp.state, RESET | ERROR), "it has failed before");
        (qp.state, qp.reported) = (ERROR, true);
        assert!(self.bench.is_set("reported_valid"));
        assert_eq!(self.bench.get("reported_index") as usize, n);
        self.counts[usize::from(report::STATE)] += 1;
    }

    fn modified(&mut self, now: u64) {
        let (n, state, psn) = self.modifying.take().expect("a modification is under way");
        self.bench.set("modify_valid", 0);
        let qp = &mut self.qps[n];
        if qp.state == ERROR && state != RESET {
            // It failed while the command was on its way.
            self.recreate[n] = Some((now + 1500 * u64::from(self.how.room), RESET));
            return;
        }
        if qp.state == ERROR && qp.reported {
            let left = qp.arrived.wrapping_sub(qp.consumer);
            assert!(left <= 8, "{left} WQEs are not flushed");
        }
        qp.state = state;
        qp.reported = false;
        if state == RESET {
            qp.arrived = 0;
            qp.consumer = 0;
            self.landed[n] = 0;
            self.landing[n].clear();
            self.rung.retain(|rung| rung.1 != n);
            self.emptied = Some(n);
        }
        if matches!(state, RESET | RTR) {
            qp.epsn = if state == RTR { psn } else { qp.epsn };
            qp.acked = psn.wrapping_sub(1) & 0xFF_FFFF;
            qp.msn = if state == RTR { 0 } else { qp.msn };
            (qp.open, qp.nak, qp.taken) = (Open::No, false, 0);
            qp.operations.clear();
            self.answers[n].clear();
            self.peers[n] = Peer::default();
        }
        let next = |state| Some((now + 40, state));
        self.recreate[n] = match state {
            RESET => next(RTR),
            RTR => next(RTS),
            _ => None,
        };
    }
}
