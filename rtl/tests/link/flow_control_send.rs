//! When flow-control packets leave, and what they say (`protocol/link.md` section 4.2).
use crate::bench::{library, Bench};
use hca_rtl::link::FlowControlSend;

/// A flow-control packet: clock, Op, FCTBS, VL, FCCL.
type Sent = (u64, u64, u64, u64, u64);

struct Side(Bench);

impl Side {
    /// Two data VLs and 64 bytes a beat: 65,536 symbol times are 4,096 clocks.
    fn new() -> Side {
        let mut bench = Bench::new(&library::<FlowControlSend<2, 64>>("flow_control_send"), 1);
        for (input, value) in [
            ("flow_control", 1),
            ("initialises", 0),
            ("runs", 0),
            ("data_vls", 2),
            ("fccl_0", 66),
            ("fccl_1", 67),
            ("fccl_step_0", 16),
            ("fccl_step_1", 16),
            ("fctbs_0", 0),
            ("fctbs_1", 0),
            ("packet_offered", 0),
            ("packet_taken", 0),
        ] {
            bench.set(input, value);
        }
        Side(bench)
    }

    fn state(&mut self, initialises: u64, runs: u64) {
        self.0.set("initialises", initialises);
        self.0.set("runs", runs);
    }

    /// What leaves in so many clocks; the link takes all.
    fn run(&mut self, clocks: u64) -> Vec<Sent> {
        let mut sent = Vec::new();
        for _ in 0..clocks {
            self.0.settle();
            let valid = self.0.is_set("packet_valid");
            assert!(!valid || self.0.is_set("hold"));
            self.0.set("packet_offered", valid.into());
            self.0.set("packet_taken", valid.into());
            self.0.settle();
            if valid {
                let packet = self.0.get("packet");
                let field = |low: u32, bits: u32| packet >> low & ((1 << bits) - 1);
                sent.push((
                    self.0.cycle,
                    field(44, 4),
                    field(32, 12),
                    field(28, 4),
                    field(16, 12),
                ));
            }
            self.0.tick();
            self.0.set("packet_offered", 0);
            self.0.set("packet_taken", 0);
        }
        sent
    }

    /// Op, VL and FCCL of what leaves.
    fn advertised(&mut self, clocks: u64) -> Vec<(u64, u64, u64)> {
        self.run(clocks)
            .iter()
            .map(|(_, op, _, vl, fccl)| (*op, *vl, *fccl))
            .collect()
    }
}

/// CF443, CF450.
#[test]
fn the_state_says_which_leave_and_how_often() {
    let mut side = Side::new();
    assert_eq!(side.run(10_000), []);
    // Init: each VL that there is.
    side.0.set("data_vls", 1);
    side.state(1, 0);
    assert_eq!(side.advertised(30), [(1, 0, 66), (1, 1, 67)]);
    let times = side.run(20_000);
    for vl in [0, 1] {
        let of: Vec<u64> = times
            .iter()
            .filter(|sent| sent.3 == vl)
            .map(|sent| sent.0)
            .collect();
        assert!(
            of.len() == 5 && of.windows(2).all(|w| (3_900..=4_096).contains(&(w[1] - w[0]))),
            "{of:?}"
        );
    }
    assert!(times.iter().all(|sent| sent.1 == 1));
    // Armed and Active: each operational VL.
    side.state(0, 1);
    assert_eq!(side.advertised(30), [(0, 0, 66)]);
    assert!(side.advertised(20_000).iter().all(|sent| *sent == (0, 0, 66)));
    side.0.set("data_vls", 2);
    assert_eq!(side.advertised(30), [(0, 1, 67)]);
    // Down, and Active again after ActiveDefer.
    side.state(0, 0);
    assert_eq!(side.run(10_000), []);
    side.state(0, 1);
    assert_eq!(side.advertised(30).len(), 2);
    // Without flow control none; switched on, each at once.
    side.0.set("flow_control", 0);
    assert_eq!(side.run(10_000), []);
    side.0.set("flow_control", 1);
    assert_eq!(side.advertised(30).len(), 2);
}

#[test]
fn credits_that_come_back_are_advertised_in_steps() {
    let mut side = Side::new();
    side.state(0, 1);
    assert_eq!(side.advertised(30).len(), 2);
    side.0.set("fccl_1", 67 + 15);
    assert_eq!(side.advertised(100), []);
    side.0.set("fccl_1", 67 + 16);
    assert_eq!(side.advertised(100), [(0, 1, 83)]);
    side.0.set("fccl_1", 83 + 40);
    side.0.set("fccl_0", 66 + 17);
    assert_eq!(side.advertised(100).len(), 2);
    // Modulo 4096; a smaller limit is no news.
    side.0.set("fccl_0", 83 + 2048);
    assert_eq!(side.advertised(100), [(0, 0, 2131)]);
    side.0.set("fccl_0", 4090);
    assert_eq!(side.advertised(100), [(0, 0, 4090)]);
    side.0.set("fccl_0", 9);
    assert_eq!(side.advertised(100), []);
    side.0.set("fccl_0", 10);
    assert_eq!(side.advertised(100), [(0, 0, 10)]);
    side.0.set("fccl_0", 9);
    assert_eq!(side.advertised(100), []);
    // Each VL has its own step.
    side.0.set("fccl_0", 10 + 8);
    side.0.set("fccl_1", 123 + 8);
    assert_eq!(side.advertised(100), []);
    side.0.set("fccl_step_1", 8);
    assert_eq!(side.advertised(100), [(0, 1, 131)]);
}

/// Behind a packet that is under way.
#[test]
fn a_packet_that_waits_brings_the_limit_of_the_clock_before_it_is_offered() {
    let mut side = Side::new();
    side.state(0, 1);
    assert_eq!(side.run(30).len(), 2);
    side.0.set("fccl_1", 67 + 16);
    for fccl in [84, 85, 90] {
        for _ in 0..10 {
            side.0.settle();
            side.0.tick();
        }
        assert!(side.0.is_set("packet_valid"));
        side.0.set("fccl_1", fccl);
    }
    side.0.settle();
    side.0.tick();
    assert_eq!(side.advertised(100), [(0, 1, 90)]);
    // The next is due by that one.
    side.0.set("fccl_1", 90 + 15);
    assert_eq!(side.advertised(100), []);
    side.0.set("fccl_1", 90 + 16);
    assert_eq!(side.advertised(100), [(0, 1, 106)]);
}

/// FCTBS is that of the second clock of `hold`, in which every packet is counted that started before it.
#[test]
fn fctbs_counts_what_has_started() {
    let mut side = Side::new();
    side.state(0, 1);
    assert_eq!(side.run(30).len(), 2);
    side.0.set("fccl_0", 200);
    let mut held = 0;
    while !side.0.is_set("hold") {
        side.0.settle();
        side.0.tick();
        side.0.settle();
        held += 1;
        assert!(held < 20);
    }
    assert!(!side.0.is_set("packet_valid"));
    side.0.set("fctbs_0", 0xABC);
    side.0.set("fctbs_1", 0x123);
    let sent = side.run(20);
    let fields: Vec<_> = sent.iter().map(|sent| (sent.2, sent.3, sent.4)).collect();
    assert_eq!(fields, [(0xABC, 0, 200)]);
    assert!(!side.0.is_set("hold"));
}

/// The Op is that of the state in which the packet is offered first.
#[test]
fn a_packet_is_withdrawn_until_it_is_offered() {
    let mut side = Side::new();
    side.state(1, 0);
    for _ in 0..10 {
        side.0.settle();
        side.0.tick();
    }
    assert!(side.0.is_set("packet_valid"));
    side.state(0, 0);
    assert_eq!(side.run(20), []);
    side.state(1, 0);
    for _ in 0..10 {
        side.0.settle();
        side.0.tick();
    }
    side.state(0, 1);
    let mut advertised = side.advertised(30);
    advertised.sort_unstable();
    assert_eq!(advertised, [(0, 0, 66), (0, 1, 67)]);
    // One that stands in Init leaves in Armed, and both of Armed follow.
    side.state(0, 0);
    assert_eq!(side.run(20), []);
    side.state(1, 0);
    for clock in 0..14 {
        if clock == 10 {
            side.state(0, 1);
        }
        side.0.settle();
        side.0
            .set("packet_offered", u64::from(side.0.is_set("packet_valid")));
        side.0.settle();
        side.0.tick();
    }
    let advertised = side.advertised(30);
    assert_eq!(advertised[0].0, 1);
    let mut rest: Vec<_> = advertised[1..].iter().map(|sent| (sent.0, sent.1)).collect();
    rest.sort_unstable();
    assert_eq!(rest, [(0, 0), (0, 1)]);
}
