//! The VL of each SL, and packets that have none (CF265, CF455).
use crate::bench::{library, Bench};
use hca_rtl::link::VlChoice;

/// SL 0 on VL 7, SL 1 on VL 6 and so on; 8 to 14 on VLs that no port has, and SL 15 on VL 15.
const TABLE: u64 = 0xFEDC_BA98_0123_4567;

/// VL, or none.
fn vl(bench: &mut Bench, table: u64, data_vls: u64, sl: u64, management: bool) -> Option<u64> {
    bench.set("sl_to_vl", table);
    bench.set("data_vls", data_vls);
    bench.set("sl", sl);
    bench.set("management", management.into());
    bench.follow();
    (!bench.is_set("unusable")).then(|| bench.get("vl"))
}

#[test]
fn every_sl_has_its_entry_and_an_smp_has_none() {
    let mut bench = Bench::without_clock(&library::<VlChoice>("vl_choice"), 1);
    for sl in 0..16 {
        for data_vls in [8, 4, 2, 1] {
            let expected = (sl < 8).then(|| 7 - sl).filter(|vl| *vl < data_vls);
            assert_eq!(
                vl(&mut bench, TABLE, data_vls, sl, false),
                expected,
                "SL {sl}, {data_vls} VLs"
            );
            assert_eq!(vl(&mut bench, TABLE, data_vls, sl, true), Some(15));
        }
        assert_eq!(vl(&mut bench, 0, 1, sl, false), Some(0));
        assert_eq!(vl(&mut bench, u64::MAX, 8, sl, false), None);
    }
}
