//! The requester with everything around it: WQEs, walkers, the way out, the peer and a link that loses.
use crate::bench::{bits, library, vector, Bench};
use crate::message::{Expected, Message};
use crate::peer::{Peer, Response, ORIGINAL};
use crate::scatter::Scatter;
use fastrand::Rng;
use hca_rtl::link::LaneHolds;
use hca_rtl::requester::RequesterSide;
use hca_sim::verilated::Library;
use std::collections::VecDeque;
use std::sync::OnceLock;

pub const QPS: usize = 16;
/// L_Key that permits nothing.
pub const BAD_KEY: u32 = 0xBAD;

fn requester() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| library::<RequesterSide<4, 16, 8, 10, 6>>("requester"))
}

pub struct Setup {
    pub pmtu_code: u32,
    pub start: u32,
    pub reads: u32,
    pub retries: u32,
    pub rnr_retries: u32,
    /// Code of `ack_timeout.csv`.
    pub timeout: u32,
    /// Packets lost on the link, of a thousand, each way.
    pub loss: u32,
    /// Clocks from the requester to the link.
    pub latency: u64,
}

#[derive(Default)]
pub struct Qp {
    pub messages: Vec<Message>,
    wqes: Vec<[u8; 64]>,
    firsts: Vec<u32>,
    pub peer: Peer,
    pub completed: Vec<(u16, u8)>,
    pub sent: Vec<u32>,
    consumer: u16,
    arrived: u16,
    pub failed: bool,
    pub refused: bool,
}

#[derive(Default)]
struct Walk {
    left: Option<u32>,
    fault: u64,
}

pub struct Rig {
    pub bench: Bench,
    pub setup: Setup,
    pub qps: Vec<Qp>,
    rng: Rng,
    leaving: VecDeque<(u64, Vec<u8>)>,
    /// When the payload of what has left is read, in order: QP and message; of none without payload.
    reading: VecDeque<(u64, Option<(usize, usize)>)>,
    returning: VecDeque<(u64, Response)>,
    gather: Walk,
    pub scatter: Scatter,
    wqe: [u8; 64],
    failing: VecDeque<(u64, usize)>,
    pub packets: u32,
    pub responses: u32,
    pub commits: u32,
    pub retired: Vec<u128>,
    /// The VL of all packets has room at times only.
    pub holds: bool,
    /// In this clock: no room for packets of 1024 bytes and more, and for shorter ones.
    lacks: [bool; 2],
    /// Packets that took room, and those that gave it back.
    pub shares: u32,
    pub backs: u32,
}

fn put(vector: &mut [u8], at: usize, width: usize, value: u64) {
    for bit in 0..width {
        if value >> bit & 1 == 1 {
            vector[(at + bit) / 8] |= 1 << ((at + bit) % 8);
        }
    }
}

impl Rig {
    pub fn new(setup: Setup, seed: u64) -> Rig {
        let mut rig = Rig {
            bench: Bench::new(requester(), seed),
            setup,
            qps: (0..QPS).map(|_| Qp::default()).collect(),
            rng: Rng::with_seed(seed),
            leaving: VecDeque::new(),
            reading: VecDeque::new(),
            returning: VecDeque::new(),
            gather: Walk::default(),
            scatter: Scatter::default(),
            wqe: [0; 64],
            failing: VecDeque::new(),
            packets: 0,
            responses: 0,
            commits: 0,
            retired: Vec::new(),
            holds: false,
            lacks: [false; 2],
            shares: 0,
            backs: 0,
        };
        for port in [
            "modify_valid", "modify_index", "fail_valid", "fail", "responder_failed_valid",
            "responder_failed_index", "response_valid", "arrived_valid", "arrived_index", "departs_valid",
            "departs_kind", "request_read", "handed_valid", "handed_spoiled", "gather_walk_done",
            "gather_walk_fault", "scatter_walk_done", "scatter_walk_fault", "first_arrived",
            "second_arrived", "gather_hold", "group_hold", "multicast_done",
        ] {
            rig.bench.set(port, 0);
        }
        for port in [
            "failed_ready", "gather_pieces_ready", "scatter_pieces_ready", "original_ready",
            "completion_ready",
        ] {
            rig.bench.set(port, 1);
        }
        rig.bench.set("port_lids", 0x20);
        rig.bench.set("port_lmcs", 0);
        // 4096 bytes.
        rig.bench.set("port_mtus", 5);
        rig.bench.set("departs_discard", 0);
        rig.lanes(LaneHolds::default());
        rig.bench.set("handle_valid", 0);
        for _ in 0..40 {
            rig.clock();
        }
        for qp in 0..QPS {
            rig.modify(qp, 0);
            rig.modify(qp, 2);
            rig.modify(qp, 3);
        }
        rig
    }

    /// What the VLs of the only port have room for; one of them is operational.
    fn lanes(&mut self, holds: LaneHolds) {
        let data_vls = 1_u64.into();
        let holds = LaneHolds { data_vls, ..holds };
        self.bench
            .set_bytes("lane_hold_first", &vector::<93>(holds.into()));
    }

    pub fn pmtu(&self) -> u32 {
        128 << self.setup.pmtu_code
    }

    /// MODIFY_QP to a state.
    pub fn modify(&mut self, qp: usize, state: u32) {
        let mut arguments = [0u32; 14];
        arguments[0] = 0x100 + qp as u32;
        arguments[1] = state | self.setup.pmtu_code << 8;
        arguments[2] = 6;
        arguments[8] = 0x200 + qp as u32;
        arguments[9] = 0x30;
        arguments[10] = 0xFFFF;
        arguments[11] = self.setup.start;
        arguments[13] = self.setup.timeout << 8 | self.setup.retries << 16 | self.setup.rnr_retries << 24;
        let row: Vec<u8> = arguments.iter().rev().flat_map(|a| a.to_le_bytes()).collect();
        self.bench.set("modify_valid", 1);
        self.bench.set("modify_index", qp as u64);
        self.bench.set_bytes("modify_row", &row);
        self.bench
            .set("modify_limits", u64::from(self.setup.reads) << 32 | 7);
        for _ in 0..2000 {
            if self.clock() {
                self.bench.set("modify_valid", 0);
                return;
            }
        }
        panic!("the modification of QP {qp} to state {state} is never taken");
    }

    /// Posts a work request.
    pub fn post(&mut self, qp: usize, message: Message) {
        self.post_bytes(qp, message, message.wqe());
    }

    /// Posts a WQE that is not what the message says.
    pub fn post_bytes(&mut self, qp: usize, message: Message, wqe: [u8; 64]) {
        let pmtu = self.pmtu();
        let q = &mut self.qps[qp];
        let first = q
            .messages
            .last()
            .map_or(0, |m| q.firsts[q.firsts.len() - 1] + m.psns(pmtu));
        q.messages.push(message);
        q.wqes.push(wqe);
        q.firsts.push(first);
    }

    fn position(&self, psn: u32) -> u32 {
        psn.wrapping_sub(self.setup.start) & 0xFF_FFFF
    }

    /// QP and message of a packet, and its position among the PSNs.
    fn place(&self, packet: &[u8]) -> (usize, usize, u32) {
        let qp = bits(packet, 3, 24) as usize - 0x100;
        let position = self.position(bits(packet, 99, 24) as u32);
        let at = self.qps[qp].firsts.partition_point(|first| *first <= position) - 1;
        (qp, at, position)
    }

    /// No memory of the messages before `consumer` is read any more: software has it back.
    fn given_back(&self, qp: usize, consumer: u16) {
        let carries = |packet: &&Vec<u8>| bits(packet, 347, 13) > 0;
        let leaving = self.leaving.iter().map(|(_, packet)| packet).filter(carries);
        let leaving = leaving
            .map(|packet| self.place(packet))
            .map(|(qp, at, _)| (qp, at));
        for (of, at) in leaving.chain(self.reading.iter().filter_map(|(_, place)| *place)) {
            assert!(
                of != qp || at >= usize::from(consumer),
                "QP {qp}: WQE {at} is complete, and a packet of it is still read"
            );
        }
    }

    /// What left: it must be a packet of a message that was posted, as the protocol writes it.
    fn emitted(&mut self, packet: &[u8]) {
        let (qp, at, position) = self.place(packet);
        let pmtu = self.pmtu();
        let q = &self.qps[qp];
        let (message, first) = (q.messages[at], q.firsts[at]);
        let number = position - first;
        assert!(
            number < message.psns(pmtu),
            "QP {qp} sends PSN {position} of no message"
        );
        let opcode = bits(packet, 63, 8) as u8;
        let has = |list: &[u8]| list.contains(&opcode);
        let field = |at, width| bits(packet, at, width);
        let seen = Expected {
            opcode,
            ack_req: field(98, 1) == 1,
            solicited: field(71, 1) == 1,
            payload: field(347, 13) as u32,
            reth: has(&[0x06, 0x0A, 0x0B, 0x0C])
                .then(|| (field(123, 64), field(187, 32) as u32, field(251, 32) as u32)),
            atomic: has(&[0x13, 0x14]).then(|| {
                (
                    field(123, 64),
                    field(187, 32) as u32,
                    field(219, 64),
                    field(283, 64),
                )
            }),
            immediate: has(&[0x03, 0x05, 0x09, 0x0B]).then(|| field(219, 32) as u32),
            invalidate: has(&[0x16, 0x17]).then(|| field(187, 32) as u32),
        };
        assert_eq!(seen, message.packet(number, pmtu), "QP {qp} PSN {position}");
        assert_eq!((field(27, 16), field(43, 16)), (0x30, 0x20), "DLID, SLID");
        assert_eq!(field(74, 24) as usize, 0x200 + qp, "DestQP");
        let earliest = self.reading.back().map_or(0, |(due, _)| *due);
        let due = earliest.max(self.bench.cycle + 1 + self.rng.u64(0..40));
        self.reading
            .push_back((due, (seen.payload > 0).then_some((qp, at))));
        self.packets += 1;
        let q = &mut self.qps[qp];
        q.sent.push(position);
        if self.rng.u32(0..1000) < self.setup.loss {
            return;
        }
        let acks = seen.ack_req || self.rng.u32(0..4) == 0;
        for response in q.peer.take(qp, &message, first, number, pmtu, acks) {
            if self.rng.u32(0..1000) >= self.setup.loss {
                self.returning
                    .push_back((self.bench.cycle + self.setup.latency, response));
            }
        }
    }

    /// Packets of all QPs that were handed to the way out and have not left.
    pub fn under_way(&self) -> usize {
        self.leaving.len()
    }

    pub fn inject(&mut self, response: Response) {
        self.returning.push_back((self.bench.cycle, response));
    }

    fn drive_gather(&mut self) {
        let walk = &mut self.gather;
        let done = walk.left == Some(0);
        if done {
            walk.left = None;
        } else if let Some(left) = &mut walk.left {
            *left -= 1;
        }
        let free = walk.left.is_none() && !done;
        self.bench.set("gather_walk_done", u64::from(done));
        self.bench
            .set("gather_walk_fault", if done { walk.fault } else { 0 });
        self.bench.set("gather_walk_ready", u64::from(free));
    }

    fn start_gather(&mut self) {
        if !self.bench.is_set("gather_walk_valid") || !self.bench.is_set("gather_walk_ready") {
            return;
        }
        let list = self.bench.bytes("gather_walk");
        let key = bits(&list, 128, 32) as u32;
        assert!(bits(&list, 297, 13) > 0, "a walk of nothing");
        assert_eq!(bits(&list, 314, 24), 7, "protection domain");
        assert_eq!(bits(&list, 311, 3), 0, "a local read");
        self.gather.left = Some(self.rng.u32(0..4));
        self.gather.fault = if key == BAD_KEY { 2 } else { 0 };
    }

    /// One clock; true if a modification was taken in it.
    pub fn clock(&mut self) -> bool {
        let now = self.bench.cycle;
        // WQEs arrive in the cache, at most 64 ahead of the completed.
        self.bench.set("arrived_valid", 0);
        let qp = self.rng.usize(0..QPS);
        let q = &mut self.qps[qp];
        if usize::from(q.arrived) < q.messages.len() && q.arrived < q.consumer + 64 {
            q.arrived = (q.arrived + self.rng.u16(1..9))
                .min(q.messages.len() as u16)
                .min(q.consumer + 64);
            self.bench.set("arrived_valid", 1);
            self.bench.set("arrived_index", qp as u64);
        }
        let wqe: Vec<u8> = self.wqe.iter().rev().copied().collect();
        self.bench.set_bytes("wqe", &wqe);
        let leaves = self.leaving.front().is_some_and(|(due, _)| *due <= now);
        self.bench.set("departs_valid", u64::from(leaves));
        let read = self.reading.front().is_some_and(|(due, _)| *due <= now);
        self.bench.set("request_read", u64::from(read));
        if read {
            self.reading.pop_front();
        }
        let ready = self.rng.u32(0..8) != 0;
        self.bench.set("request_ready", u64::from(ready));
        let response = self
            .returning
            .front()
            .filter(|(due, _)| *due <= now)
            .map(|(_, r)| *r);
        self.bench.set("response_valid", u64::from(response.is_some()));
        if let Some(r) = response {
            let mut vector = vec![0; 28];
            put(&mut vector, 0, 32, u64::from(self.responses));
            put(&mut vector, 32, 24, 0x100 + r.qp as u64);
            put(&mut vector, 56, 8, u64::from(r.opcode));
            put(
                &mut vector,
                64,
                24,
                u64::from(self.setup.start.wrapping_add(r.psn) & 0xFF_FFFF),
            );
            put(&mut vector, 88, 8, u64::from(r.syndrome));
            put(&mut vector, 120, 64, r.original);
            put(&mut vector, 184, 13, u64::from(r.payload));
            vector.truncate(self.bench.bytes("response").len());
            self.bench.set_bytes("response", &vector);
        }
        let reported = self.failing.front().is_some_and(|(due, _)| *due <= now);
        self.bench.set("responder_failed_valid", u64::from(reported));
        if reported {
            let (_, qp) = self.failing.pop_front().expect("there is one");
            self.bench.set("responder_failed_index", qp as u64);
        }
        self.drive_gather();
        self.scatter.drive(&mut self.bench, &mut self.rng);
        if self.holds {
            // For a while for all packets, for those of 1024 bytes and more, or for none.
            let shut = [0, 1, 2, 2][(now / 128 % 4) as usize];
            self.lacks = [shut < 2 || self.rng.bool(), shut == 0];
            let [long, short] = self.lacks.map(|lacks| u64::from(lacks).into());
            self.lanes(LaneHolds {
                active: true,
                long,
                short,
                ..Default::default()
            });
        }
        self.bench.settle();
        for (index, count) in [
            ("first_index", "first_arrived"),
            ("second_index", "second_arrived"),
        ] {
            let qp = self.bench.get(index) as usize;
            let arrived = self.qps[qp].arrived;
            self.bench.set(count, u64::from(arrived));
        }
        self.bench.settle();

        if leaves {
            let (_, packet) = self.leaving.pop_front().expect("it is due");
            self.emitted(&packet);
        }
        if ready && self.bench.is_set("request_valid") {
            let packet = self.bench.bytes("request");
            self.leaving.push_back((now + 1 + self.setup.latency, packet));
        }
        if let Some(response) = response.filter(|_| self.bench.is_set("response_ready")) {
            self.returning.pop_front();
            self.responses += 1;
            self.scatter.take(&response);
        }
        if self.scatter.observe(&self.bench, &mut self.rng) {
            self.commits += 1;
            let atomic = self.bench.get("scatter_pieces_kind") == 1;
            assert_eq!(self.bench.is_set("original_valid"), atomic);
            if atomic {
                assert_eq!(self.bench.get("original"), ORIGINAL);
            }
        }
        if self.bench.is_set("lane_share_valid") && self.holds {
            assert_eq!(self.bench.get("lane_share_lane"), 0);
            let is_long = self.bench.get("lane_share_payload") >= 1024;
            let [long, short] = self.lacks;
            assert!(!(if is_long { long } else { short }), "there is no room");
            self.shares += 1;
        }
        if self.bench.is_set("lane_back_valid") && self.holds {
            assert_eq!(self.bench.get("lane_back_lane"), 0);
            self.backs += 1;
        }
        self.start_gather();
        if self.bench.is_set("completion_valid") {
            let record = self.bench.bytes("completion");
            let qp = bits(&record, 16, 24) as usize - 0x100;
            let seen = (bits(&record, 40, 16) as u16, bits(&record, 56, 8) as u8);
            self.qps[qp].completed.push(seen);
        }
        if self.bench.is_set("consumer_valid") {
            let qp = self.bench.get("consumer_index") as usize;
            let consumer = self.bench.get("consumer") as u16;
            self.given_back(qp, consumer);
            self.qps[qp].consumer = consumer;
        }
        if self.bench.is_set("failed_valid") {
            let qp = self.bench.get("failed") as usize;
            assert!(!self.qps[qp].failed, "QP {qp} fails twice");
            self.qps[qp].failed = true;
            self.failing.push_back((now + 20, qp));
        }
        if self.bench.is_set("retire_valid") {
            let record = self.bench.bytes("retire_record");
            let record = u128::from(bits(&record, 0, 64)) | u128::from(bits(&record, 64, 32)) << 64;
            let qp = (record >> 56) as usize & 0xFF_FFFF;
            if record >> 88 == 16 {
                self.qps[qp - 0x100].refused = true;
            }
            self.retired.push(record);
        }
        if !self.bench.is_set("read_hold") {
            let (qp, slot) = (
                self.bench.get("read_index") as usize,
                self.bench.get("read_slot") as u16,
            );
            let q = &self.qps[qp];
            // The newest WQE that is in this slot.
            self.wqe = (0..q.arrived)
                .rev()
                .find(|i| i % 64 == slot)
                .map_or([0xA5; 64], |i| q.wqes[usize::from(i)]);
        }
        let modified = self.bench.is_set("modify_valid") && self.bench.is_set("modify_ready");
        self.bench.tick();
        modified
    }

    /// Runs until every signaled WQE is complete.
    pub fn run(&mut self, clocks: u64) {
        let end = self.bench.cycle + clocks;
        while self.bench.cycle < end {
            self.clock();
            let done = |q: &Qp| usize::from(q.consumer) == q.messages.len();
            if self.qps.iter().all(done) && self.returning.is_empty() && self.failing.is_empty() {
                for _ in 0..100 {
                    self.clock();
                }
                return;
            }
        }
        for (qp, q) in self.qps.iter().enumerate() {
            if usize::from(q.consumer) != q.messages.len() {
                eprintln!(
                    "QP {qp}: {} of {} complete, {} arrived, peer expects {}, last sent {:?}, firsts {:?}",
                    q.consumer,
                    q.messages.len(),
                    q.arrived,
                    q.peer.expected,
                    q.sent.iter().rev().take(8).collect::<Vec<_>>(),
                    &q.firsts[usize::from(q.consumer)..q.firsts.len().min(usize::from(q.consumer) + 3)],
                );
            }
        }
        let tail: Vec<_> = self
            .retired
            .iter()
            .rev()
            .take(20)
            .map(|r| format!("{r:024x}"))
            .collect();
        panic!("not complete after {clocks} clocks; last records {tail:#?}");
    }
}
