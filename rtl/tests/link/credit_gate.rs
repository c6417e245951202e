//! When a packet that waits may start.
use crate::bench::{library, Bench};
use hca_rtl::link::CreditGate;

struct Gate(Bench);

/// What becomes of a packet: it starts after so many clocks, or it has waited for credits for so many of 20.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Starts { after: u32 },
    GivenUp { after: u32 },
    Waits { clocks: u32 },
}

impl Gate {
    fn new() -> Gate {
        let mut bench = Bench::new(&library::<CreditGate<2>>("credit_gate"), 1);
        for input in [
            "init", "limit_valid", "waits", "exempt", "has_grh", "starts", "flow_control",
        ] {
            bench.set(input, 0);
        }
        bench.set("sends_data", 1);
        Gate(bench)
    }

    fn step(&mut self, name: &str, value: u64) {
        self.0.set(name, value);
        self.0.settle();
        self.0.tick();
    }

    fn limit(&mut self, vl: u64, limit: u64) {
        self.0.set("limit_vl", vl);
        self.0.set("limit", limit);
        self.step("limit_valid", 1);
        self.0.set("limit_valid", 0);
    }

    /// A Send Middle with so much payload: 64 bytes make 2 blocks, 4096 bytes 65.
    fn offer(&mut self, vl: u64, payload: u64) {
        self.0.set("waits", 1);
        self.0.set("vl", vl);
        self.0.set("opcode", 0x01);
        self.0.set("payload", payload);
    }

    /// What becomes of the packet that is offered, in 20 clocks.
    fn fate(&mut self) -> Fate {
        let mut clocks = 0;
        for after in 0..20 {
            self.0.settle();
            clocks += u32::from(self.0.is_set("credit_wait"));
            if self.0.is_set("open") {
                let given_up = self.0.is_set("gives_up");
                self.step("starts", 1);
                self.0.set("starts", 0);
                self.0.set("waits", 0);
                self.0.settle();
                self.0.tick();
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

    fn packet(&mut self, vl: u64, payload: u64) -> Fate {
        self.offer(vl, payload);
        self.fate()
    }
}

const AT_ONCE: Fate = Fate::Starts { after: 2 };
const NOT: Fate = Fate::Waits { clocks: 18 };

#[test]
fn without_flow_control_every_packet_starts_at_once() {
    let mut gate = Gate::new();
    for vl in [0, 1, 15] {
        assert_eq!(gate.packet(vl, 4096), Fate::Starts { after: 0 });
    }
}

/// CF444, CF448: no limit, a limit that is too small, one that suffices, each VL by itself.
#[test]
fn a_packet_starts_once_its_vl_has_room_for_it() {
    let mut gate = Gate::new();
    gate.0.set("flow_control", 1);
    assert_eq!(gate.packet(0, 64), NOT);
    gate.limit(1, 66);
    assert_eq!(gate.fate(), Fate::Waits { clocks: 20 });
    gate.limit(0, 1);
    assert_eq!(gate.fate(), Fate::Waits { clocks: 20 });
    gate.limit(0, 2);
    assert!(matches!(gate.fate(), Fate::Starts { .. }));
    assert_eq!(gate.packet(0, 64), NOT);
    gate.0.set("waits", 0);
    gate.step("starts", 0);
    // VL 1 has 66: one of 65 blocks, and none of 2 after it.
    assert_eq!(gate.packet(1, 4096), AT_ONCE);
    assert_eq!(gate.packet(1, 64), NOT);
    gate.limit(1, 67);
    assert!(matches!(gate.fate(), Fate::Starts { .. }));
}

#[test]
fn what_is_exempt_needs_no_credits_and_uses_none() {
    let mut gate = Gate::new();
    gate.0.set("flow_control", 1);
    for _ in 0..3 {
        gate.0.set("exempt", 1);
        assert_eq!(gate.packet(0, 4096), Fate::Starts { after: 0 });
        gate.0.set("exempt", 0);
    }
    gate.limit(0, 2);
    gate.0.set("exempt", 1);
    assert_eq!(gate.packet(0, 64), Fate::Starts { after: 0 });
    gate.0.set("exempt", 0);
    assert_eq!(gate.packet(0, 64), AT_ONCE);
    assert_eq!(gate.packet(0, 64), NOT);
}

#[test]
fn init_forgets_limits_and_what_was_sent() {
    let mut gate = Gate::new();
    gate.0.set("flow_control", 1);
    gate.limit(0, 2048);
    assert_eq!(gate.packet(0, 4096), AT_ONCE);
    // In every clock of a packet that would start otherwise.
    for clock in 0..4 {
        gate.limit(0, 2048);
        gate.offer(0, 64);
        for _ in 0..clock {
            gate.step("init", 0);
        }
        gate.0.set("init", 1);
        gate.0.settle();
        assert!(!gate.0.is_set("open"));
        gate.step("init", 1);
        gate.0.set("init", 0);
        assert!(matches!(gate.fate(), Fate::Waits { .. }), "clock {clock}");
        gate.0.set("waits", 0);
        gate.step("init", 0);
    }
    gate.limit(0, 2);
    assert_eq!(gate.packet(0, 64), AT_ONCE);
    assert_eq!(gate.packet(0, 64), NOT);
}

#[test]
fn a_packet_without_credits_is_given_up_when_the_port_ceases_to_send() {
    let mut gate = Gate::new();
    gate.0.set("flow_control", 1);
    gate.limit(0, 2);
    assert_eq!(gate.packet(1, 64), NOT);
    gate.0.set("sends_data", 0);
    assert_eq!(gate.fate(), Fate::GivenUp { after: 0 });
    // One that has them leaves.
    assert_eq!(gate.packet(0, 64), AT_ONCE);
    assert_eq!(gate.packet(0, 64), Fate::GivenUp { after: 2 });
    // What was given up has used none.
    gate.limit(0, 4);
    assert_eq!(gate.packet(0, 64), AT_ONCE);
}

/// Blocks wrap around 4096, and no packet starts without room.
#[test]
fn credits_hold_for_ever() {
    let mut gate = Gate::new();
    gate.0.set("flow_control", 1);
    let mut rng = fastrand::Rng::with_seed(454);
    let (mut granted, mut used) = ([0, 0], [0, 0]);
    let mut waited = 0;
    while used[0] < 20_000 || used[1] < 20_000 {
        let vl = rng.usize(..2);
        let (payload, blocks) = [(64, 2), (2048, 33), (4096, 65)][rng.usize(..3)];
        gate.offer(vl as u64, payload);
        loop {
            let fate = gate.fate();
            if !matches!(fate, Fate::Waits { .. }) {
                used[vl] += blocks;
                break;
            }
            assert!(used[vl] + blocks > granted[vl], "it waits without a reason");
            waited += 1;
            let other = rng.usize(..2);
            granted[other] = (granted[other] + rng.u64(1..200)).min(used[other] + 2048);
            gate.limit(other as u64, granted[other] % 4096);
        }
        assert!(used[vl] <= granted[vl], "VL {vl}: {used:?} of {granted:?}");
    }
    assert!(waited > 100, "{waited}");
}
