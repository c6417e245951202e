//! Which packets that leave may start the ack timer (`protocol/aeth.md` section 6).
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::requester::Emissions;
use hca_rtl::transmit::KIND_REQUEST;
use std::collections::VecDeque;

struct Way {
    bench: Bench,
    /// QPs of the packets that count as sent, in their order.
    sent: Vec<u64>,
}

impl Way {
    fn new(start_psn: u64) -> Way {
        let mut bench = Bench::new(&library::<Emissions<4>>("emissions"), 1);
        for input in [
            "leaves_valid", "leaves_index", "leaves_next_psn", "departs_valid", "departs_kind",
            "request_read", "handed_valid", "handed_spoiled", "done_ready", "departs_discard",
            "finished_valid", "leaves_unreliable", "start_valid", "start_psn", "index", "judge_index",
            "settle_index", "settle_moves",
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
        if self.bench.is_set("sent_valid") && self.bench.is_set("sent_ready") {
            self.sent.push(self.bench.get("sent"));
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

    /// Packets of the QP that are gone, from any number on.
    fn gone(&mut self, index: u64) -> u64 {
        self.bench.set("index", index);
        self.bench.settle();
        self.bench.get("count")
    }

    /// A pulse of one clock.
    fn pulse(&mut self, port: &str) {
        self.bench.set(port, 1);
        self.step();
        self.bench.set(port, 0);
        self.step();
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

/// However late the engine takes what has left, nothing is lost, and there is room for 64 that wait.
#[test]
fn none_that_has_left_is_lost_while_the_engine_is_slow() {
    let mut rng = Rng::with_seed(0xE5);
    let mut way = Way::new(0);
    let (mut next_psn, mut waiting, mut expected) = ([0_u64; 16], 0, VecDeque::new());
    let mut most = 0;
    for phase in 0..400 {
        let [hands, departs, takes] = [(); 3].map(|()| [0, 20, 100][rng.usize(..3)]);
        for _ in 0..rng.u32(20..100) {
            let (index, departs) = (rng.usize(..16), waiting > 0 && rng.u8(..100) < departs);
            // Every fourth is sent again: it holds a place, but only until it leaves.
            let again = rng.u8(..4) == 0 && next_psn[index] > 0;
            way.bench.settle();
            let handed = way.bench.is_set("room") && rng.u8(..100) < hands;
            way.bench.set("leaves_valid", handed.into());
            way.bench.set("leaves_index", index as u64);
            way.bench
                .set("leaves_next_psn", next_psn[index] + u64::from(!again));
            way.bench.set("departs_valid", departs.into());
            way.bench.set("departs_kind", u64::from(KIND_REQUEST));
            way.bench.set("sent_ready", (rng.u8(..100) < takes).into());
            if handed {
                next_psn[index] += u64::from(!again);
                waiting += 1;
                if !again {
                    expected.push_back(index as u64);
                }
            }
            waiting -= usize::from(departs);
            way.step();
            for index in way.sent.drain(..) {
                assert_eq!(expected.pop_front(), Some(index), "phase {phase}");
            }
            most = most.max(expected.len());
        }
    }
    assert_eq!(most, 64, "waited at most");
}

/// `uc.md` section 2, completion: a packet of an unreliable service is offered once its last beat left for the link,
/// and is gone once that is dealt with; one whose payload was read is not.
#[test]
fn a_packet_of_an_unreliable_service_is_gone_once_its_handing_over_is_dealt_with() {
    let mut way = Way::new(0);
    let before = [3, 5, 6].map(|index| way.gone(index));
    way.bench.set("leaves_unreliable", 1);
    for (index, next_psn) in [(3, 1), (5, 1), (3, 2)] {
        way.leaves(index, next_psn);
    }
    way.bench.set("leaves_unreliable", 0);
    way.leaves(6, 1);
    assert_eq!(
        way.departs(4),
        [6],
        "only an ack that is awaited starts the timer"
    );
    for _ in 0..4 {
        way.pulse("request_read");
    }
    let since = |way: &mut Way| {
        let now = [3, 5, 6].map(|index| way.gone(index));
        [0, 1, 2].map(|at| now[at] - before[at])
    };
    assert_eq!(since(&mut way), [0, 0, 1]);
    for (n, (index, next_psn, spoiled)) in [(3, 1, false), (5, 1, true), (3, 2, false)]
        .into_iter()
        .enumerate()
    {
        way.bench.settle();
        assert!(!way.bench.is_set("done_valid"), "packet {n} is at the link");
        way.bench.set("handed_spoiled", spoiled.into());
        way.pulse("handed_valid");
        way.bench.settle();
        assert!(way.bench.is_set("done_valid"), "packet {n}");
        let offered = ["done_index", "done_next_psn", "done_spoiled"].map(|port| way.bench.get(port));
        assert_eq!(offered, [index, next_psn, spoiled.into()], "packet {n}");
        way.pulse("done_ready");
        let former = way.gone(index);
        way.bench.set("settle_index", index);
        way.pulse("finished_valid");
        assert_eq!(way.gone(index), former + 1, "packet {n}");
    }
    assert_eq!(since(&mut way), [2, 1, 1]);
}
