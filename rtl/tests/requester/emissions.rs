//! Which packets that leave may start the ack timer (`protocol/aeth.md` section 6).
use crate::bench::{library, Bench};
use hca_rtl::requester::Emissions;
use hca_rtl::transmit::KIND_REQUEST;

struct Way {
    bench: Bench,
    /// QPs of the packets that count as sent, in their order.
    sent: Vec<u64>,
}

impl Way {
    fn new(start_psn: u64) -> Way {
        let mut bench = Bench::new(&library::<Emissions<4>>("emissions"), 1);
        for input in [
            "leaves_valid",
            "leaves_index",
            "leaves_next_psn",
            "departs_valid",
            "departs_kind",
            "request_read",
            "start_valid",
            "start_psn",
            "index",
            "judge_index",
            "settle_index",
            "settle_moves",
        ] {
            bench.set(input, 0);
        }
        bench.set("sent_ready", 1);
        let mut way = Way {
            bench,
            sent: Vec::new(),
        };
        way.bench.set("start_psn", start_psn);
        for index in 0..16 {
            way.bench.set("settle_index", index);
            way.bench.set("start_valid", 1);
            way.step();
        }
        way.bench.set("start_valid", 0);
        way
    }

    fn step(&mut self) {
        self.bench.settle();
        if self.bench.is_set("sent_valid") {
            self.sent.push(self.bench.get("sent_index"));
        }
        self.bench.tick();
    }

    /// Hands a packet to the way out, up to this PSN.
    fn leaves(&mut self, index: u64, next_psn: u64) {
        self.bench.set("leaves_valid", 1);
        self.bench.set("leaves_index", index);
        self.bench.set("leaves_next_psn", next_psn);
        self.step();
        self.bench.set("leaves_valid", 0);
    }

    /// So many packets depart, one a clock; then the clocks until the last of them counts.
    fn departs(&mut self, count: usize) -> Vec<u64> {
        self.bench.set("departs_valid", 1);
        self.bench.set("departs_kind", u64::from(KIND_REQUEST));
        for _ in 0..count {
            self.step();
        }
        self.bench.set("departs_valid", 0);
        for _ in 0..4 {
            self.step();
        }
        std::mem::take(&mut self.sent)
    }
}

#[test]
fn a_packet_that_is_sent_again_starts_no_timer() {
    let mut way = Way::new(0xFF_FFFE);
    for next_psn in [0xFF_FFFF, 0, 1] {
        way.leaves(3, next_psn);
    }
    assert_eq!(way.departs(3), [3, 3, 3], "new, around the end of the PSNs");
    for next_psn in [0xFF_FFFF, 0, 1] {
        way.leaves(3, next_psn);
    }
    way.leaves(5, 0xFF_FFFF);
    way.leaves(3, 2);
    assert_eq!(way.departs(3), [0; 0], "sent again");
    assert_eq!(
        way.departs(2),
        [5, 3],
        "of another queue pair, and beyond what was sent"
    );
}

/// CF286.
#[test]
fn a_read_of_half_the_psns_starts_the_timer() {
    let mut way = Way::new(7);
    way.leaves(1, 7 + (1 << 23));
    assert_eq!(way.departs(1), [1]);
    way.leaves(1, 7 + (1 << 23));
    assert_eq!(way.departs(1), [0; 0], "again");
}
