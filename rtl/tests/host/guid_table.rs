//! `PORT_GUID`.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::control::GuidTable;
use hca_sim::verilated::Library;

/// Of the first of six words, each GUID's high one before its low one.
const PORT_GUID: u64 = 0xE0;

fn fresh(library: &Library) -> Bench {
    let mut bench = Bench::new(library, 1);
    bench.set("bus_write", 0);
    bench
}

/// The three GUIDs, as the block gives them.
fn guids(bench: &Bench) -> [u64; 3] {
    let bytes = bench.bytes("guids");
    let guid = |n: usize| u64::from_le_bytes(bytes[8 * (2 - n)..][..8].try_into().expect("eight bytes"));
    std::array::from_fn(guid)
}

/// Every word is read where it was written, and nowhere else.
#[test]
fn words_make_guids() {
    let mut bench = fresh(&library::<GuidTable>("guid_table"));
    let mut rng = Rng::with_seed(3);
    let mut words = [0; 6];
    for _ in 0..2_000 {
        let (address, value) = (4 * rng.u64(0x30..0x40), rng.u64(..1 << 32));
        let writes = rng.bool();
        let read = 4 * rng.u64(0x30..0x40);
        bench.set("bus_write", writes.into());
        bench.set("bus_write_address", address);
        bench.set("bus_write_data", value);
        bench.set("bus_read_address", read);
        bench.settle();
        let of = |address: u64| {
            address
                .checked_sub(PORT_GUID)
                .map(|at| at as usize / 4)
                .filter(|&n| n < 6)
        };
        assert_eq!(
            bench.get("read_data"),
            of(read).map_or(0, |n| words[n]),
            "{read:X}h"
        );
        let expected = [0, 1, 2].map(|n| words[2 * n] << 32 | words[2 * n + 1]);
        assert_eq!(guids(&bench), expected);
        if let (true, Some(n)) = (writes, of(address)) {
            words[n] = value;
        }
        bench.tick();
    }
    bench.set("bus_write", 0);
    bench.set("reset", 1);
    bench.settle();
    bench.tick();
    bench.set("reset", 0);
    bench.settle();
    assert_eq!(guids(&bench), [0; 3]);
}
