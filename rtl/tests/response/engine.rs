//! The response engine between a responder, a walker, a memory and a way out that all take their time: every answer of
//! a QP once, in order, with its fields, and none before its data.
use crate::acks::wait;
use crate::bench::{self, bits, vector, Bench};
use hca_host::{command, retire};
use hca_rtl::link::LaneHolds;
use hca_rtl::response::{ResponseEngine, JOB_ATOMIC, JOB_READ};
use std::collections::VecDeque;

pub type Engine = ResponseEngine<4, 16, 8, 9>;
pub const QPS: usize = 16;
const QPN: u32 = 0xA0_0500;
const NAK: u8 = 0x62;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Job {
    pub kind: u8,
    pub psn: u32,
    pub syndrome: u8,
    pub msn: u32,
    pub va: u64,
    pub r_key: u32,
    pub length: u32,
    pub slot: u8,
    pub fence: u16,
}

/// A packet that has to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    pub kind: u8,
    pub last: bool,
    pub opcode: u8,
    pub psn: u32,
    pub syndrome: u8,
    pub msn: u32,
    pub original: u64,
    pub payload: u32,
}

/// What a QP has to answer next.
#[derive(Clone, Copy, Debug)]
struct Answer {
    packet: Packet,
    /// Where a read response takes its data, and how much of the Read is left.
    va: u64,
    left: u32,
    r_key: u32,
    /// Packets whose writes come first, ever since the start.
    fence: u64,
    /// Its original value is known.
    original_known: bool,
    slot: u8,
    /// The answer to a duplicate; a newer atomic has taken the resource since.
    replay: bool,
    superseded: bool,
    fetched: bool,
}

#[derive(Default)]
struct Qp {
    pmtu: u32,
    answers: VecDeque<Answer>,
    psn: u32,
    msn: u32,
    /// Results of the atomics so far, by resource.
    saved: [Option<u64>; 16],
    /// Packets in the way out, and whether they are acks.
    under_way: usize,
    acks: bool,
    refused: bool,
    fail_due: bool,
    error: bool,
    /// Nothing was decided since it was reset.
    new: bool,
}

pub fn put(vector: &mut [u8], at: usize, width: usize, value: u64) {
    for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
        vector[(at + bit) / 8] |= 1 << ((at + bit) % 8);
    }
}

pub fn set_job(bench: &mut Bench, qp: usize, job: &Job) {
    let mut row = vec![0; bench.bytes("job").len()];
    let mut at = 0;
    for (width, value) in [
        (2, u64::from(job.kind)),
        (24, u64::from(QPN) + qp as u64),
        (24, job.psn.into()),
        (8, job.syndrome.into()),
        (24, job.msn.into()),
        (16, 0x700 + qp as u64),
        (4, qp as u64),
        (64, job.va),
        (32, job.r_key.into()),
        (32, job.length.into()),
        (4, job.slot.into()),
        (16, job.fence.into()),
        (24, 0),
    ] {
        put(&mut row, at, width, value);
        at += width;
    }
    bench.set_bytes("job", &row);
}

pub fn set_modify(bench: &mut Bench, qp: usize, state: u32, pmtu_code: u32) {
    let mut row = [0; 56];
    let mut argument = |n: usize, value: u32| row[4 * (13 - n)..][..4].copy_from_slice(&value.to_le_bytes());
    argument(command::modify_qp::QPN, QPN + qp as u32);
    argument(command::modify_qp::STATE, state | pmtu_code << 8);
    argument(command::modify_qp::DEST_QPN, 0x900 + qp as u32);
    argument(command::modify_qp::ADDRESS, 0x300 + qp as u32);
    argument(command::modify_qp::P_KEY, qp as u32 % 4);
    bench.set_bytes("modify_row", &row);
    bench.set("modify_index", qp as u64);
    bench.set("modify_limits", 0xDFFF_FFFF_0000_0000 | (0x77_0000 + qp as u64));
}

/// The packet that an output offers, and its QP.
pub fn packet(bench: &Bench, port: &str) -> (usize, Packet) {
    let v = bench.bytes(port);
    let qp = bits(&v, 3, 24) as usize - QPN as usize;
    let q = qp as u64;
    assert_eq!(bits(&v, 27, 16), 0x300 + q, "DLID");
    assert_eq!(bits(&v, 43, 16), 0x700 + q, "SLID");
    assert_eq!(bits(&v, 59, 4), q, "SL");
    assert_eq!(bits(&v, 71, 1), 0, "SE");
    assert_eq!(bits(&v, 72, 2), q % 4, "P_Key index");
    assert_eq!(bits(&v, 74, 24), 0x900 + q, "DestQP");
    assert_eq!(bits(&v, 98, 1), 0, "AckReq");
    let kind = bits(&v, 0, 2) as u8;
    let packet = Packet {
        kind,
        last: bits(&v, 2, 1) == 1,
        opcode: bits(&v, 63, 8) as u8,
        psn: bits(&v, 99, 24) as u32,
        syndrome: bits(&v, 211, 8) as u8,
        msn: bits(&v, 187, 24) as u32,
        original: if kind == 2 { bits(&v, 123, 64) } else { 0 },
        payload: bits(&v, 347, 13) as u32,
    };
    (qp, packet)
}

struct Run {
    bench: Bench,
    rng: fastrand::Rng,
    qps: Vec<Qp>,
    /// Jobs with their QP that were decided and not taken.
    jobs: VecDeque<(usize, Job)>,
    committed: u64,
    written: u64,
    /// Atomics in the memory's queue: QP, slot, value.
    atomics: VecDeque<(usize, u8, u64)>,
    /// Walks under way: clocks to their ends, and whether the memory may not be read.
    walks: VecDeque<(u32, bool)>,
    /// Packets whose pieces are closed and not committed.
    closed: u32,
    /// On their way to the link: QP and kind; acks have a way of their own.
    data: VecDeque<(usize, Packet)>,
    acks: VecDeque<(usize, Packet)>,
    /// An ack was offered that the way out has not taken: it has left its QP, and cannot be called back.
    ack_waits: bool,
    /// Whether VL 0 had no room in the clock before, for a packet of 1024 bytes and more, and for one of less.
    lacked: [bool; 2],
    /// Whether no packet was to be made in the clock before.
    held: bool,
    /// Packets that took room on their VL, those that gave it back, and those handed over, acks not counted.
    shared: u32,
    returned: u32,
    handed_over: u32,
    /// Marks of packets that were made and have neither left nor ended.
    marks: Vec<u64>,
    paced: u32,
    modify: Option<(usize, u32)>,
    packets: u32,
    refusals: u32,
    replays_dropped: u32,
    resets: u32,
    coalesced: u32,
    faults: bool,
}

fn positive(answer: &Answer) -> bool {
    answer.packet.kind == 3 && answer.packet.syndrome < 0x20
}

impl Run {
    fn new(library: &hca_sim::verilated::Library, seed: u64) -> Run {
        let mut run = Run {
            bench: Bench::new(library, seed),
            rng: fastrand::Rng::with_seed(seed),
            qps: (0..QPS).map(|_| Qp::default()).collect(),
            jobs: VecDeque::new(),
            committed: 0,
            written: 0,
            atomics: VecDeque::new(),
            walks: VecDeque::new(),
            closed: 0,
            data: VecDeque::new(),
            acks: VecDeque::new(),
            ack_waits: false,
            lacked: [false; 2],
            held: false,
            shared: 0,
            returned: 0,
            handed_over: 0,
            marks: Vec::new(),
            paced: 0,
            modify: None,
            packets: 0,
            refusals: 0,
            replays_dropped: 0,
            resets: 0,
            coalesced: 0,
            faults: seed % 2 == 1,
        };
        no_lanes(&mut run.bench);
        for qp in 0..QPS {
            for state in [command::STATE_RESET, command::STATE_RTR] {
                run.modify = Some((qp, state));
                while run.modify.is_some() {
                    run.clock(false);
                }
            }
        }
        run
    }

    /// The responder decides on one more request of a QP.
    fn decide(&mut self) {
        let index = self.rng.usize(..QPS) & self.rng.usize(..QPS);
        let qp = &self.qps[index];
        let old_atomics = qp.new && self.atomics.iter().any(|&(qp, ..)| qp == index);
        let modified = self.modify.is_some_and(|(qp, _)| qp == index);
        if modified || qp.error || old_atomics || qp.answers.len() > 60 {
            return;
        }
        self.committed += 1;
        let rng = &mut self.rng;
        let qp = &mut self.qps[index];
        qp.new = false;
        let due = qp.answers.len();
        let mut job = Job {
            psn: qp.psn,
            msn: qp.msn,
            fence: self.committed as u16,
            syndrome: 0x1F,
            ..Job::default()
        };
        let mut answer = Answer {
            packet: Packet {
                kind: 3,
                last: true,
                opcode: 0x11,
                psn: qp.psn,
                syndrome: 0x1F,
                msn: qp.msn,
                original: 0,
                payload: 0,
            },
            va: 0,
            left: 0,
            r_key: 0,
            fence: self.committed,
            original_known: true,
            slot: 0,
            replay: false,
            superseded: false,
            fetched: false,
        };
        match rng.u32(..10) {
            0..=2 => {
                job.kind = JOB_READ;
                job.va = (index as u64) << 60 | rng.u64(..1 << 40);
                job.r_key = rng.u32(..);
                job.length = match rng.u32(..4) {
                    0 => rng.u32(..3),
                    1 => qp.pmtu * rng.u32(..5),
                    _ => rng.u32(..qp.pmtu * 6),
                };
                let count = job.length.div_ceil(qp.pmtu).max(1);
                for n in 0..count {
                    let offset = n * qp.pmtu;
                    let last = n + 1 == count;
                    qp.answers.push_back(Answer {
                        packet: Packet {
                            kind: 1,
                            last,
                            opcode: [[0x0E, 0x0F], [0x0D, 0x10]][usize::from(n == 0)][usize::from(last)],
                            psn: qp.psn,
                            payload: (job.length - offset).min(qp.pmtu),
                            ..answer.packet
                        },
                        va: job.va + u64::from(offset),
                        left: job.length - offset,
                        r_key: job.r_key,
                        ..answer
                    });
                    qp.psn = (qp.psn + 1) & 0xFF_FFFF;
                }
            }
            3 => {
                job.kind = JOB_ATOMIC;
                job.slot = rng.u8(..16) & rng.u8(..16);
                let of_slot = |answer: &Answer| answer.packet.kind == 2 && answer.slot == job.slot;
                // A resource is taken again once its atomic is answered; duplicates may still wait.
                let waits = qp.answers.iter().any(|answer| of_slot(answer) && !answer.replay);
                answer.packet.kind = 2;
                answer.packet.opcode = 0x12;
                answer.slot = job.slot;
                let saved = &mut qp.saved[usize::from(job.slot)];
                if saved.is_none() || (!waits && rng.bool()) {
                    let value = rng.u64(..);
                    *saved = Some(value);
                    job.length = 8;
                    answer.original_known = false;
                    for replay in qp.answers.iter_mut().filter(|answer| of_slot(answer)) {
                        replay.superseded = true;
                    }
                    self.atomics.push_back((index, job.slot, value));
                }
                answer.replay = job.length == 0;
                answer.packet.original = saved.expect("it was set");
                qp.answers.push_back(answer);
                qp.psn = (qp.psn + 1) & 0xFF_FFFF;
            }
            4 => {
                job.syndrome = [0x60, 0x25][rng.usize(..2)];
                answer.packet.syndrome = job.syndrome;
                qp.answers.push_back(answer);
            }
            _ => {
                qp.answers.push_back(answer);
                qp.psn = (qp.psn + 1) & 0xFF_FFFF;
            }
        }
        qp.msn = (qp.msn + 1) & 0xFF_FFFF;
        // Nothing follows the NAK.
        if qp.refused {
            qp.answers.truncate(due);
        }
        self.jobs.push_back((index, job));
    }

    /// The oldest answer that is a read response whose data was not fetched.
    fn unfetched(&mut self, qp: usize) -> &mut Answer {
        let mut answers = self.qps[qp].answers.iter_mut().filter(|answer| !positive(answer));
        answers.find(|answer| !answer.fetched).expect("an answer is due")
    }

    fn clock(&mut self, decides: bool) {
        if decides && self.jobs.is_empty() {
            self.decide();
        }
        let offers = !self.jobs.is_empty() && self.rng.u32(..4) != 0;
        let offered = self.jobs.front().copied();
        if let Some((qp, job)) = offered.filter(|_| offers) {
            set_job(&mut self.bench, qp, &job);
        }
        self.bench.set("job_valid", offers.into());
        if self.written < self.committed && self.rng.u32(..3) == 0 {
            self.written += self.rng.u64(1..=(self.committed - self.written).min(3));
        }
        self.bench.set("responder_written", self.written & 0xFFFF);
        let original = if self.rng.u32(..12) == 0 {
            self.atomics.pop_front()
        } else {
            None
        };
        self.bench.set("original_valid", original.is_some().into());
        self.bench.set("original_error", 0);
        if let Some((qp, slot, value)) = original {
            self.bench
                .set("original_slot", (qp << 4) as u64 | u64::from(slot));
            self.bench.set("original_value", value);
            // Those behind the first are replays.
            for answer in self.qps[qp]
                .answers
                .iter_mut()
                .filter(|answer| answer.slot == slot)
            {
                answer.original_known = true;
            }
        }
        // Acks may overtake data on the way out.
        let way = if self.rng.bool() {
            &mut self.data
        } else {
            &mut self.acks
        };
        let emitted = if self.rng.u32(..4) == 0 {
            way.pop_front()
        } else {
            None
        };
        self.bench.set("emitted_valid", emitted.is_some().into());
        if let Some((qp, packet)) = emitted {
            self.bench.set("emitted_index", qp as u64);
            self.bench.set("emitted_kind", packet.kind.into());
        }
        let walk_ready = self.rng.bool();
        self.bench.set("walk_ready", walk_ready.into());
        let ends = self.walks.front().is_some_and(|(clocks, _)| *clocks == 0);
        let walked = ends.then(|| self.walks.pop_front()).flatten();
        self.bench.set("walk_done", walked.is_some().into());
        self.bench
            .set("walk_fault", walked.map_or(0, |(_, fault)| 2 * u64::from(fault)));
        let hold = self.rng.u32(..8) == 0;
        self.bench.set("hold", hold.into());
        for (port, odds) in [
            ("pieces_ready", 3),
            ("response_ready", 2),
            ("ack_ready", 2),
            ("fail_ready", 8),
        ] {
            let ready = self.rng.u32(..odds) == 0;
            self.bench.set(port, ready.into());
        }
        // Room on VL 0, which all packets leave on: of 1024 bytes and more, of less, of an ack.
        let mut lacks = |odds| self.rng.u32(..odds) == 0;
        let lacking = [lacks(2), lacks(3), lacks(4)];
        let [long, short, ack] = lacking.map(|lacks| u64::from(lacks).into());
        let holds = LaneHolds {
            active: true,
            data_vls: 1_u64.into(),
            long,
            short,
            ack,
            ..Default::default()
        };
        self.bench
            .set_bytes("lane_hold_first", &vector::<93>(holds.into()));
        self.bench.set("receive_modified", 0);
        self.bench.set("modify_valid", self.modify.is_some().into());
        if let Some((qp, state)) = self.modify {
            set_modify(&mut self.bench, qp, state, 1 + qp as u32 % 3);
            // The rate of every other QP is below that of the port.
            let limits = self.bench.get("modify_limits") | (qp as u64 & 1) << 61;
            self.bench.set("modify_limits", limits);
        }
        let (free, closed) = (self.rng.bool(), self.rng.bool());
        self.bench.set("rate_free", free.into());
        self.bench.set("rate_closed", closed.into());
        let mark = self.rng.u64(1..8);
        self.bench.set("rate_mark", mark);
        self.bench.settle();

        if self.bench.is_set("rate_takes") {
            assert!(free && !closed && self.bench.is_set("rate_decides"));
            self.marks.push(mark);
            self.paced += 1;
        }
        let back = self.bench.get("mark_back");
        if back > 0 {
            self.end_mark(back);
        }

        if self.bench.is_set("lane_share_valid") {
            assert!(!self.held, "a packet was made");
            assert_eq!(self.bench.get("lane_share_lane"), 0);
            let payload = self.bench.get("lane_share_payload");
            // It was decided on a clock before.
            let [long, short] = self.lacked;
            assert!(
                !(if payload < 1024 { short && long } else { long }),
                "{payload} bytes"
            );
            self.shared += 1;
        }
        if self.bench.is_set("lane_back_valid") {
            self.returned += 1;
        }
        self.lacked = [lacking[0], lacking[1]];
        self.held = hold;
        if offers && self.bench.is_set("job_ready") {
            self.jobs.pop_front();
        }
        for (clocks, _) in &mut self.walks {
            *clocks = clocks.saturating_sub(1);
        }
        if self.bench.is_set("walk_valid") && walk_ready {
            self.observe_walk();
        }
        // A forbidden piece is not found: there is nothing to remove.
        assert_eq!(
            (
                self.bench.is_set("pieces_close"),
                self.bench.is_set("pieces_abort")
            ),
            (walked.is_some_and(|(_, fault)| !fault), false),
        );
        self.closed += u32::from(self.bench.is_set("pieces_close"));
        let committed = self.bench.is_set("pieces_commit");
        let mut fetched = false;
        if self.bench.is_set("retire_valid") {
            fetched = self.observe_retire();
        }
        assert_eq!(committed, fetched);
        if committed {
            self.closed = self.closed.checked_sub(1).expect("a packet is closed");
        }
        for (port, ack) in [("response", false), ("ack", true)] {
            let offered = self.bench.is_set(&format!("{port}_valid"));
            let taken = offered && self.bench.is_set(&format!("{port}_ready"));
            if !offered {
                continue;
            }
            let (qp, packet) = packet(&self.bench, port);
            let leaves = if ack { !self.ack_waits } else { taken };
            if leaves {
                let mark = bits(&self.bench.bytes(port), 369, 3);
                assert_eq!(mark > 0, qp % 2 == 1, "QP {qp}");
                if mark > 0 {
                    self.end_mark(mark);
                }
                self.observe_packet(qp, packet, ack);
            }
            if taken {
                self.handed_over += u32::from(!ack);
                let way = if ack { &mut self.acks } else { &mut self.data };
                way.push_back((qp, packet));
            }
            if ack {
                self.ack_waits = !taken;
            }
        }
        if self.bench.is_set("fail_valid") && self.bench.is_set("fail_ready") {
            let qp = self.bench.get("fail") as usize;
            assert!(std::mem::take(&mut self.qps[qp].fail_due), "QP {qp}");
        }
        if self.modify.is_some() && self.bench.is_set("modify_ready") {
            self.observe_modify();
        }
        if let Some((qp, _)) = emitted {
            self.qps[qp].under_way -= 1;
        }
        self.bench.tick();
    }

    fn end_mark(&mut self, mark: u64) {
        let at = self.marks.iter().position(|known| *known == mark);
        self.marks.remove(at.expect("a packet has the mark"));
    }

    fn observe_walk(&mut self) {
        let list = self.bench.bytes("walk");
        let va = bits(&list, 192, 64);
        let qp = (va >> 60) as usize;
        let (length, pd) = (bits(&list, 297, 13), bits(&list, 314, 24));
        assert_eq!(
            (bits(&list, 256, 8), bits(&list, 310, 4)),
            (1, 3 << 1),
            "one SGE, for a remote read"
        );
        let written = self.written;
        let answer = self.unfetched(qp);
        assert_eq!(
            (va, bits(&list, 160, 32), bits(&list, 128, 32)),
            (answer.va, answer.left.into(), answer.r_key.into())
        );
        assert_eq!(
            (length, pd),
            (answer.packet.payload.into(), 0x77_0000 + qp as u64)
        );
        assert!(written >= answer.fence, "the data may not be there");
        let fault = self.faults && self.rng.u32(..60) == 0;
        self.walks.push_back((self.rng.u32(3..6), fault));
    }

    /// Returns true if data is fetched.
    fn observe_retire(&mut self) -> bool {
        let record = self.bench.bytes("retire_record");
        let (kind, code) = (bits(&record, 88, 8) as u8, bits(&record, 80, 8) as u8);
        let qp = bits(&record, 56, 24) as usize - QPN as usize;
        let psn = bits(&record, 32, 24) as u32;
        if kind == retire::kind::REPLAY_DROPPED {
            let dropped = self.qps[qp].answers.pop_front().expect("an answer is due");
            assert_eq!((dropped.packet.kind, dropped.packet.psn), (2, psn));
            assert!(dropped.superseded, "QP {qp}: the value is kept");
            self.replays_dropped += 1;
            return false;
        }
        assert_eq!(self.unfetched(qp).packet.psn, psn);
        if kind == retire::kind::READ_FETCHED {
            let answer = self.unfetched(qp);
            answer.fetched = true;
            return answer.packet.payload > 0;
        }
        assert_eq!((kind, code), (retire::kind::READ_REFUSED, NAK));
        let answers = &mut self.qps[qp].answers;
        let at = answers
            .iter()
            .position(|answer| answer.packet.kind == 1 && !answer.fetched);
        answers.truncate(at.expect("a read is answered") + 1);
        let refused = answers.back_mut().expect("it was just found");
        refused.packet = Packet {
            kind: 3,
            last: true,
            opcode: 0x11,
            syndrome: NAK,
            payload: 0,
            ..refused.packet
        };
        refused.fetched = true;
        (self.qps[qp].refused, self.qps[qp].fail_due) = (true, true);
        self.refusals += 1;
        false
    }

    fn observe_packet(&mut self, index: usize, packet: Packet, ack: bool) {
        let qp = &mut self.qps[index];
        // The latest of several acks stands for all.
        while qp.answers.len() > 1
            && qp.answers[0].packet != packet
            && positive(&qp.answers[0])
            && positive(&qp.answers[1])
        {
            qp.answers.pop_front();
            self.coalesced += 1;
        }
        let answer = qp.answers.pop_front().expect("no answer is due");
        assert_eq!(answer.packet, packet, "QP {index}");
        assert!(
            answer.original_known,
            "QP {index}: the atomic was not carried out"
        );
        assert!(answer.fetched || packet.kind != 1, "QP {index}: no data");
        assert!(
            qp.under_way == 0 || qp.acks == ack,
            "QP {index}: acks and data may overtake each other"
        );
        assert!(qp.under_way < 32);
        assert_eq!(ack, packet.kind == 3);
        qp.acks = ack;
        qp.under_way += 1;
        self.packets += 1;
    }

    fn observe_modify(&mut self) {
        let (index, state) = self.modify.take().expect("one waits");
        let qp = &mut self.qps[index];
        if state == command::STATE_RESET {
            assert_eq!(qp.under_way, 0, "QP {index} was reset with packets on their way");
            self.resets += 1;
            (qp.psn, qp.msn) = (self.rng.u32(..1 << 24), 0);
            (qp.refused, qp.error, qp.new) = (false, false, true);
            qp.pmtu = 256 << (index % 3);
        }
        if matches!(state, command::STATE_RESET | command::STATE_ERROR) {
            qp.answers.clear();
        }
    }

    /// Software changes the state of a QP; the receive side has let go of it before.
    fn meddle(&mut self) {
        let index = self.rng.usize(..QPS);
        let qp = &mut self.qps[index];
        if self.modify.is_some() || self.jobs.iter().any(|&(qp, _)| qp == index) {
            return;
        }
        let state = match self.rng.u32(..8) {
            0 => command::STATE_ERROR,
            1..=2 => command::STATE_RTS,
            _ if qp.refused || qp.error || self.rng.u32(..4) == 0 => command::STATE_RESET,
            _ => return,
        };
        if qp.error && state != command::STATE_RESET {
            return;
        }
        qp.error |= state == command::STATE_ERROR;
        self.modify = Some((index, state));
    }
}

#[test]
fn answers_of_a_qp_leave_once_and_in_order() {
    let library = bench::library::<Engine>("response_engine");
    let mut dropped = 0;
    for seed in 0..4 {
        let mut run = Run::new(&library, seed);
        for clock in 0..40_000 {
            if run.rng.u32(..200) == 0 {
                run.meddle();
            }
            run.clock(clock % 4000 < 3000);
        }
        for _ in 0..20_000 {
            run.clock(false);
        }
        assert!(
            run.qps.iter().all(|qp| qp.answers.is_empty() && !qp.fail_due),
            "seed {seed}"
        );
        assert_eq!(run.shared, run.handed_over + run.returned);
        assert!(
            run.marks.is_empty() && run.paced > 500,
            "{} {:?}",
            run.paced,
            run.marks
        );
        assert!(run.packets > 2000, "{}", run.packets);
        assert!(run.coalesced > 20, "{}", run.coalesced);
        assert!(run.resets > 40, "{}", run.resets);
        dropped += run.replays_dropped;
        assert_eq!(run.refusals > 5, run.faults, "{}", run.refusals);
    }
    assert!(dropped > 20, "{dropped}");
}

/// No packet waits in the queue of a VL.
pub fn no_lanes(bench: &mut Bench) {
    bench.set_bytes("lane_hold_first", &vector::<93>(LaneHolds::default().into()));
}

/// Where nothing holds the engine up: a walker of four clocks, a way out that takes every packet and sends it a clock
/// later. The clocks of the responses, of jobs for these QPs in turn.
fn responses(qps: usize, pmtu_code: u32, length: u32, jobs: usize) -> Vec<u64> {
    let library = bench::library::<Engine>("response_engine");
    let mut bench = Bench::new(&library, 1);
    for input in [
        "job_valid", "modify_valid", "receive_modified", "original_valid", "original_error", "emitted_valid",
        "walk_done", "walk_fault", "hold",
    ] {
        bench.set(input, 0);
    }
    for input in [
        "pieces_ready", "walk_ready", "response_ready", "ack_ready", "fail_ready",
    ] {
        bench.set(input, 1);
    }
    bench.set("responder_written", 0);
    no_lanes(&mut bench);
    for qp in 0..qps {
        set_modify(&mut bench, qp, command::STATE_RTR, pmtu_code);
        bench.set("modify_valid", 1);
        wait(&mut bench, "modify_ready");
    }
    bench.set("modify_valid", 0);
    bench.set("pieces_ready", 0);
    let job = Job {
        kind: JOB_READ,
        length,
        ..Job::default()
    };
    bench.set("job_valid", 1);
    for n in 0..jobs {
        set_job(&mut bench, n % qps, &job);
        wait(&mut bench, "job_ready");
    }
    bench.set("job_valid", 0);
    bench.set("pieces_ready", 1);
    let mut clocks = vec![];
    let mut walks: VecDeque<u64> = VecDeque::new();
    let end = bench.cycle + 3000;
    while bench.cycle < end {
        let done = walks
            .front()
            .is_some_and(|done| *done == bench.cycle)
            .then(|| walks.pop_front());
        bench.set("walk_done", done.is_some().into());
        bench.settle();
        if bench.is_set("walk_valid") {
            walks.push_back(bench.cycle + 4);
        }
        let left = bench.is_set("response_valid").then(|| packet(&bench, "response"));
        bench.tick();
        bench.set("emitted_valid", left.is_some().into());
        if let Some((qp, packet)) = left {
            clocks.push(bench.cycle);
            bench.set("emitted_index", qp as u64);
            bench.set("emitted_kind", packet.kind.into());
        }
    }
    clocks
}

fn longest_gap(clocks: &[u64]) -> u64 {
    clocks
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .max()
        .expect("there are several")
}

#[test]
fn small_reads_of_several_qps_are_answered_while_others_are_looked_up() {
    for (qps, clocks_each) in [(2, 6), (4, 3), (8, 2)] {
        let clocks = responses(qps, 3, 64, 48);
        assert_eq!(clocks.len(), 48);
        let all = clocks[47] - clocks[7];
        assert!(all <= 40 * clocks_each, "{qps} QPs: {clocks:?}");
    }
}

/// 17 clocks are a packet of 1024 bytes and its headers at 512 bits.
#[test]
fn a_long_read_of_one_qp_is_answered_back_to_back() {
    let clocks = responses(1, 3, 100 * 1024, 1);
    assert_eq!(clocks.len(), 100);
    assert!(longest_gap(&clocks) <= 17, "{clocks:?}");
}
