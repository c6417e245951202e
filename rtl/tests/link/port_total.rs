//! Counters of 32 bits: they stay at FFFFFFFFh (CF466).
use crate::bench::{library_of, Bench};
use hca_rtl::link::PortTotal;

const ADDRESS: u64 = 0xC8;

fn add(bench: &mut Bench, amount: u64) {
    bench.set("amount", amount);
    bench.settle();
    bench.tick();
    bench.set("amount", 0);
}

fn write(bench: &mut Bench, address: u64, value: u64) {
    bench.set("write", 1);
    bench.set("write_address", address);
    bench.set("write_data", value);
    bench.settle();
    bench.tick();
    bench.set("write", 0);
}

fn total(bench: &mut Bench) -> u64 {
    for _ in 0..2 {
        bench.settle();
        bench.tick();
    }
    bench.set("read_address", ADDRESS);
    bench.settle();
    bench.get("read_data")
}

#[test]
fn amounts_add_up_to_the_largest_number_and_stay() {
    let library = library_of(PortTotal::at(ADDRESS as u32), "port_total");
    let mut bench = Bench::new(&library, 1);
    for input in ["amount", "write"] {
        bench.set(input, 0);
    }
    assert_eq!(total(&mut bench), 0);
    for amount in [72, 1055, 5, 0, 2047] {
        add(&mut bench, amount);
    }
    assert_eq!(total(&mut bench), 3179);
    write(&mut bench, ADDRESS, 0xFFFF_FF00);
    add(&mut bench, 0xFE);
    assert_eq!(total(&mut bench), 0xFFFF_FFFE);
    add(&mut bench, 1);
    assert_eq!(total(&mut bench), 0xFFFF_FFFF);
    for amount in [1, 2047, 0] {
        add(&mut bench, amount);
        assert_eq!(total(&mut bench), 0xFFFF_FFFF);
    }
    write(&mut bench, ADDRESS, 0xFFFF_FFF0);
    add(&mut bench, 2047);
    assert_eq!(total(&mut bench), 0xFFFF_FFFF);
    write(&mut bench, ADDRESS + 4, 1);
    assert_eq!(total(&mut bench), 0xFFFF_FFFF);
    write(&mut bench, ADDRESS, 0);
    assert_eq!(total(&mut bench), 0);
    bench.set("read_address", ADDRESS + 4);
    add(&mut bench, 9);
    bench.settle();
    assert_eq!(bench.get("read_data"), 0);
    assert_eq!(total(&mut bench), 9);
}
