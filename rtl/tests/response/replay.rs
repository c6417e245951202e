//! A duplicate of an atomic waits for its turn while a newer atomic takes the resource (`protocol/responder.md` section
//! 6): the saved value is answered, or nothing.
use crate::bench::{self, bits, Bench};
use crate::engine::{no_lanes, packet, set_job, set_modify, Engine, Job};
use hca_host::{command, retire};
use hca_rtl::response::{JOB_ACK, JOB_ATOMIC};

const QP: usize = 5;
const SLOT: u8 = 3;
/// The atomic that is repeated, its value; the one that takes its resource.
const FIRST: (u32, u64) = (10, 0x1111_2222_3333_4444);
const NEWER: (u32, u64) = (26, 0xAAAA_BBBB_CCCC_DDDD);

struct Rig {
    bench: Bench,
    /// PSNs and values of atomic acks that left; PSNs of the replays that were dropped.
    left: Vec<(u32, u64)>,
    dropped: Vec<u32>,
}

impl Rig {
    fn new() -> Rig {
        let library = bench::library::<Engine>("response_engine");
        let mut rig = Rig {
            bench: Bench::new(&library, 1),
            left: vec![],
            dropped: vec![],
        };
        for input in [
            "job_valid", "original_valid", "original_error", "emitted_valid", "walk_done", "walk_fault",
            "hold", "responder_written",
        ] {
            rig.bench.set(input, 0);
        }
        for input in [
            "pieces_ready", "walk_ready", "response_ready", "ack_ready", "fail_ready",
        ] {
            rig.bench.set(input, 1);
        }
        no_lanes(&mut rig.bench);
        set_modify(&mut rig.bench, QP, command::STATE_RTR, 1);
        rig.offer("modify");
        rig
    }

    fn clock(&mut self) {
        self.bench.settle();
        if self.bench.is_set("response_valid") && self.bench.is_set("response_ready") {
            let (qp, packet) = packet(&self.bench, "response");
            assert_eq!((qp, packet.opcode), (QP, 0x12));
            self.left.push((packet.psn, packet.original));
        }
        if self.bench.is_set("retire_valid") {
            let record = self.bench.bytes("retire_record");
            assert_eq!(bits(&record, 88, 8) as u8, retire::kind::REPLAY_DROPPED);
            self.dropped.push(bits(&record, 32, 24) as u32);
        }
        self.bench.tick();
        self.bench.set("original_valid", 0);
        self.bench.set("emitted_valid", 0);
    }

    fn clocks(&mut self, clocks: usize) {
        for _ in 0..clocks {
            self.clock();
        }
    }

    /// Holds `valid` until it is taken.
    fn offer(&mut self, port: &str) {
        self.bench.set(&format!("{port}_valid"), 1);
        loop {
            self.bench.settle();
            let taken = self.bench.is_set(&format!("{port}_ready"));
            self.clock();
            if taken {
                break;
            }
        }
        self.bench.set(&format!("{port}_valid"), 0);
    }

    fn job(&mut self, kind: u8, psn: u32, length: u32) {
        let job = Job {
            kind,
            psn,
            length,
            slot: SLOT,
            r_key: 0xFFFF_FFFF,
            ..Job::default()
        };
        set_job(&mut self.bench, QP, &job);
        self.offer("job");
    }

    fn atomic(&mut self, psn: u32) {
        self.job(JOB_ATOMIC, psn, 8);
    }

    fn replay(&mut self, psn: u32) {
        self.job(JOB_ATOMIC, psn, 0);
    }

    fn carried_out(&mut self, value: u64) {
        self.bench.set("original_valid", 1);
        self.bench
            .set("original_slot", (QP << 4) as u64 | u64::from(SLOT));
        self.bench.set("original_value", value);
    }

    /// A packet of the QP enters the link.
    fn emitted(&mut self, kind: u64) {
        self.bench.set("emitted_valid", 1);
        self.bench.set("emitted_index", QP as u64);
        self.bench.set("emitted_kind", kind);
    }

    /// The first is answered; an ack is on its way, so that its duplicate has to wait.
    fn waiting_replay() -> Rig {
        let mut rig = Rig::new();
        rig.clocks(300);
        rig.atomic(FIRST.0);
        rig.carried_out(FIRST.1);
        rig.clocks(20);
        assert_eq!(std::mem::take(&mut rig.left), [FIRST]);
        rig.emitted(2);
        rig.job(JOB_ACK, 11, 0);
        rig.clocks(20);
        rig.replay(FIRST.0);
        rig.clocks(20);
        assert_eq!(rig.left, []);
        rig
    }
}

#[test]
fn a_replay_that_waits_is_answered() {
    let mut rig = Rig::waiting_replay();
    rig.emitted(3);
    rig.clocks(20);
    assert_eq!((&rig.left[..], &rig.dropped[..]), (&[FIRST][..], &[][..]));
}

#[test]
fn a_replay_whose_value_is_gone_is_dropped() {
    let mut rig = Rig::waiting_replay();
    rig.replay(FIRST.0);
    rig.atomic(NEWER.0);
    rig.carried_out(NEWER.1);
    rig.clocks(20);
    rig.emitted(3);
    rig.clocks(30);
    assert_eq!(
        (&rig.left[..], &rig.dropped[..]),
        (&[NEWER][..], &[FIRST.0; 2][..])
    );
    // The newer one's duplicate has a value.
    rig.replay(NEWER.0);
    rig.clocks(20);
    assert_eq!(rig.left, [NEWER; 2]);
}

/// Nothing waits for the newer one but its own answer.
#[test]
fn a_replay_is_answered_while_the_newer_atomic_is_not_carried_out() {
    let mut rig = Rig::waiting_replay();
    rig.atomic(NEWER.0);
    rig.emitted(3);
    rig.clocks(30);
    assert_eq!((&rig.left[..], &rig.dropped[..]), (&[FIRST][..], &[][..]));
    rig.carried_out(NEWER.1);
    rig.clocks(20);
    assert_eq!(rig.left, [FIRST, NEWER]);
}

/// The way out takes it late.
#[test]
fn an_answer_that_is_offered_keeps_its_value() {
    let mut rig = Rig::waiting_replay();
    rig.atomic(NEWER.0);
    rig.bench.set("response_ready", 0);
    rig.emitted(3);
    rig.clocks(20);
    rig.carried_out(NEWER.1);
    rig.clocks(20);
    rig.bench.set("response_ready", 1);
    rig.clocks(20);
    assert_eq!((&rig.left[..], &rig.dropped[..]), (&[FIRST, NEWER][..], &[][..]));
}

/// Each clock of the turn in which the value may be lost.
#[test]
fn a_replay_has_its_own_value_or_no_answer() {
    let (mut answered, mut dropped) = (0, 0);
    for clocks in 0..24 {
        let mut rig = Rig::waiting_replay();
        rig.atomic(NEWER.0);
        rig.emitted(3);
        rig.clocks(clocks);
        rig.carried_out(NEWER.1);
        rig.clocks(30);
        if rig.dropped.is_empty() {
            assert_eq!(rig.left, [FIRST, NEWER], "{clocks} clocks");
            answered += 1;
        } else {
            assert_eq!(
                (&rig.left[..], &rig.dropped[..]),
                (&[NEWER][..], &[FIRST.0][..]),
                "{clocks} clocks"
            );
            dropped += 1;
        }
    }
    assert!(
        answered > 10 && dropped > 0,
        "{answered} answered, {dropped} dropped"
    );
}

/// Host memory fails it in every second life of the QP.
#[test]
fn an_atomic_that_fails_has_no_answer_and_its_resource_goes_on() {
    let mut rig = Rig::new();
    rig.clocks(300);
    for life in 0..9_u64 {
        let fails = life % 2 == 1;
        rig.atomic(FIRST.0);
        rig.bench.set("original_error", fails.into());
        rig.carried_out(life);
        rig.clocks(20);
        rig.bench.set("original_error", 0);
        if fails {
            assert_eq!(rig.left, [], "life {life}");
        } else {
            assert_eq!(std::mem::take(&mut rig.left), [(FIRST.0, life)]);
            rig.emitted(2);
        }
        rig.clocks(5);
        for state in [command::STATE_RESET, command::STATE_RTR] {
            set_modify(&mut rig.bench, QP, state, 1);
            rig.offer("modify");
        }
    }
    assert_eq!(rig.dropped, []);
}

/// The number of the atomics of a resource comes round many times.
#[test]
fn a_replay_is_of_the_latest_atomic_however_many_there_were() {
    let mut rig = Rig::waiting_replay();
    rig.emitted(3);
    rig.clocks(20);
    rig.emitted(2);
    let mut expected = vec![FIRST];
    for n in 0..40 {
        let value = 0x1_0000_0001 * u64::from(n + 1);
        rig.atomic(100 + n);
        rig.carried_out(value);
        rig.clocks(20);
        rig.emitted(2);
        rig.replay(100 + n);
        rig.clocks(20);
        rig.emitted(2);
        expected.extend([(100 + n, value); 2]);
    }
    assert_eq!((&rig.left, &rig.dropped[..]), (&expected, &[][..]));
}
