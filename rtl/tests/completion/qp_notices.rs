//! Events of queue pairs that wait for a place in the event queue.
use crate::bench::{library, Bench};
use hca_rtl::event::QpNotices;

fn quiet(bench: &mut Bench) {
    for input in [
        "modify_valid", "modify_index", "modify_qpn", "modify_resets", "request_valid", "request_index",
        "request_kinds", "fatal_valid", "fatal", "refused_valid", "refused", "bad_doorbell_valid",
        "bad_doorbell", "drained_valid", "drained", "event_ready",
    ] {
        bench.set(input, 0);
    }
}

fn step(bench: &mut Bench) -> Option<(u64, u64)> {
    bench.settle();
    let event = (bench.is_set("event_valid") && bench.is_set("event_ready"))
        .then(|| (bench.get("event_kind"), bench.get("event_number")));
    bench.tick();
    event
}

fn modify(bench: &mut Bench, index: u64, qpn: u64, resets: bool) {
    bench.set("modify_valid", 1);
    bench.set("modify_index", index);
    bench.set("modify_qpn", qpn);
    bench.set("modify_resets", u64::from(resets));
    step(bench);
    bench.set("modify_valid", 0);
}

/// The port with the index of the QP.
fn index_of(source: &str) -> &str {
    if source == "request" {
        "request_index"
    } else {
        source
    }
}

fn pulse(bench: &mut Bench, source: &str, index: u64, kinds: u64) {
    bench.set(&format!("{source}_valid"), 1);
    bench.set(index_of(source), index);
    if source == "request" {
        bench.set("request_kinds", kinds);
    }
    step(bench);
    bench.set(&format!("{source}_valid"), 0);
}

fn drain(bench: &mut Bench) -> Vec<(u64, u64)> {
    bench.set("event_ready", 1);
    let events = (0..60).filter_map(|_| step(bench)).collect();
    bench.set("event_ready", 0);
    events
}

fn start(seed: u64) -> Bench {
    let mut bench = Bench::new(&library::<QpNotices<4>>("qp_notices"), seed);
    quiet(&mut bench);
    for _ in 0..20 {
        step(&mut bench);
    }
    for index in 0..16 {
        modify(&mut bench, index, 0xABC0 + index, true);
        step(&mut bench);
    }
    bench
}

#[test]
fn each_kind_waits_once_for_each_qp() {
    let mut bench = start(1);
    for _ in 0..3 {
        pulse(&mut bench, "request", 5, 0b00100);
        pulse(&mut bench, "bad_doorbell", 5, 0);
        pulse(&mut bench, "fatal", 9, 0);
        pulse(&mut bench, "drained", 5, 0);
        pulse(&mut bench, "request", 9, 0b01000);
        pulse(&mut bench, "request", 2, 0);
        pulse(&mut bench, "request", 9, 0b100000);
    }
    assert_eq!(
        drain(&mut bench),
        [
            (17, 0xABC5),
            (18, 0xABC5),
            (20, 0xABC5),
            (19, 0xABC9),
            (20, 0xABC9),
            (21, 0xABC9)
        ]
    );
    assert_eq!(drain(&mut bench), []);
    // Told, it may happen again.
    pulse(&mut bench, "bad_doorbell", 5, 0);
    assert_eq!(drain(&mut bench), [(20, 0xABC5)]);
}

#[test]
fn communication_is_established_once_until_reset() {
    let mut bench = start(2);
    for _ in 0..2 {
        pulse(&mut bench, "request", 7, 1);
        assert_eq!(drain(&mut bench).len(), usize::from(bench.cycle < 120));
    }
    modify(&mut bench, 7, 0x7777, false);
    pulse(&mut bench, "request", 7, 1);
    assert_eq!(drain(&mut bench), []);
    modify(&mut bench, 7, 0x7777, true);
    step(&mut bench);
    pulse(&mut bench, "request", 7, 1);
    assert_eq!(drain(&mut bench), [(16, 0x7777)]);
}

#[test]
fn a_reset_forgets_what_waits() {
    // On its way to be offered, offered, and long offered.
    for wait in 0..10 {
        let mut bench = start(3);
        pulse(&mut bench, "fatal", 3, 0);
        pulse(&mut bench, "fatal", 4, 0);
        for _ in 0..wait {
            step(&mut bench);
        }
        modify(&mut bench, 3, 0x3333, true);
        assert_eq!(drain(&mut bench), [(20, 0xABC4)], "after {wait} clocks");
        pulse(&mut bench, "drained", 3, 0);
        assert_eq!(drain(&mut bench), [(17, 0x3333)]);
    }
}

/// Whatever happens at once, and however slowly software takes it: what is taken in is reported, and nothing else is.
#[test]
fn what_happens_at_once_is_reported_each() {
    for seed in 4..9 {
        let mut bench = start(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut due = [0_u64; 16];
        let mut established = [false; 16];
        let mut reported = 0;
        for i in 0..5000 {
            let live = i < 4000;
            let sources = ["request", "fatal", "bad_doorbell", "drained", "refused"];
            let mut offered = [None; 5];
            for (n, source) in sources.into_iter().enumerate() {
                let valid = live && rng.u8(..6) == 0 && (n > 0 || i % 4 == 0);
                let index = rng.u64(..16);
                bench.set(&format!("{source}_valid"), u64::from(valid));
                bench.set(index_of(source), index);
                let kinds = [1 << [0, 2, 3, 5][rng.usize(..4)], 16, 16, 2, 8][n];
                if n == 0 {
                    bench.set("request_kinds", kinds);
                }
                offered[n] = valid.then_some((index as usize, kinds));
            }
            bench.set("event_ready", u64::from(!live || rng.u8(..5) == 0));
            bench.settle();
            // What comes while its like is being reported is reported again.
            if bench.is_set("event_valid") && bench.is_set("event_ready") {
                let bit = 1 << (bench.get("event_kind") - 16);
                let index = (bench.get("event_number") - 0xABC0) as usize;
                assert!(due[index] & bit != 0, "QP {index}: {bit}");
                due[index] &= !bit;
                reported += 1;
            }
            for (n, source) in sources.into_iter().enumerate() {
                let taken = n == 0 || bench.is_set(&format!("{source}_ready"));
                if let Some((index, kinds)) = offered[n].filter(|_| taken) {
                    if kinds != 1 || !established[index] {
                        due[index] |= kinds;
                    }
                    established[index] |= kinds == 1;
                }
            }
            bench.tick();
        }
        assert_eq!(due, [0; 16]);
        assert!(reported > 200, "{reported}");
    }
}
