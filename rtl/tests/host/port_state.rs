//! The state of a native port, step by step: `protocol/link.md` section 1.
use crate::bench::{library, Bench};
use hca_host::register::PORT_STATE;
use hca_host::retire::Record;
use hca_rtl::control::PortState;

pub const DOWN: u64 = 1;
pub const INIT: u64 = 2;
pub const ARMED: u64 = 3;
pub const ACTIVE: u64 = 4;
/// Bits of the register.
pub const CHANGING: u64 = 8;
pub const LINK_UP: u64 = 32;
/// A register with the link up.
pub const IN_INIT: u64 = INIT | LINK_UP;
pub const IN_ARMED: u64 = ARMED | LINK_UP;
pub const IN_ACTIVE: u64 = ACTIVE | LINK_UP;

/// Kind and code of a record.
const OF_RECEIVE: (u8, u8) = (31, 0);
const OF_SEND: (u8, u8) = (31, 1);

pub struct Port {
    pub bench: Bench,
    /// The link is up if this is, and if it may be unless the PHY is `stubborn`.
    pub cable: bool,
    pub stubborn: bool,
    /// Clock, kind and code, and state of each record.
    pub records: Vec<(u64, (u8, u8), u64)>,
    /// Clocks in which the port became Active, or ceased to be.
    pub turns: Vec<u64>,
    /// Clocks in which the link was back in time, and in which it was lost.
    pub recoveries: Vec<u64>,
    pub losses: Vec<u64>,
}

impl Port {
    /// Out of reset, without a cable.
    pub fn new() -> Port {
        let mut bench = Bench::new(&library::<PortState>("port_state"), 1);
        for input in ["bus_write", "link_up", "receive_heard", "restarted", "wait_"] {
            bench.set(input, 0);
        }
        bench.set("receive_free", 1);
        bench.set("bus_read_address", PORT_STATE.into());
        Port {
            bench,
            cable: false,
            stubborn: false,
            records: Vec::new(),
            turns: Vec::new(),
            recoveries: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// In Active.
    pub fn active() -> Port {
        let mut port = Port::new();
        port.cable = true;
        port.run(8);
        port.ask(ARMED);
        port.run(8);
        port.ask(ACTIVE);
        port.run(8);
        assert_eq!(port.register(), IN_ACTIVE);
        (port.records, port.turns) = (Vec::new(), Vec::new());
        port
    }

    /// The link follows in the same clock.
    pub fn settle(&mut self) {
        self.bench.settle();
        let up = self.cable && (self.stubborn || self.bench.is_set("link_enable"));
        self.bench.set("link_up", up.into());
        self.bench.settle();
    }

    pub fn run(&mut self, clocks: u32) {
        for _ in 0..clocks {
            self.settle();
            for side in ["receive", "send"] {
                if self.bench.is_set(&format!("retire_{side}_valid")) {
                    let bytes = self.bench.bytes(&format!("retire_{side}_record"));
                    let bits = bytes
                        .iter()
                        .rev()
                        .fold(0, |bits, byte| bits << 8 | u128::from(*byte));
                    let record = Record::from_bits(0, bits);
                    assert_eq!(record.unnamed_bits(), 0);
                    let of = (record.kind, record.code);
                    self.records.push((self.bench.cycle, of, record.index.into()));
                }
            }
            for (port, clocks) in [
                ("turned", &mut self.turns),
                ("link_recovered", &mut self.recoveries),
                ("link_lost", &mut self.losses),
            ] {
                if self.bench.is_set(port) {
                    clocks.push(self.bench.cycle);
                }
            }
            self.bench.tick();
        }
    }

    /// Software writes this in one clock.
    pub fn ask(&mut self, state: u64) {
        self.bench.set("bus_write", 1);
        self.bench.set("bus_write_address", PORT_STATE.into());
        self.bench.set("bus_write_data", state);
        self.run(1);
        self.bench.set("bus_write", 0);
    }

    pub fn register(&mut self) -> u64 {
        self.bench.settle();
        self.bench.get("read_data")
    }

    /// What the sides let pass: SMPs and data in, SMPs and data out.
    pub fn passes(&mut self) -> [bool; 4] {
        self.bench.settle();
        [
            "receive_accepts_management",
            "receive_accepts_data",
            "sends_management",
            "sends_data",
        ]
        .map(|port| self.bench.is_set(port))
    }

    /// States of the records, of the receive and of the send side.
    pub fn reported(&self) -> [Vec<u64>; 2] {
        [OF_RECEIVE, OF_SEND].map(|side| {
            let own = self.records.iter().filter(|(_, of, _)| *of == side);
            own.map(|(_, _, state)| *state).collect()
        })
    }
}

#[test]
fn each_state_lets_pass_what_it_may() {
    let mut port = Port::new();
    port.run(4);
    assert_eq!(port.register(), DOWN, "the link is down");
    assert_eq!(port.passes(), [false; 4]);
    port.cable = true;
    port.run(1);
    assert_eq!(port.register(), DOWN | CHANGING | LINK_UP, "the link is up");
    port.run(8);
    assert_eq!(port.register(), IN_INIT);
    assert_eq!(port.passes(), [true, false, true, false]);
    port.ask(ARMED);
    assert_eq!(port.register(), IN_ARMED | CHANGING);
    port.run(8);
    assert_eq!(port.register(), IN_ARMED);
    assert_eq!(port.passes(), [true, true, true, false]);
    port.ask(ACTIVE);
    port.run(8);
    assert_eq!(port.register(), IN_ACTIVE);
    assert_eq!(port.passes(), [true; 4]);
    let steps = vec![INIT, ARMED, ACTIVE];
    assert_eq!(port.reported(), [steps.clone(), steps]);
    assert_eq!(port.turns.len(), 1);
}

/// Limits and counts of credits are cleared once, before the first flow-control packet of Init.
#[test]
fn the_send_side_says_when_credits_begin_anew() {
    let mut port = Port::new();
    let outputs = ["sends_enters_init", "sends_initialises", "sends_runs"];
    let mut told = Vec::new();
    let follow = |port: &mut Port, told: &mut Vec<[bool; 3]>| {
        for _ in 0..12 {
            port.settle();
            let now = outputs.map(|output| port.bench.is_set(output));
            if told.last() != Some(&now) {
                told.push(now);
            } else {
                assert!(!now[0], "for one clock");
            }
            port.run(1);
        }
    };
    follow(&mut port, &mut told);
    port.cable = true;
    follow(&mut port, &mut told);
    for state in [ARMED, ACTIVE, DOWN] {
        port.ask(state);
        follow(&mut port, &mut told);
    }
    let [down, enters, init, runs] = [
        [false; 3],
        [true, false, false],
        [false, true, false],
        [false, false, true],
    ];
    assert_eq!(told, [down, enters, init, runs, down, enters, init]);
    // ActiveDefer is not Init.
    for state in [ARMED, ACTIVE] {
        port.ask(state);
        follow(&mut port, &mut told);
    }
    port.cable = false;
    follow(&mut port, &mut told);
    port.cable = true;
    follow(&mut port, &mut told);
    assert_eq!(told[7..], [runs, down, runs]);
}

/// CF433: from each state, what software asks for in vain.
#[test]
fn an_illegal_step_changes_nothing() {
    let in_vain = |port: &mut Port, asked: &[u64]| {
        let before = port.register();
        for state in asked {
            port.ask(*state);
            port.run(8);
            assert_eq!(port.register(), before, "{state} in {before}");
        }
    };
    let mut port = Port::new();
    in_vain(&mut port, &[0, 1, 2, 3, 4, 5, 6, 7]);
    port.cable = true;
    port.run(8);
    in_vain(&mut port, &[0, 2, 4, 5, 6, 7]);
    port.ask(ARMED);
    port.run(8);
    in_vain(&mut port, &[0, 2, 3, 5, 6, 7]);
    port.ask(ACTIVE);
    port.run(8);
    in_vain(&mut port, &[0, 2, 3, 4, 5, 6, 7]);
    assert_eq!(port.reported()[0], [INIT, ARMED, ACTIVE]);
    // Another register.
    port.bench.set("bus_write_address", u64::from(PORT_STATE) + 4);
    port.bench.set("bus_write_data", DOWN);
    port.bench.set("bus_write", 1);
    port.run(1);
    port.bench.set("bus_write", 0);
    assert_eq!(port.register(), IN_ACTIVE);
}

/// CF434.
#[test]
fn from_down_it_comes_back_while_the_link_is_up() {
    let mut port = Port::active();
    port.ask(DOWN);
    port.run(20);
    assert_eq!(port.register(), IN_INIT);
    assert_eq!(port.reported(), [vec![DOWN, INIT], vec![DOWN, INIT]]);
    assert_eq!(port.turns.len(), 1);
    port.ask(DOWN);
    port.cable = false;
    port.run(20);
    assert_eq!(port.register(), DOWN);
    port.cable = true;
    port.run(20);
    assert_eq!(port.register(), IN_INIT);
    assert_eq!(port.turns.len(), 1, "neither begins nor ends Active");
}

/// CF432: in no other state, and only by what was judged in that state.
#[test]
fn an_armed_port_wakes() {
    let mut port = Port::new();
    port.cable = true;
    port.run(8);
    port.bench.set("receive_heard", 1);
    port.run(1);
    port.bench.set("receive_heard", 0);
    port.ask(ARMED);
    port.run(20);
    assert_eq!(port.register(), IN_ARMED);
    port.bench.set("receive_heard", 1);
    port.run(1);
    port.bench.set("receive_heard", 0);
    assert_eq!(port.register(), IN_ARMED | CHANGING);
    port.run(8);
    assert_eq!(port.register(), IN_ACTIVE);
    assert_eq!(
        port.reported(),
        [vec![INIT, ARMED, ACTIVE], vec![INIT, ARMED, ACTIVE]]
    );
    // What it heard when it was armed is forgotten.
    port.ask(DOWN);
    port.run(20);
    port.ask(ARMED);
    port.run(20);
    assert_eq!(port.register(), IN_ARMED);
}

/// The send side takes a state in the clock after the step and reports it two clocks later; the receive side takes it
/// in the first clock without a packet and reports it three clocks later.
#[test]
fn a_side_takes_the_state_between_two_packets() {
    let mut port = Port::active();
    port.bench.set("receive_free", 0);
    let asked = port.bench.cycle;
    port.ask(DOWN);
    port.bench.settle();
    assert!(port.bench.is_set("send_hold") && port.bench.is_set("receive_hold"));
    assert_eq!(port.passes(), [true; 4]);
    port.run(1);
    assert!(!port.bench.is_set("send_hold"));
    assert_eq!(port.passes(), [true, true, false, false]);
    port.run(5);
    assert_eq!(port.records, [(asked + 3, OF_SEND, DOWN)]);
    assert!(port.bench.is_set("receive_hold"));
    assert_eq!(port.passes(), [true, true, false, false]);
    assert_eq!(
        port.register(),
        DOWN | CHANGING | LINK_UP,
        "the way back waits, too"
    );
    port.bench.set("receive_free", 1);
    let free = port.bench.cycle;
    port.run(1);
    port.bench.set("receive_free", 0);
    assert_eq!(port.passes(), [false; 4]);
    port.bench.settle();
    assert!(!port.bench.is_set("receive_hold"));
    port.run(4);
    assert_eq!(port.records[1..], [(free + 3, OF_RECEIVE, DOWN)]);
    assert_eq!(port.turns, [free + 3], "with the later of both records");
    port.bench.set("receive_free", 1);
    port.run(12);
    assert_eq!(port.reported(), [vec![DOWN, INIT], vec![DOWN, INIT]]);
}
