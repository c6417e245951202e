//! The registers of management: counters of a native port's link, and what there is of them over Ethernet.
use crate::bench::{library, Bench};
use hca_host::register::{
    EXCESSIVE_BUFFER_OVERRUN, LINK_DOWNED, LINK_ERROR_RECOVERY, PORT_RCV_DATA, PORT_RCV_ERRORS,
    PORT_RCV_PKTS, PORT_RCV_REMOTE_PHYSICAL_ERRORS, PORT_STATE, PORT_VLS, SL_TO_VL, VL15_DROPPED,
};
use hca_host::register::{PORT_XMIT_DATA, PORT_XMIT_DISCARDS, PORT_XMIT_PKTS, PORT_XMIT_WAIT};
use hca_rtl::control::ManagementRegisters;

const DOWN: u32 = 1;
const INIT: u32 = 2;
const ARMED: u32 = 3;
const ACTIVE: u32 = 4;

/// What a packet or a link packet counts as.
const EVENTS: [&str; 6] = [
    "counts_faulty",
    "counts_ended_bad",
    "counts_overran",
    "counts_management_overran",
    "counts_received",
    "link_packet_faulty",
];
/// Registers that count it.
const COUNTERS: [u32; 6] = [
    PORT_RCV_ERRORS,
    PORT_RCV_REMOTE_PHYSICAL_ERRORS,
    EXCESSIVE_BUFFER_OVERRUN,
    VL15_DROPPED,
    PORT_RCV_PKTS,
    PORT_RCV_DATA,
];

struct Registers {
    bench: Bench,
    cable: bool,
}

impl Registers {
    fn of(library: &hca_sim::verilated::Library) -> Registers {
        let mut bench = Bench::new(library, 1);
        let inputs = [
            "bus_write", "link_up", "receive_heard", "restarted", "smp_dropped", "departures_discarded",
            "wait_",
        ];
        for input in inputs.into_iter().chain(EVENTS) {
            bench.set(input, 0);
        }
        for input in [
            "departures_left", "departures_words", "departures_waits", "departures_multicast",
            "counts_multicast",
        ] {
            bench.set(input, 0);
        }
        bench.set("receive_free", 1);
        Registers { bench, cable: true }
    }

    fn run(&mut self, clocks: u32) {
        for _ in 0..clocks {
            self.bench.settle();
            let up = self.cable && self.bench.is_set("link_enable");
            self.bench.set("link_up", up.into());
            self.bench.settle();
            self.bench.tick();
        }
    }

    fn write(&mut self, address: u32, value: u32) {
        self.bench.set("bus_write", 1);
        self.bench.set("bus_write_address", address.into());
        self.bench.set("bus_write_data", value.into());
        self.run(1);
        self.bench.set("bus_write", 0);
        self.run(12);
    }

    fn read(&mut self, address: u32) -> u32 {
        self.bench.set("bus_read_address", address.into());
        self.bench.settle();
        self.bench.get("read_data") as u32
    }

    /// Recoveries and losses.
    fn counts(&mut self) -> [u32; 2] {
        [LINK_ERROR_RECOVERY, LINK_DOWNED].map(|address| self.read(address))
    }

    /// A clock in which something is counted, and those until it is.
    fn count(&mut self, events: &[&str], words: u64) {
        self.bench.set("counts_words", words);
        for event in events {
            self.bench.set(event, 1);
        }
        self.run(1);
        for event in events {
            self.bench.set(event, 0);
        }
        self.run(2);
    }

    /// From Init.
    fn activate(&mut self) {
        for state in [ARMED, ACTIVE] {
            self.write(PORT_STATE, state);
        }
        assert_eq!(self.read(PORT_STATE) & 7, ACTIVE);
    }

    fn blink(&mut self) {
        for is_in in [false, true] {
            self.cable = is_in;
            self.run(12);
        }
    }
}

/// Each counter, and what a cycle adds to it in which every event happens, with 5 words received and 7 sent.
const AT_ONCE: [(u32, u32); 12] = [
    (VL15_DROPPED, 2),
    (PORT_XMIT_DISCARDS, 2),
    (LINK_ERROR_RECOVERY, 0),
    (LINK_DOWNED, 0),
    (PORT_RCV_ERRORS, 2),
    (PORT_RCV_REMOTE_PHYSICAL_ERRORS, 1),
    (EXCESSIVE_BUFFER_OVERRUN, 1),
    (PORT_XMIT_DATA, 7),
    (PORT_XMIT_PKTS, 1),
    (PORT_XMIT_WAIT, 1),
    (PORT_RCV_DATA, 5),
    (PORT_RCV_PKTS, 1),
];

#[test]
fn a_counter_is_set_by_its_own_register_alone_and_counts_on() {
    let mut port = Registers::of(&library::<ManagementRegisters<1, 1, 0>>("management_registers"));
    let sent = [
        "departures_left", "departures_discarded", "departures_unsent", "departures_waits", "smp_dropped",
    ];
    for input in sent {
        port.bench.set(input, 0);
    }
    port.bench.set("departures_words", 7);
    let mut expected = AT_ONCE.map(|_| 0);
    for (n, (register, _)) in AT_ONCE.into_iter().enumerate() {
        // The bus keeps the address of this write while the events below are counted.
        expected[n] = n as u32 + 1;
        port.write(register, expected[n]);
        let events: Vec<&str> = EVENTS.into_iter().chain(sent).collect();
        port.count(&events, 5);
        for (count, (register, amount)) in expected.iter_mut().zip(AT_ONCE) {
            *count += amount;
            if register == EXCESSIVE_BUFFER_OVERRUN {
                *count = (*count).min(15);
            }
            assert_eq!(
                port.read(register),
                *count,
                "register {register:X}h after {n} are set"
            );
        }
    }
    // A write to an address that differs from a counter's in one bit, and is no register's, changes no counter.
    let is_register = |address: u32| hca_host::register::all().any(|register| register.offset == address);
    for (register, _) in AT_ONCE {
        for near in (2..20)
            .map(|bit| register ^ 1 << bit)
            .filter(|near| !is_register(*near))
        {
            port.write(near, 3);
        }
    }
    for (count, (register, _)) in expected.into_iter().zip(AT_ONCE) {
        assert_eq!(port.read(register), count, "register {register:X}h");
    }
}

#[test]
fn losses_and_recoveries_are_counted_up_to_ffh() {
    let mut port = Registers::of(&library::<ManagementRegisters<1, 1, 0>>("management_registers"));
    port.run(12);
    assert_eq!(port.counts(), [0, 0]);
    // Losses in Init.
    for n in 1..=3 {
        port.blink();
        assert_eq!(port.read(PORT_STATE) & 7, INIT);
        assert_eq!(port.counts(), [0, n]);
    }
    port.activate();
    for n in 1..=3 {
        port.blink();
        assert_eq!(port.read(PORT_STATE) & 7, ACTIVE);
        assert_eq!(port.counts(), [n, 3]);
    }
    // Software sets them, each by itself, to as many bits as there are.
    port.write(LINK_ERROR_RECOVERY, 0xFFFF_FF07);
    assert_eq!(port.counts(), [7, 3]);
    port.write(LINK_DOWNED, 0x1FE);
    assert_eq!(port.counts(), [7, 0xFE]);
    port.write(LINK_ERROR_RECOVERY, 0xFD);
    for n in [0xFE, 0xFF, 0xFF, 0xFF] {
        port.blink();
        assert_eq!(port.counts(), [n, 0xFE]);
    }
    // A Down that software asks for is no loss.
    port.write(PORT_STATE, DOWN);
    port.run(12);
    assert_eq!(port.read(PORT_STATE) & 7, INIT);
    assert_eq!(port.counts(), [0xFF, 0xFE]);
    for _ in 0..3 {
        port.blink();
        assert_eq!(port.counts(), [0xFF, 0xFF]);
    }
    port.write(LINK_DOWNED, 0);
    assert_eq!(port.counts(), [0xFF, 0]);
}

/// CF465: words, packets and clocks of waiting are counted by themselves.
#[test]
fn what_leaves_is_counted() {
    let mut port = Registers::of(&library::<ManagementRegisters<1, 1, 0>>("management_registers"));
    let totals = [PORT_XMIT_DATA, PORT_XMIT_PKTS, PORT_XMIT_WAIT];
    assert_eq!(totals.map(|at| port.read(at)), [0, 0, 0]);
    for words in [72, 7, 1055] {
        port.bench.set("departures_left", 1);
        port.bench.set("departures_words", words);
        port.run(1);
        port.bench.set("departures_left", 0);
        port.run(2);
    }
    port.bench.set("departures_waits", 1);
    port.run(11);
    port.bench.set("departures_waits", 0);
    port.run(3);
    assert_eq!(totals.map(|at| port.read(at)), [1134, 3, 11]);
    port.write(PORT_XMIT_PKTS, 0xFFFF_FFFF);
    assert_eq!(totals.map(|at| port.read(at)), [1134, 0xFFFF_FFFF, 11]);
    port.write(PORT_XMIT_DATA, 0);
    port.write(PORT_XMIT_WAIT, 5);
    assert_eq!(totals.map(|at| port.read(at)), [0, 0xFFFF_FFFF, 5]);
}

#[test]
fn over_ethernet_there_is_no_link_to_enable() {
    let mut port = Registers::of(&library::<ManagementRegisters<1, 0, 1>>("management_registers"));
    for is_in in [false, true, false] {
        port.cable = is_in;
        for (address, value) in [
            (PORT_STATE, DOWN | 16),
            (LINK_ERROR_RECOVERY, u32::MAX),
            (LINK_DOWNED, u32::MAX),
            (PORT_VLS, 0x101),
            (SL_TO_VL, u32::MAX),
            (PORT_XMIT_DATA, u32::MAX),
            (PORT_XMIT_PKTS, u32::MAX),
            (PORT_XMIT_WAIT, u32::MAX),
        ] {
            port.write(address, value);
        }
        assert!(port.bench.is_set("link_enable") && !port.bench.is_set("changing"));
        assert_eq!(port.read(PORT_STATE), ACTIVE);
        assert_eq!(port.counts(), [0, 0]);
        for address in [PORT_VLS, SL_TO_VL, PORT_XMIT_DATA, PORT_XMIT_PKTS, PORT_XMIT_WAIT] {
            assert_eq!(port.read(address), 0);
        }
    }
}

#[test]
fn each_event_of_the_receive_side_has_its_counter() {
    let mut port = Registers::of(&library::<ManagementRegisters<1, 1, 0>>("management_registers"));
    let all = |port: &mut Registers| COUNTERS.map(|address| port.read(address));
    port.run(12);
    assert_eq!(all(&mut port), [0; 6]);
    // The number of words is that of a packet alone.
    port.count(&["counts_faulty"], 900);
    assert_eq!(all(&mut port), [1, 0, 0, 0, 0, 0]);
    port.count(&["counts_ended_bad"], 900);
    assert_eq!(all(&mut port), [1, 1, 0, 0, 0, 0]);
    port.count(&["counts_faulty", "counts_overran"], 900);
    assert_eq!(all(&mut port), [2, 1, 1, 0, 0, 0]);
    port.count(&["counts_management_overran"], 900);
    assert_eq!(all(&mut port), [2, 1, 1, 1, 0, 0]);
    port.count(&["counts_received"], 72);
    port.count(&["counts_received"], 1055);
    assert_eq!(all(&mut port), [2, 1, 1, 1, 2, 1127]);
    port.count(&["link_packet_faulty"], 0);
    port.count(&["link_packet_faulty", "counts_faulty"], 0);
    assert_eq!(all(&mut port), [5, 1, 1, 1, 2, 1127]);
    port.count(&["counts_management_overran", "smp_dropped"], 0);
    assert_eq!(all(&mut port), [5, 1, 1, 3, 2, 1127]);

    // CF466: each stays at all ones.
    let full = [0xFFFF, 0xFFFF, 0xF, 0xFFFF, u32::MAX, u32::MAX];
    for (address, full) in COUNTERS.into_iter().zip(full) {
        port.write(address, full - 1);
    }
    assert_eq!(
        all(&mut port),
        [0xFFFE, 0xFFFE, 0xE, 0xFFFE, 0xFFFF_FFFE, 0xFFFF_FFFE]
    );
    for _ in 0..3 {
        port.count(&EVENTS, 5);
        assert_eq!(all(&mut port), full);
    }
    // Each is cleared by itself.
    for (n, address) in COUNTERS.into_iter().enumerate() {
        port.write(address, 0);
        let expected: Vec<u32> = (0..6).map(|m| if m <= n { 0 } else { full[m] }).collect();
        assert_eq!(all(&mut port).to_vec(), expected);
    }
    port.count(&EVENTS, 5);
    assert_eq!(all(&mut port), [2, 1, 1, 1, 1, 5]);
}

#[test]
fn operational_vls_stay_below_the_cap() {
    let mut port = Registers::of(&library::<ManagementRegisters<2, 1, 0>>("management_registers"));
    port.run(12);
    let vls = |port: &mut Registers| {
        let value = port.read(PORT_VLS);
        let (vls, control) = (port.bench.get("data_vls"), port.bench.is_set("flow_control"));
        assert_eq!(control, value & 0x100 != 0);
        (value, vls)
    };
    assert_eq!(vls(&mut port), (0x033, 4));
    let writes = [
        (0x001, 0x031, 1),
        (0x102, 0x132, 2),
        (0x100, 0x132, 2),
        (0x004, 0x032, 2),
        (0x003, 0x033, 4),
        (0x10F, 0x133, 4),
        (0xFFFF_FFE1, 0x131, 1),
        (0x000, 0x031, 1),
    ];
    for (value, expected, count) in writes {
        port.write(PORT_VLS, value);
        assert_eq!(vls(&mut port), (expected, count), "{value:#x}");
    }
}

#[test]
fn an_active_port_restarts_with_its_neighbour() {
    let mut port = Registers::of(&library::<ManagementRegisters<1, 1, 0>>("management_registers"));
    port.run(12);
    let restart = |port: &mut Registers| {
        let mut states = vec![];
        port.bench.set("restarted", 1);
        for _ in 0..24 {
            port.run(1);
            port.bench.set("restarted", 0);
            states.push(port.read(PORT_STATE) & 7);
        }
        states.dedup();
        states
    };
    // CF436: in Active alone.
    assert_eq!(restart(&mut port), [INIT]);
    port.write(PORT_STATE, ARMED);
    assert_eq!(restart(&mut port), [ARMED]);
    port.write(PORT_STATE, ACTIVE);
    assert_eq!(restart(&mut port), [ACTIVE, DOWN, INIT]);
    // It is no loss of the link, and once is enough.
    assert_eq!(port.counts(), [0, 0]);
    port.activate();
    port.run(100);
    assert_eq!(port.read(PORT_STATE) & 7, ACTIVE);
    assert!(port.bench.is_set("receive_accepts_data") && !port.bench.is_set("receive_down"));
}
