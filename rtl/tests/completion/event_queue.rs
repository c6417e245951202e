//! The event ring in host memory.
use crate::bench::{library, Bench};
use crate::rig::Record;
use hca_rtl::event::EventQueue;

const BASE: u64 = 0x7_0000_0040;

/// `EQ_CONTROL` in the next clock: on, empty.
fn control(bench: &mut Bench, base: u64, log_size: u64, enable: bool) {
    bench.set("eq_control_valid", 1);
    bench.set("eq_enable", u64::from(enable));
    bench.set("eq_base", base);
    bench.set("eq_log_size", log_size);
}

fn start(bench: &mut Bench, log_size: u64, enable: bool) {
    control(bench, BASE, log_size, enable);
    bench.settle();
    bench.tick();
    bench.set("eq_control_valid", 0);
    bench.set("eq_consumer", 0);
}

/// Events of all kinds in their order, each once, those of the port first; never more in the ring than it holds; what
/// finds it full or off waits.
#[test]
fn nothing_is_lost_when_the_ring_is_full() {
    let library = library::<EventQueue<4>>("event_queue");
    for (seed, log_size) in [(1, 1), (2, 2), (3, 3), (4, 0), (5, 1), (6, 2), (7, 15)] {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bench = Bench::new(&library, seed);
        for input in [
            "eq_control_valid", "eq_consumer", "eq_enable", "eq_base", "eq_log_size", "cq_kind", "qp_kind",
            "port_kind", "port_number",
        ] {
            bench.set(input, 0);
        }
        let (mut produced, mut consumed) = (0_u64, 0_u64);
        let (mut next_cq, mut next_qp, mut next_port) = (0_u64, 0_u64, 0_u64);
        let mut expected = std::collections::VecDeque::new();
        let mut full = 0;
        for i in 0..3000 {
            if i == 50 {
                start(&mut bench, log_size, true);
            }
            let offers = [rng.u8(..3) > 0, rng.u8(..3) > 0, rng.u8(..8) == 0];
            bench.set("cq_valid", u64::from(offers[0]));
            bench.set("cq_kind", 1);
            bench.set("cq_number", next_cq % 16);
            bench.set("qp_valid", u64::from(offers[1]));
            bench.set("qp_kind", 16 + next_qp % 5);
            bench.set("qp_number", 0x123 + next_qp);
            bench.set("port_valid", u64::from(offers[2]));
            bench.set("port_kind", 32 + next_port % 2);
            bench.set("port_number", next_port / 2 % 2);
            if consumed < produced && rng.u8(..8) == 0 {
                consumed += rng.u64(1..=produced - consumed);
                bench.set("eq_consumer", consumed & 0xFFFF);
            }
            let ready = rng.bool();
            bench.set("eqe_ready", u64::from(ready));
            bench.settle();
            let takes = [
                offers[0] && bench.is_set("cq_ready"),
                offers[1] && bench.is_set("qp_ready"),
                offers[2] && bench.is_set("port_ready"),
            ];
            let taken = takes.iter().filter(|takes| **takes).count();
            assert!(taken <= 1 && !(offers[2] && (takes[0] || takes[1])));
            assert_eq!(bench.is_set("retire_valid"), taken == 1);
            if i < 50 {
                assert_eq!(taken, 0, "it is off");
            }
            if taken == 1 {
                let event = match takes {
                    [true, ..] => (1, next_cq % 16),
                    [_, true, _] => (16 + next_qp % 5, 0x123 + next_qp),
                    _ => (32 + next_port % 2, 1 + next_port / 2 % 2),
                };
                let record = Record::read(&bench.bytes("retire_record"));
                assert_eq!((record.kind, record.code, record.qpn), (26, event.0, event.1));
                assert!(produced - consumed < 1 << log_size, "the ring is full");
                expected.push_back((produced, event));
                produced += 1;
                next_cq += u64::from(takes[0]);
                next_qp += u64::from(takes[1]);
                next_port += u64::from(takes[2]);
            }
            full += u32::from(produced - consumed == 1 << log_size);
            if bench.is_set("eqe_valid") && ready {
                let (index, (kind, number)) = expected.pop_front().expect("it was reported");
                let mut eqe = [0; 16];
                eqe[0] = kind as u8;
                eqe[1..4].copy_from_slice(&(number as u32).to_be_bytes()[1..]);
                eqe[15] = u8::from(index >> log_size & 1 == 0);
                assert_eq!(bench.get("eqe_address"), BASE + 16 * (index % (1 << log_size)));
                let bytes: Vec<u8> = bench.bytes("eqe").into_iter().rev().collect();
                assert_eq!(bytes, eqe);
            }
            bench.tick();
        }
        assert!(
            next_cq > 50 && next_qp > 50 && next_port > 20 && (full > 50 || log_size > 3),
            "{next_cq} {next_qp} {next_port} {full}"
        );
    }
}

/// Stopped, it takes nothing; started again, it is empty and on its first pass.
#[test]
fn a_stopped_queue_keeps_events_waiting() {
    let library = library::<EventQueue<4>>("event_queue");
    let mut bench = Bench::new(&library, 1);
    for input in [
        "qp_valid", "qp_kind", "qp_number", "cq_valid", "cq_number", "port_valid", "port_number",
    ] {
        bench.set(input, 0);
    }
    bench.set("cq_kind", 1);
    bench.set("eqe_ready", 1);
    start(&mut bench, 1, true);
    let mut places = Vec::new();
    for round in 0..3 {
        bench.set("cq_valid", 1);
        for _ in 0..20 {
            bench.settle();
            if bench.is_set("eqe_valid") {
                places.push((bench.get("eqe_address") - BASE, bench.bytes("eqe")[0]));
            }
            bench.tick();
        }
        start(&mut bench, 1, round == 1);
    }
    // Two fill it; stopped none; then two of a first pass again.
    assert_eq!(places, [(0, 1), (16, 1), (0, 1), (16, 1)]);
}

const NEXT: u64 = 0x9_0000_0080;

/// Event 7 of CQ 9 is taken, then others are offered; EQ_CONTROL comes in clock 3, and starts what it stops in clock 8.
/// What goes, and where to, if it may from clock `ready` on.
fn around_control(ready: u64, enable: bool) -> Vec<(u64, u8, u8, u8)> {
    let library = library::<EventQueue<4>>("event_queue");
    let mut bench = Bench::new(&library, 1);
    for input in [
        "qp_valid", "qp_kind", "qp_number", "cq_valid", "port_valid", "port_number",
    ] {
        bench.set(input, 0);
    }
    start(&mut bench, 1, true);
    bench.settle();
    bench.tick();
    bench.set("cq_valid", 1);
    bench.set("cq_kind", 7);
    bench.set("cq_number", 9);
    let mut went = Vec::new();
    let mut reports = 0;
    for clock in 0..24 {
        bench.set("eqe_ready", u64::from(clock >= ready));
        bench.set("eq_control_valid", 0);
        if clock == 3 {
            control(&mut bench, NEXT, 1, enable);
        }
        if clock == 8 && !enable {
            control(&mut bench, NEXT, 1, true);
        }
        bench.settle();
        let reported = bench.is_set("retire_valid");
        reports += usize::from(reported);
        if bench.is_set("eqe_valid") && clock >= ready {
            let eqe = bench.bytes("eqe");
            went.push((bench.get("eqe_address"), eqe[15], eqe[12], eqe[0]));
        }
        assert!(
            enable || !(4..=8).contains(&clock) || !bench.is_set("eqe_valid"),
            "it is off"
        );
        bench.tick();
        if reported {
            bench.set("cq_kind", 8);
            bench.set("cq_number", 2);
        }
    }
    assert_eq!(reports, went.len(), "each is reported once");
    went
}

/// What was not handed on when `EQ_CONTROL` comes is the first in the next ring; what was is where it was to go.
#[test]
fn a_new_ring_loses_nothing() {
    for enable in [true, false] {
        for ready in [2, 3] {
            assert_eq!(
                around_control(ready, enable)[..2],
                [(BASE, 7, 9, 1), (NEXT, 8, 2, 1)],
                "clock {ready}, on {enable}"
            );
        }
        for ready in [4, 5, 6, 12] {
            assert_eq!(
                around_control(ready, enable),
                [(NEXT, 7, 9, 1), (NEXT + 16, 8, 2, 1)],
                "clock {ready}, on {enable}"
            );
        }
    }
}

/// Every event that is reported goes once, in that order, to the ring that stands, in the next place there.
#[test]
fn nothing_is_lost_between_rings() {
    let library = library::<EventQueue<4>>("event_queue");
    for seed in 1..=4 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bench = Bench::new(&library, seed);
        for input in [
            "eq_control_valid", "eq_consumer", "qp_kind", "eq_enable", "eq_base", "eq_log_size",
            "port_valid", "port_number",
        ] {
            bench.set(input, 0);
        }
        let (mut base, mut log_size, mut enabled) = (BASE, 0, false);
        let (mut written, mut consumed) = (0, 0);
        let mut reported = std::collections::VecDeque::new();
        let (mut went, mut rings) = (0, 0);
        for i in 0..4000_u64 {
            bench.set("eq_consumer", consumed);
            bench.set("cq_valid", u64::from(rng.bool()));
            bench.set("cq_kind", 1);
            bench.set("cq_number", i % 16);
            bench.set("qp_valid", u64::from(rng.bool()));
            bench.set("qp_kind", 16);
            bench.set("qp_number", i);
            let ready = rng.u8(..3) == 0;
            bench.set("eqe_ready", u64::from(ready));
            let controls = rng.u8(..24) == 0;
            let next = (BASE + 64 * rng.u64(..1000), rng.u64(..3), rng.u8(..4) > 0);
            if controls {
                control(&mut bench, next.0, next.1, next.2);
            }
            bench.settle();
            assert!(enabled || !bench.is_set("eqe_valid"), "it is off");
            if bench.is_set("eqe_valid") && ready {
                let record: Record = reported.pop_front().expect("it was reported");
                let eqe = bench.bytes("eqe");
                let number = u32::from_be_bytes([0, eqe[14], eqe[13], eqe[12]]);
                assert_eq!((u64::from(eqe[15]), u64::from(number)), (record.code, record.qpn));
                assert!(written - consumed < 1 << log_size, "the ring is full");
                assert_eq!(bench.get("eqe_address"), base + 16 * (written % (1 << log_size)));
                assert_eq!(u64::from(eqe[0]), !(written >> log_size) & 1);
                written += 1;
                went += 1;
            }
            if bench.is_set("retire_valid") {
                reported.push_back(Record::read(&bench.bytes("retire_record")));
            }
            bench.tick();
            bench.set("eq_control_valid", 0);
            if controls {
                (base, log_size, enabled) = next;
                (written, consumed) = (0, 0);
                rings += 1;
            } else if consumed < written && rng.u8(..6) == 0 {
                consumed += 1;
            }
        }
        assert!(went > 200 && rings > 100 && reported.len() < 2, "{went} {rings}");
    }
}
