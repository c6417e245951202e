//! A counter of the port stays at the largest number of its register (CF337, CF466).
use crate::bench::{library_of, Bench};
use hca_host::register::{EXCESSIVE_BUFFER_OVERRUN, PORT_XMIT_DATA, P_KEY_VIOLATIONS, Q_KEY_VIOLATIONS};
use hca_rtl::control::PortCounter;

struct Counter {
    bench: Bench,
    address: u32,
}

impl Counter {
    fn at(address: u32) -> Counter {
        let library = library_of(PortCounter::at(address), "port_counter");
        let mut bench = Bench::new(&library, 1);
        for input in ["amount", "bus_write"] {
            bench.set(input, 0);
        }
        Counter { bench, address }
    }

    fn add(&mut self, amount: u64) {
        self.bench.set("amount", amount);
        self.bench.settle();
        self.bench.tick();
        self.bench.set("amount", 0);
    }

    fn write(&mut self, address: u32, value: u32) {
        self.bench.set("bus_write", 1);
        self.bench.set("bus_write_address", address.into());
        self.bench.set("bus_write_data", value.into());
        self.bench.settle();
        self.bench.tick();
        self.bench.set("bus_write", 0);
    }

    fn read(&mut self, address: u32) -> u64 {
        for _ in 0..2 {
            self.bench.settle();
            self.bench.tick();
        }
        self.bench.set("bus_read_address", address.into());
        self.bench.settle();
        self.bench.get("read_data")
    }

    fn count(&mut self) -> u64 {
        self.read(self.address)
    }
}

#[test]
fn amounts_add_up_to_the_largest_number_of_32_bits_and_stay() {
    let mut counter = Counter::at(PORT_XMIT_DATA);
    assert_eq!(counter.count(), 0);
    for amount in [72, 1055, 5, 0, 2047] {
        counter.add(amount);
    }
    assert_eq!(counter.count(), 3179);
    counter.write(PORT_XMIT_DATA, 0xFFFF_FF00);
    counter.add(0xFE);
    assert_eq!(counter.count(), 0xFFFF_FFFE);
    counter.add(1);
    assert_eq!(counter.count(), 0xFFFF_FFFF);
    for amount in [1, 2047, 0] {
        counter.add(amount);
        assert_eq!(counter.count(), 0xFFFF_FFFF);
    }
    counter.write(PORT_XMIT_DATA, 0xFFFF_FFF0);
    counter.add(2047);
    assert_eq!(counter.count(), 0xFFFF_FFFF);
    // Another register leaves it, and reads 0 here.
    counter.write(PORT_XMIT_DATA + 4, 1);
    assert_eq!(counter.count(), 0xFFFF_FFFF);
    counter.write(PORT_XMIT_DATA, 0);
    assert_eq!(counter.count(), 0);
    counter.add(9);
    assert_eq!(counter.read(PORT_XMIT_DATA + 4), 0);
    assert_eq!(counter.count(), 9);
}

#[test]
fn a_counter_has_as_many_bits_as_its_register() {
    let mut counter = Counter::at(EXCESSIVE_BUFFER_OVERRUN);
    for expected in 1..=15 {
        counter.add(1);
        assert_eq!(counter.count(), expected);
    }
    for amount in [1, 2047] {
        counter.add(amount);
        assert_eq!(counter.count(), 15);
    }
    counter.write(EXCESSIVE_BUFFER_OVERRUN, 0xFFFF_FFF3);
    assert_eq!(counter.count(), 3);
    counter.add(11);
    assert_eq!(counter.count(), 14);
    counter.add(2);
    assert_eq!(counter.count(), 15);
}

#[test]
fn no_other_register_sets_or_reads_the_violations_of_keys() {
    for register in [P_KEY_VIOLATIONS, Q_KEY_VIOLATIONS] {
        let mut counter = Counter::at(register);
        counter.write(register, 0x1234);
        for near in (2..20).map(|bit| register ^ 1 << bit) {
            counter.write(near, 0x55);
            assert_eq!(counter.read(near), 0, "{near:X}h");
            assert_eq!(counter.count(), 0x1234, "{near:X}h");
        }
        counter.add(2);
        assert_eq!(counter.count(), 0x1236);
    }
}
