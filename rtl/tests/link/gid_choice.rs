//! The source GID of a packet.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::link::GidChoice;

#[test]
fn the_prefix_is_joined_with_the_guid_of_the_entry() {
    let mut bench = Bench::without_clock(&library::<GidChoice>("gid_choice"), 1);
    let mut rng = Rng::with_seed(7);
    for _ in 0..500 {
        let (gid, guids) = (rng.u128(..), [rng.u64(..), rng.u64(..), rng.u64(..)]);
        let index = rng.usize(..4);
        bench.set_bytes("port_gid", &gid.to_le_bytes());
        let in_row: Vec<u8> = guids.iter().rev().flat_map(|guid| guid.to_le_bytes()).collect();
        bench.set_bytes("port_guids", &in_row);
        bench.set("index", index as u64);
        bench.follow();
        let expected = match index {
            0 => gid,
            _ => gid >> 64 << 64 | u128::from(guids[index - 1]),
        };
        assert_eq!(bench.bytes("gid"), expected.to_le_bytes());
    }
}
