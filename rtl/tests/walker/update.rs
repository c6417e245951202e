//! An update of the protection table in the middle of a walk: an access finds the row as it was or as it becomes.
use crate::reference::{Region, Request};
use crate::walk::{walker, Walk};
use hca_rtl::memory::walker::FAULT_NONE;

const KEY: u32 = 0x0311;
const SGES: u8 = 16;

/// `length`: bytes of the region.
fn region(length: u64) -> Region {
    Region {
        valid: true,
        r_key: KEY,
        base: 0x1_0000,
        length,
        rights: [true; 4],
        ..Region::default()
    }
}

/// The region grows while it is walked, and each of its accesses is allowed before and after.
#[test]
fn a_walk_goes_on_while_its_region_is_registered_anew() {
    let library = walker();
    for indirect in [None, Some(0x4_0000)] {
        let count = if indirect.is_some() { SGES } else { 2 };
        for clock in 0..40 {
            let mut walk = Walk::new(&library, clock);
            walk.register(KEY >> 8, region(0x1_0000));
            let list = Request {
                segments: (0..count)
                    .map(|n| (0x1_0000 + u64::from(n) * 0x100, 16, KEY))
                    .collect(),
                count,
                indirect,
                length: 16 * u32::from(count),
                right: 2,
                ..Request::default()
            };
            walk.request(&list);
            for _ in 0..clock {
                walk.clock();
            }
            walk.register(KEY >> 8, region(0x2_0000));
            while walk.answers.is_empty() {
                walk.clock();
            }
            let pieces = list.segments.iter().map(|s| (s.0, u64::from(s.1))).collect();
            let (_, answer) = walk.answers.pop_front().expect("there is one");
            assert_eq!(answer, (pieces, FAULT_NONE), "after {clock} clocks");
        }
    }
}
