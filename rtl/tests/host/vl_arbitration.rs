//! `VL_ARBITRATION` and `VL_HIGH_LIMIT`.
use crate::bench::{bits, library, Bench};
use fastrand::Rng;
use hca_rtl::control::VlArbitration;

const VL_HIGH_LIMIT: u64 = 0xD8;
/// Of the first of eight words.
const VL_ARBITRATION: u64 = 0x180;

/// VL and weight of each entry.
fn entries(bench: &Bench, table: &str) -> Vec<(u64, u64)> {
    let bytes = bench.bytes(table);
    let entry = |n: usize| (bits(&bytes, 12 * n + 8, 4), bits(&bytes, 12 * n, 8));
    (0..8).map(entry).collect()
}

fn fresh<const VB: usize>() -> Bench {
    let mut bench = Bench::new(&library::<VlArbitration<VB>>("vl_arbitration"), 1);
    bench.set("bus_write", 0);
    bench.set("bus_read_address", VL_HIGH_LIMIT);
    bench.settle();
    bench
}

/// After reset each data VL has an entry of the low table.
#[test]
fn each_vl_sends_after_reset() {
    fn of<const VB: usize>(vls: u64) {
        let bench = fresh::<VB>();
        let entry = |vl| if vl < vls { (vl, 64) } else { (0, 0) };
        assert_eq!(entries(&bench, "arbitration_high"), [(0, 0); 8]);
        assert_eq!(
            entries(&bench, "arbitration_low"),
            (0..8).map(entry).collect::<Vec<_>>()
        );
        assert_eq!(bench.get("arbitration_limit"), 0);
        assert_eq!(bench.get("read_data"), 0x800);
    }
    of::<0>(1);
    of::<1>(2);
    of::<3>(8);
}

/// Every word is read where it was written, and nowhere else; each write begins the turns anew.
#[test]
fn words_make_tables() {
    let mut bench = fresh::<2>();
    let mut rng = Rng::with_seed(3);
    let mut words = [0, 0, 0, 0, 0x0140_0040, 0x0340_0240, 0, 0];
    let mut limit = 0;
    let mut anew = false;
    for _ in 0..3_000 {
        let mut draw = || match rng.u8(..4) {
            0 => VL_HIGH_LIMIT,
            _ => 4 * rng.u64(0x5C..0x6C),
        };
        let (address, read) = (draw(), draw());
        let (writes, value) = (rng.bool(), rng.u64(..1 << 32));
        bench.set("bus_write", writes.into());
        bench.set("bus_write_address", address);
        bench.set("bus_write_data", value);
        bench.set("bus_read_address", read);
        bench.settle();
        let of = |address: u64| {
            let at = address.checked_sub(VL_ARBITRATION).map(|at| at as usize / 4);
            at.filter(|&n| n < 8)
        };
        let expected = match of(read) {
            Some(n) => words[n],
            None if read == VL_HIGH_LIMIT => 0x800 | limit,
            None => 0,
        };
        assert_eq!(bench.get("read_data"), expected, "{read:X}h");
        assert_eq!(bench.is_set("arbitration_anew"), anew);
        assert_eq!(bench.get("arbitration_limit"), limit);
        for (table, words) in ["arbitration_high", "arbitration_low"]
            .iter()
            .zip(words.chunks(4))
        {
            let expected: Vec<(u64, u64)> = words
                .iter()
                .flat_map(|word| [*word, word >> 16])
                .map(|entry| (entry >> 8 & 15, entry & 255))
                .collect();
            assert_eq!(entries(&bench, table), expected);
        }
        anew = false;
        if writes {
            anew = of(address).is_some() || address == VL_HIGH_LIMIT;
            match of(address) {
                Some(n) => words[n] = value & 0x0FFF_0FFF,
                None if address == VL_HIGH_LIMIT => limit = value & 255,
                None => {}
            }
        }
        bench.tick();
    }
}
