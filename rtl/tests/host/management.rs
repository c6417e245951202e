//! The registers of management: counters of a native port's link, and what there is of them over Ethernet.
use crate::bench::{library, Bench};
use hca_host::register::{LINK_DOWNED, LINK_ERROR_RECOVERY, PORT_STATE};
use hca_rtl::control::ManagementRegisters;

const DOWN: u32 = 1;
const INIT: u32 = 2;
const ARMED: u32 = 3;
const ACTIVE: u32 = 4;

struct Registers {
    bench: Bench,
    cable: bool,
}

impl Registers {
    fn of(library: &hca_sim::verilated::Library) -> Registers {
        let mut bench = Bench::new(library, 1);
        for input in ["write", "link_up", "heard", "smp_dropped", "packet_discarded"] {
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
        self.bench.set("write", 1);
        self.bench.set("write_address", address.into());
        self.bench.set("write_data", value.into());
        self.run(1);
        self.bench.set("write", 0);
        self.run(12);
    }

    fn read(&mut self, address: u32) -> u32 {
        self.bench.set("read_address", address.into());
        self.bench.settle();
        self.bench.get("read_data") as u32
    }

    /// Recoveries and losses.
    fn counts(&mut self) -> [u32; 2] {
        [LINK_ERROR_RECOVERY, LINK_DOWNED].map(|address| self.read(address))
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

#[test]
fn losses_and_recoveries_are_counted_up_to_ffh() {
    let mut port = Registers::of(&library::<ManagementRegisters<1, 0>>("management_registers"));
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

#[test]
fn over_ethernet_there_is_no_link_to_enable() {
    let mut port = Registers::of(&library::<ManagementRegisters<0, 1>>("management_registers"));
    for is_in in [false, true, false] {
        port.cable = is_in;
        for (address, value) in [
            (PORT_STATE, DOWN | 16),
            (LINK_ERROR_RECOVERY, u32::MAX),
            (LINK_DOWNED, u32::MAX),
        ] {
            port.write(address, value);
        }
        assert!(port.bench.is_set("link_enable") && !port.bench.is_set("changing"));
        assert_eq!(port.read(PORT_STATE), ACTIVE);
        assert_eq!(port.counts(), [0, 0]);
    }
}
