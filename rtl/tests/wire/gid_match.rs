//! A packet is for the port if its DGID is an entry of the GID table (`protocol/link.md` section 2).
use crate::bench::{library, Bench};
use hca_rtl::wire::GidMatch;

const PREFIX: u64 = 0xFE80_1234_5678_9ABC;

struct Rig(Bench);

impl Rig {
    fn new() -> Rig {
        Rig(Bench::without_clock(&library::<GidMatch>("gid_match"), 1))
    }

    /// True if a packet with this DGID is for the port whose GUIDs these are.
    fn is_own(&mut self, gid: u128, guids: [u64; 4]) -> bool {
        let port_gid = u128::from(PREFIX) << 64 | u128::from(guids[0]);
        // Entry 1 at the most significant end.
        let others: Vec<u8> = guids[1..]
            .iter()
            .rev()
            .flat_map(|guid| guid.to_le_bytes())
            .collect();
        self.0.set_bytes("gid", &gid.to_le_bytes());
        self.0.set_bytes("port_gid", &port_gid.to_le_bytes());
        self.0.set_bytes("port_guids", &others);
        for _ in 0..2 {
            self.0.settle();
            self.0.tick();
        }
        self.0.settle();
        !self.0.is_set("differs")
    }
}

fn gid(guid: u64) -> u128 {
    u128::from(PREFIX) << 64 | u128::from(guid)
}

#[test]
fn every_bit_of_each_entry_counts() {
    let mut rig = Rig::new();
    for guids in [
        [
            0x0123_4567_89AB_CDEF, 0x1111_2222_3333_4444, 0x5555_6666_7777_8888, 0x9999_AAAA_BBBB_CCCC,
        ],
        [
            0xFEDC_BA98_7654_3210, 0xEEEE_DDDD_CCCC_BBBB, 0xAAAA_9999_8888_7777, 0x6666_5555_4444_3333,
        ],
    ] {
        for guid in guids {
            assert!(rig.is_own(gid(guid), guids), "{guid:X}h of {guids:X?}");
            for bit in 0..128 {
                let other = gid(guid) ^ 1 << bit;
                assert!(!rig.is_own(other, guids), "{other:X}h of {guids:X?}");
            }
        }
    }
}

/// Entry 0 is never empty; another one is, if its GUID is 0.
#[test]
fn an_entry_without_a_guid_is_empty() {
    let mut rig = Rig::new();
    assert!(rig.is_own(gid(0), [0, 1, 2, 3]));
    assert!(!rig.is_own(gid(0), [1, 0, 0, 0]));
    for entry in 1..4 {
        for bit in 0..64 {
            let mut guids = [1 << 63 | 1, 0, 0, 0];
            guids[entry] = 1 << bit;
            assert!(rig.is_own(gid(1 << bit), guids), "bit {bit} of entry {entry}");
            assert!(!rig.is_own(gid(0), guids), "bit {bit} of entry {entry}");
        }
    }
}
