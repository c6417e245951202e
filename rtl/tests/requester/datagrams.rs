//! What the requester does differently for datagrams (`protocol/ud.md` section 2).
use crate::bench::{bits, library, vector, Bench};
use fastrand::Rng;
use hca_rtl::datagram::HandleRow;
use hca_rtl::requester::{HandleRows, Plan, UdAddress, UdJudge};
use rust_hdl_core::prelude::*;

const AB: usize = 6;

/// A row is that of its handle in every bit, and a handle beyond the table does not exist.
#[test]
fn a_handle_beyond_the_table_does_not_exist() {
    let mut bench = Bench::without_clock(&library::<HandleRows<AB>>("handle_rows"), 1);
    let mut rng = Rng::with_seed(0xA44);
    let rows: Vec<u64> = (0..1 << AB).map(|_| rng.u64(..) >> 10 | 1).collect();
    bench.set("update_valid", 1);
    for (index, row) in rows.iter().enumerate() {
        bench.set("update_index", index as u64);
        bench.set("update", *row);
        bench.settle();
        bench.tick();
    }
    bench.set("update_valid", 0);
    let mut row = |handle: u64| {
        bench.set("handle", handle);
        bench.settle();
        bench.tick();
        bench.settle();
        bench.get("row")
    };
    for (index, expected) in rows.iter().enumerate() {
        assert_eq!(row(index as u64), *expected, "handle {index}");
        for bit in AB..24 {
            let handle = index as u64 | 1 << bit;
            assert_eq!(row(handle), expected & !1, "handle {handle:X}h");
        }
    }
}

/// The path bits of the handle that the LMC lets through; FFFFh if the port has no LID, or to the permissive LID.
#[test]
fn the_slid_is_that_of_a_path() {
    let mut bench = Bench::without_clock(&library::<UdAddress>("ud_address"), 1);
    let mut slid = |lid: u16, lmc: u32, dlid: u16, path_bits: u64| {
        let row = HandleRow {
            dlid: u64::from(dlid).into(),
            path_bits: path_bits.into(),
            ..HandleRow::default()
        };
        let row: Bits<{ HandleRow::BITS }> = row.into();
        bench.set("port_lid", lid.into());
        bench.set("port_lmc", lmc.into());
        bench.set_bytes("handle", &vector(row));
        bench.follow();
        bench.get("slid") as u16
    };
    for lmc in 0..8 {
        let lid = 0x1200;
        for path_bits in 0..128 {
            let path = path_bits & ((1 << lmc) - 1);
            assert_eq!(slid(lid, lmc, 1, path_bits), lid | path as u16, "LMC {lmc}");
            assert_eq!(slid(lid, lmc, 0xFFFF, path_bits), 0xFFFF);
            assert_eq!(slid(0, lmc, 1, path_bits), 0xFFFF);
        }
    }
    for bit in 0..16 {
        let one = 1 << bit;
        assert_eq!(slid(one, 0, 1, 0), one, "LID {one:04X}h");
        assert_eq!(slid(8, 0, !one, 0), 8, "DLID {:04X}h", !one);
    }
}

/// A datagram that is longer than the active MTU is one packet, Send only, without bytes, that ends its WQE.
#[test]
fn a_datagram_that_is_too_long_is_planned_without_bytes() {
    let mut bench = Bench::without_clock(&library::<UdJudge>("ud_judge"), 1);
    for input in [
        "subnet", "general", "port", "operation", "bad_list", "p_key_index",
    ] {
        bench.set(input, 0);
    }
    // An unreliable datagram; the handle exists, and its PD is the queue pair's.
    bench.set("service", hca_host::command::SERVICE_UD.into());
    bench.set("pd", 5);
    bench.set("handle", 5 << 1 | 1);
    let mut rng = Rng::with_seed(0x1D);
    for mtu in 1..=5 {
        let bytes = 128 << mtu;
        for length in [0, bytes, bytes + 1, bytes << 1, 1 << 31] {
            let plan = Plan {
                opcode: rng.u64(..256).into(),
                payload: rng.u64(..1 << 13).into(),
                dma_len: length.into(),
                psns: rng.u64(..1 << 24).into(),
                ack_req: rng.bool(),
                ..Plan::default()
            };
            let row: Bits<{ Plan::BITS }> = plan.into();
            let given = vector(row);
            bench.set("mtu", mtu);
            bench.set("length", length);
            bench.set_bytes("plan", &given);
            bench.follow();
            let too_long = length > bytes;
            assert_eq!((bench.is_set("bad"), bench.is_set("discards")), (false, too_long));
            let own = bench.bytes("own_plan");
            if too_long {
                let field = |low, width| bits(&own, low, width);
                assert_eq!(
                    (field(0, 8), field(8, 13), field(54, 1), field(56, 24)),
                    (4, 0, 1, 0)
                );
                for bit in (21..54).chain([55]) {
                    assert_eq!(field(bit, 1), bits(&given, bit, 1), "bit {bit}");
                }
            } else {
                assert_eq!(own, given);
            }
        }
    }
}
