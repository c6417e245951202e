//! Receive WQEs of queue pairs in Error are found whenever they come.
use crate::bench::{library, Bench};
use hca_rtl::responder::FlushScan;

const RTS: u64 = 3;
const ERROR: u64 = 6;

struct Scan {
    bench: Bench,
    /// Receive WQEs that are at hand.
    arrived: [u64; 16],
}

impl Scan {
    fn new() -> Scan {
        let mut bench = Bench::new(&library::<FlushScan<4>>("flush_scan"), 1);
        for input in [
            "change_valid", "change_index", "change_state", "change_reported", "change_open",
            "change_consumer", "flush_arrived", "arrives", "turn_ready",
        ] {
            bench.set(input, 0);
        }
        Scan {
            bench,
            arrived: [0; 16],
        }
    }

    /// The QP whose turn stands in this clock.
    fn step(&mut self) -> Option<u64> {
        self.bench.settle();
        let index = self.bench.get("flush_index") as usize;
        self.bench.set("flush_arrived", self.arrived[index]);
        self.bench.settle();
        let turn = self
            .bench
            .is_set("turn_valid")
            .then(|| self.bench.get("turn_index"));
        self.bench.tick();
        turn
    }

    fn change(&mut self, index: u64, state: u64, consumer: u64) {
        for (input, value) in [
            ("change_valid", 1),
            ("change_index", index),
            ("change_state", state),
            ("change_reported", 1),
            ("change_consumer", consumer),
        ] {
            self.bench.set(input, value);
        }
        self.step();
        self.bench.set("change_valid", 0);
    }

    /// They are at hand from the next clock on.
    fn arrive(&mut self, index: u64, arrived: u64) {
        self.bench.set("arrives", 1);
        self.step();
        self.bench.set("arrives", 0);
        self.arrived[index as usize] = arrived;
    }

    /// Flushes one WQE in a turn; who had turns.
    fn turns(&mut self, clocks: usize, consumed: &mut [u64; 16]) -> Vec<u64> {
        let mut turns = Vec::new();
        for _ in 0..clocks {
            if let Some(index) = self.step() {
                self.bench.set("turn_ready", 1);
                self.step();
                self.bench.set("turn_ready", 0);
                consumed[index as usize] += 1;
                self.change(index, ERROR, consumed[index as usize]);
                turns.push(index);
            }
        }
        turns
    }
}

/// The scan stands still while it finds nothing: WQEs that arrive in whatever clock before or after are found, and so
/// is a queue pair that goes to Error with WQEs at hand.
#[test]
fn what_arrives_is_found_whenever_it_arrives() {
    let mut scan = Scan::new();
    let mut consumed = [0; 16];
    for index in 0..16 {
        scan.change(index, RTS, 0);
    }
    for index in [0, 6, 15] {
        scan.change(index, ERROR, 0);
        assert_eq!(scan.turns(80, &mut consumed), [0; 0]);
        for pause in 0..60 {
            scan.arrive(index, consumed[index as usize] + 2);
            assert_eq!(
                scan.turns(40 + pause, &mut consumed),
                [index, index],
                "after {pause} clocks"
            );
        }
    }
    for (pause, index) in (0..).zip([1, 5, 14, 2, 9].into_iter().cycle().take(60)) {
        scan.change(index, RTS, consumed[index as usize]);
        scan.arrive(index, consumed[index as usize] + 1);
        assert_eq!(
            scan.turns(pause, &mut consumed),
            [0; 0],
            "nothing is flushed before the error"
        );
        scan.change(index, ERROR, consumed[index as usize]);
        assert_eq!(scan.turns(50, &mut consumed), [index], "after {pause} clocks");
    }
}
