//! When the oldest packet of a data VL may start.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::VlQueue;
use std::collections::VecDeque;

struct Queue(Bench);

/// What becomes of the oldest packet: it starts after so many clocks, or it has waited for credits for so many of 20.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Starts { after: u32 },
    GivenUp { after: u32 },
    Waits { clocks: u32 },
}

impl Queue {
    fn new() -> Queue {
        let mut bench = Bench::new(&library::<VlQueue>("vl_queue"), 1);
        for input in ["init", "limit_valid", "joins", "exempt", "starts", "flow_control"] {
            bench.set(input, 0);
        }
        bench.set("sends", 1);
        Queue(bench)
    }

    fn step(&mut self, name: &str, value: u64) {
        self.0.set(name, value);
        self.0.settle();
        self.0.tick();
    }

    fn pulse(&mut self, name: &str) {
        self.step(name, 1);
        self.0.set(name, 0);
        self.0.settle();
    }

    fn limit(&mut self, limit: u64) {
        self.0.set("limit", limit);
        self.pulse("limit_valid");
    }

    fn join(&mut self, blocks: u64) {
        self.0.set("blocks", blocks);
        assert!(self.0.is_set("room"));
        self.pulse("joins");
    }

    /// What becomes of the oldest packet in 20 clocks.
    fn fate(&mut self) -> Fate {
        let mut clocks = 0;
        for after in 0..20 {
            self.0.settle();
            clocks += u32::from(self.0.is_set("waits"));
            let (ready, given_up) = (self.0.is_set("ready"), self.0.is_set("gives_up"));
            assert!(!(ready && given_up));
            if ready || given_up {
                self.pulse("starts");
                return if given_up {
                    Fate::GivenUp { after }
                } else {
                    Fate::Starts { after }
                };
            }
            self.0.tick();
        }
        Fate::Waits { clocks }
    }

    fn sent(&mut self) -> u64 {
        self.0.settle();
        self.0.get("sent")
    }
}

const NOT: Fate = Fate::Waits { clocks: 18 };

#[test]
fn without_flow_control_nothing_waits_and_nothing_is_counted() {
    let mut queue = Queue::new();
    for _ in 0..3 {
        queue.join(65);
        assert_eq!(queue.fate(), Fate::Starts { after: 1 });
    }
    assert_eq!(queue.sent(), 0);
}

/// CF444, CF448: no limit, a limit that is too small, one that suffices.
#[test]
fn a_packet_starts_once_there_is_room_for_it() {
    let mut queue = Queue::new();
    queue.0.set("flow_control", 1);
    queue.join(2);
    assert_eq!(queue.fate(), NOT);
    queue.limit(1);
    assert_eq!(queue.fate(), Fate::Waits { clocks: 20 });
    queue.limit(2);
    assert!(matches!(queue.fate(), Fate::Starts { .. }));
    assert_eq!(queue.sent(), 2);
    queue.join(2);
    queue.join(1);
    queue.limit(3);
    // The short packet does not overtake.
    assert!(matches!(queue.fate(), Fate::Waits { .. }));
    queue.limit(5);
    assert!(matches!(queue.fate(), Fate::Starts { .. }));
    assert_eq!(queue.fate(), Fate::Starts { after: 1 });
    assert_eq!(queue.sent(), 5);
}

/// Packets that departed while no credits were needed, and those that waited meanwhile.
#[test]
fn what_is_exempt_needs_no_credits_and_uses_none() {
    let mut queue = Queue::new();
    queue.0.set("flow_control", 1);
    queue.0.set("exempt", 1);
    queue.join(65);
    queue.0.set("exempt", 0);
    queue.join(65);
    assert_eq!(queue.fate(), Fate::Starts { after: 0 });
    assert!(matches!(queue.fate(), Fate::Waits { .. }));
    queue.step("flow_control", 0);
    queue.step("flow_control", 1);
    queue.join(1);
    assert_eq!(queue.fate(), Fate::Starts { after: 0 });
    assert!(matches!(queue.fate(), Fate::Waits { .. }));
    queue.limit(1);
    assert!(matches!(queue.fate(), Fate::Starts { .. }));
    assert_eq!(queue.sent(), 1);
}

#[test]
fn init_forgets_limits_and_what_was_sent() {
    let mut queue = Queue::new();
    queue.0.set("flow_control", 1);
    // In every clock of a packet that would start otherwise.
    for clock in 0..5 {
        queue.limit(2048);
        queue.join(2);
        for _ in 0..clock {
            queue.step("init", 0);
        }
        queue.0.set("init", 1);
        queue.0.settle();
        assert!(!queue.0.is_set("ready"));
        queue.pulse("init");
        assert!(matches!(queue.fate(), Fate::Waits { .. }), "clock {clock}");
        queue.limit(2);
        assert!(matches!(queue.fate(), Fate::Starts { .. }));
        assert_eq!(queue.sent(), 2);
    }
}

/// Each packet that waits at that time, with credits or without, and none that comes later.
#[test]
fn what_waits_is_given_up_when_the_port_ceases_to_send() {
    let mut queue = Queue::new();
    queue.0.set("flow_control", 1);
    queue.limit(2);
    for _ in 0..3 {
        queue.join(2);
    }
    queue.step("sends", 0);
    queue.step("sends", 1);
    queue.join(2);
    for _ in 0..3 {
        assert!(matches!(queue.fate(), Fate::GivenUp { .. }));
    }
    // What was given up has used no credits.
    assert!(matches!(queue.fate(), Fate::Starts { .. }));
    assert_eq!(queue.sent(), 2);
}

/// Joins and starts in any order, the port ceasing to send now and then; counts wrap around 4096.
#[test]
fn credits_and_stale_packets_hold_for_ever() {
    let mut queue = Queue::new();
    queue.0.set("flow_control", 1);
    let mut rng = Rng::with_seed(454);
    // Blocks, and whether it is stale.
    let mut waiting: VecDeque<(u64, bool)> = VecDeque::new();
    let (mut granted, mut used, mut given_up) = (0, 0, 0);
    let mut sends = true;
    let mut fresh = VecDeque::new();
    for _ in 0..100_000 {
        let joins = waiting.len() < 30 && rng.u8(..4) == 0;
        let blocks = rng.u64(1..=66);
        queue.0.set("joins", joins.into());
        queue.0.set("blocks", blocks);
        sends = if sends {
            rng.u16(..500) > 0
        } else {
            rng.u8(..10) == 0
        };
        queue.0.set("sends", sends.into());
        let grants = rng.u8(..32) == 0;
        queue.0.set("limit_valid", grants.into());
        if grants {
            granted = (granted + rng.u64(..200)).min(used + 2048);
            queue.0.set("limit", granted % 4096);
            fresh.push_back(granted);
        }
        queue.0.set("starts", 0);
        queue.0.settle();
        let (ready, gives_up) = (queue.0.is_set("ready"), queue.0.is_set("gives_up"));
        let starts = (ready || gives_up) && rng.u8(..3) > 0;
        queue.0.set("starts", starts.into());
        queue.0.settle();
        if starts {
            let (size, stale) = waiting.pop_front().expect("a packet waits");
            assert_eq!(queue.0.get("size"), size);
            assert_eq!(gives_up, stale);
            if gives_up {
                given_up += 1;
            } else {
                used += size;
                assert!(used <= granted, "{used} of {granted}");
            }
        }
        if joins {
            waiting.push_back((blocks, false));
        }
        if !sends {
            waiting.iter_mut().for_each(|(_, stale)| *stale = true);
        }
        queue.0.tick();
        queue.0.settle();
        assert_eq!(queue.0.get("sent"), used % 4096);
    }
    assert!(used > 20_000 && given_up > 100, "{used}, {given_up}");
}

#[test]
fn there_is_room_for_128_packets() {
    let mut queue = Queue::new();
    queue.0.set("flow_control", 1);
    for _ in 0..128 {
        queue.join(1);
        queue.step("joins", 0);
    }
    queue.join(1);
    assert!(!queue.0.is_set("room"));
    queue.limit(129);
    for _ in 0..129 {
        assert!(matches!(queue.fate(), Fate::Starts { .. }));
    }
    assert_eq!(queue.fate(), Fate::Waits { clocks: 0 });
    assert_eq!(queue.sent(), 129);
}
