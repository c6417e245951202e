//! The event ring in host memory.
use crate::bench::{library, Bench};
use crate::rig::Record;
use hca_rtl::event::EventQueue;

const BASE: u64 = 0x7_0000_0040;

/// `EQ_CONTROL`: on, empty.
fn start(bench: &mut Bench, log_size: u64, enable: bool) {
    bench.set("control_valid", 1);
    bench.set("enable", u64::from(enable));
    bench.set("base", BASE);
    bench.set("log_size", log_size);
    bench.settle();
    bench.tick();
    bench.set("control_valid", 0);
    bench.set("consumer", 0);
}

/// Events of both kinds in their order, each once; never more in the ring than it holds; what finds it full or off waits.
#[test]
fn nothing_is_lost_when_the_ring_is_full() {
    let library = library::<EventQueue<4>>("event_queue");
    for seed in 1..=6 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bench = Bench::new(&library, seed);
        for input in [
            "control_valid",
            "consumer",
            "enable",
            "base",
            "log_size",
            "cq_kind",
            "qp_kind",
        ] {
            bench.set(input, 0);
        }
        let log_size = seed % 4;
        let (mut produced, mut consumed) = (0_u64, 0_u64);
        let (mut next_cq, mut next_qp) = (0_u64, 0_u64);
        let mut expected = std::collections::VecDeque::new();
        let mut full = 0;
        for i in 0..3000 {
            if i == 50 {
                start(&mut bench, log_size, true);
            }
            let offers = [rng.u8(..3) > 0, rng.u8(..3) > 0];
            bench.set("cq_valid", u64::from(offers[0]));
            bench.set("cq_kind", 1);
            bench.set("cq_index", next_cq % 16);
            bench.set("qp_valid", u64::from(offers[1]));
            bench.set("qp_kind", 16 + next_qp % 5);
            bench.set("qpn", 0x123 + next_qp);
            if consumed < produced && rng.u8(..8) == 0 {
                consumed += rng.u64(1..=produced - consumed);
                bench.set("consumer", consumed & 0xFFFF);
            }
            let ready = rng.bool();
            bench.set("eqe_ready", u64::from(ready));
            bench.settle();
            let takes = [
                offers[0] && bench.is_set("cq_ready"),
                offers[1] && bench.is_set("qp_ready"),
            ];
            assert!(!(takes[0] && takes[1]));
            assert_eq!(bench.is_set("retire_valid"), takes[0] || takes[1]);
            if i < 50 {
                assert_eq!(takes, [false; 2], "it is off");
            }
            if takes[0] || takes[1] {
                let event = match takes[0] {
                    true => (1, next_cq % 16),
                    false => (16 + next_qp % 5, 0x123 + next_qp),
                };
                let record = Record::read(&bench.bytes("retire_record"));
                assert_eq!((record.kind, record.code, record.qpn), (26, event.0, event.1));
                assert!(produced - consumed < 1 << log_size, "the ring is full");
                expected.push_back((produced, event));
                produced += 1;
                next_cq += u64::from(takes[0]);
                next_qp += u64::from(takes[1]);
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
            next_cq > 50 && next_qp > 50 && full > 50,
            "{next_cq} {next_qp} {full}"
        );
    }
}

/// Stopped, it takes nothing; started again, it is empty and on its first pass.
#[test]
fn a_stopped_queue_keeps_events_waiting() {
    let library = library::<EventQueue<4>>("event_queue");
    let mut bench = Bench::new(&library, 1);
    for input in ["qp_valid", "qp_kind", "qpn", "cq_valid", "cq_index"] {
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
