//! `PORT_VLS` and `SL_TO_VL`.
use crate::bench::{library, Bench};
use hca_rtl::control::VlRegisters;
use hca_sim::verilated::Library;

const PORT_VLS: u64 = 0xA8;
const SL_TO_VL: [u64; 2] = [0xB0, 0xB4];

fn fresh(library: &Library) -> Bench {
    let mut bench = Bench::new(library, 1);
    bench.set("bus_write", 0);
    bench
}

fn write(bench: &mut Bench, address: u64, value: u64) {
    bench.set("bus_write", 1);
    bench.set("bus_write_address", address);
    bench.set("bus_write_data", value);
    bench.settle();
    bench.tick();
    bench.set("bus_write", 0);
    bench.settle();
}

fn read(bench: &mut Bench, address: u64) -> u64 {
    bench.set("bus_read_address", address);
    bench.settle();
    bench.get("read_data")
}

/// Writes the codes 0 to 15 one after the other; what is in force then.
fn codes(library: &Library) -> Vec<(u64, u64)> {
    let mut bench = fresh(library);
    let mut codes = vec![(read(&mut bench, PORT_VLS), bench.get("data_vls"))];
    for code in 0..16 {
        write(&mut bench, PORT_VLS, code | 0xFFFF_FE00);
        codes.push((read(&mut bench, PORT_VLS), bench.get("data_vls")));
    }
    codes
}

/// Of 2, 4 and 8 data VLs all are operational after reset; 0 and more than there are change nothing.
#[test]
fn as_many_vls_are_operational_as_the_port_has_at_most() {
    let mut expected = vec![(0x22, 2), (0x22, 2), (0x21, 1)];
    expected.resize(17, (0x22, 2));
    assert_eq!(codes(&library::<VlRegisters<1>>("vl_registers_of_2")), expected);
    let mut expected = vec![(0x33, 4), (0x33, 4), (0x31, 1), (0x32, 2)];
    expected.resize(17, (0x33, 4));
    assert_eq!(codes(&library::<VlRegisters<2>>("vl_registers_of_4")), expected);
    let mut expected = vec![(0x44, 8), (0x44, 8), (0x41, 1), (0x42, 2), (0x43, 4)];
    expected.resize(17, (0x44, 8));
    assert_eq!(codes(&library::<VlRegisters<3>>("vl_registers_of_8")), expected);
}

#[test]
fn each_register_is_written_by_itself() {
    let mut bench = fresh(&library::<VlRegisters<2>>("vl_registers_of_4"));
    let values = |bench: &mut Bench| [PORT_VLS, SL_TO_VL[0], SL_TO_VL[1]].map(|at| read(bench, at));
    assert_eq!(values(&mut bench), [0x33, 0, 0]);
    assert!(!bench.is_set("flow_control"));
    write(&mut bench, SL_TO_VL[0], 0x7654_3210);
    assert_eq!(values(&mut bench), [0x33, 0x7654_3210, 0]);
    write(&mut bench, SL_TO_VL[1], 0xFEDC_BA98);
    assert_eq!(values(&mut bench), [0x33, 0x7654_3210, 0xFEDC_BA98]);
    assert_eq!(bench.get("sl_to_vl"), 0xFEDC_BA98_7654_3210);
    // The number of VLs stays where 0 is written.
    write(&mut bench, PORT_VLS, 0x100);
    assert_eq!(values(&mut bench), [0x133, 0x7654_3210, 0xFEDC_BA98]);
    assert!(bench.is_set("flow_control"));
    write(&mut bench, PORT_VLS, 0x112);
    assert_eq!(values(&mut bench), [0x132, 0x7654_3210, 0xFEDC_BA98]);
    write(&mut bench, PORT_VLS, 0);
    assert_eq!(values(&mut bench), [0x32, 0x7654_3210, 0xFEDC_BA98]);
    assert!(!bench.is_set("flow_control"));
    // Neighbours in the map.
    for address in [0xA4, 0xAC, 0xB8, 0x100A8] {
        write(&mut bench, address, 0x101);
        assert_eq!(read(&mut bench, address), 0);
        assert_eq!(values(&mut bench), [0x32, 0x7654_3210, 0xFEDC_BA98]);
    }
    write(&mut bench, PORT_VLS, 0x101);
    bench.set("reset", 1);
    bench.settle();
    bench.tick();
    bench.set("reset", 0);
    assert_eq!(values(&mut bench), [0x33, 0, 0]);
    assert_eq!((bench.get("data_vls"), bench.is_set("flow_control")), (4, false));
}
