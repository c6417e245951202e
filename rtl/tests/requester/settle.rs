//! Rows of events that end: written back with what the event brings about, and the rest as it came.
use crate::bench::{library, Bench};
use crate::row::{draw, Row};
use fastrand::Rng;
use hca_rtl::requester::EventSettle;

const FAIL: u64 = 1;
const REPORTED: u64 = 2;
const RTS: u64 = 3;
const ERROR: u64 = 6;

/// `qp_cq.md` section 1, `requester.md` section 9: both queues are flushed, whichever side failed.
#[test]
fn the_row_of_a_qp_that_fails() {
    let library = library::<EventSettle<4, 10>>("event_settle");
    let mut bench = Bench::without_clock(&library, 1);
    let mut rng = Rng::with_seed(0x5E77);
    draw(&mut bench, &library, &mut rng);
    bench.set("valid", 0);
    bench.set("reset", 1);
    for _ in 0..4 {
        bench.settle();
        bench.tick();
    }
    bench.set("reset", 0);
    bench.settle();
    while bench.is_set("clears") {
        bench.tick();
        bench.settle();
    }
    for number in 0..2000 {
        draw(&mut bench, &library, &mut rng);
        bench.set("reset", 0);
        bench.set("launch_ends", 0);
        bench.set("walks", 0);
        let (kind, state) = [(FAIL, RTS), (REPORTED, ERROR)][number % 2];
        let row = Row::any(&mut rng)
            .with("state", state)
            .with("flushing", 0)
            .with("unreported", 0);
        let index = rng.u64(0..16);
        bench.set("valid", 1);
        bench.set("kind", kind);
        bench.set("index", index);
        bench.set_bytes("row", &row.0);
        bench.settle();
        assert!(bench.is_set("ready"), "event {number}");
        bench.tick();
        bench.set("valid", 0);
        bench.settle();
        assert!(
            bench.is_set("row_write") && bench.is_set("wakes"),
            "event {number}"
        );
        assert_eq!(bench.get("index_now"), index);
        let expected = row.with("state", ERROR).with("flushing", 1);
        assert_eq!(Row::of(&bench, "new_row").unlike(&expected), [""; 0]);
        bench.tick();
    }
}
