//! What the responder tells of its receive queue (`protocol/aeth.md` section 5).
use crate::bench::{library, Bench};
use hca_rtl::credit::PostedCredits;

struct Queue(Bench);

impl Queue {
    fn new() -> Queue {
        let mut bench = Bench::without_clock(&library::<PostedCredits<4>>("posted_credits"), 1);
        for input in [
            "announced_valid", "announced_index", "announced_producer", "index", "consumer", "advertised",
        ] {
            bench.set(input, 0);
        }
        Queue(bench)
    }

    fn clocks(&mut self, clocks: u32) {
        for _ in 0..clocks {
            self.0.settle();
            self.0.tick();
        }
        self.0.settle();
    }

    fn announce(&mut self, index: u64, producer: u64) {
        self.0.set("announced_valid", 1);
        self.0.set("announced_index", index);
        self.0.set("announced_producer", producer);
        self.clocks(1);
        self.0.set("announced_valid", 0);
    }

    /// Code, code with a WQE less, whether an ack is due.
    fn of(&mut self, index: u64, consumer: u64, advertised: u64) -> (u64, u64, bool) {
        self.0.set("index", index);
        self.0.set("consumer", consumer);
        self.0.set("advertised", advertised);
        self.clocks(5);
        (
            self.0.get("code"),
            self.0.get("code_less_one"),
            self.0.is_set("due"),
        )
    }
}

#[test]
fn posted_less_taken_is_advertised() {
    let mut queue = Queue::new();
    queue.announce(3, 6);
    queue.announce(9, 0xFFFF);
    assert_eq!(queue.of(3, 0, 0), (5, 4, true));
    assert_eq!(queue.of(3, 5, 0), (1, 0, true));
    assert_eq!(queue.of(3, 6, 0).0, 0, "none is left");
    assert_eq!(queue.of(9, 0, 0), (30, 30, true));
    assert_eq!(queue.of(9, 0x8000, 0), (29, 29, true));
    assert_eq!(queue.of(4, 0, 0).0, 0, "another queue");
    // Modulo 2^16.
    queue.announce(9, 2);
    assert_eq!(queue.of(9, 0xFFFF, 0), (3, 2, true));
}

/// At most half of what could be advertised is advertised, and it grew.
#[test]
fn an_ack_for_credits_alone_is_due_when_the_peer_may_starve() {
    let mut queue = Queue::new();
    for (posted, advertised, due) in [
        (0, 0, false),
        (1, 0, true),
        (1, 1, false),
        (2, 1, true),
        (3, 2, false),
        (4, 2, true),
        (7, 3, true),
        (7, 4, false),
        // 11 are advertised as 8, twice 4.
        (11, 4, true),
        (11, 5, false),
        // Nothing is gained.
        (5, 4, false),
        (0, 4, false),
        (65535, 29, false),
        (65535, 28, true),
    ] {
        queue.announce(0, posted);
        assert_eq!(
            queue.of(0, 0, advertised).2,
            due,
            "{posted} posted, code {advertised} advertised"
        );
    }
}

#[test]
fn a_doorbell_counts_four_clocks_later() {
    let mut queue = Queue::new();
    queue.of(0, 0, 0);
    queue.announce(0, 1);
    queue.clocks(2);
    assert_eq!(queue.0.get("code"), 0);
    assert!(queue.0.is_set("waits"));
    queue.clocks(1);
    assert_eq!(queue.0.get("code"), 1);
}
