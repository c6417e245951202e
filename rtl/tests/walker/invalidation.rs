//! An invalidation that comes in the middle of a walk: what was taken before it does not see it, what comes after does.
use crate::reference::{Region, Request, Segment};
use crate::walk::{walker, Walk};
use hca_rtl::memory::walker::{FAULT_NONE, FAULT_PROTECTION};

/// Of the walk and of what is invalidated; the low eight bits of a key are its tag.
const WALKED: u32 = 0x0311;
const INVALIDATED: u32 = 0x0522;
const SGES: u8 = 16;

fn region(r_key: u32) -> Region {
    Region {
        valid: true,
        r_key,
        base: 0x1_0000,
        length: 0x1_0000,
        rights: [true; 4],
        ..Region::default()
    }
}

fn request(key: u32, count: u8) -> Request {
    let segments: Vec<Segment> = (0..count)
        .map(|n| (0x1_0000 + u64::from(n) * 0x100, 16, key))
        .collect();
    Request {
        segments,
        count,
        indirect: Some(0x4_0000),
        length: 16 * u32::from(count),
        right: 2,
        ..Request::default()
    }
}

#[test]
fn a_walk_goes_on_whatever_is_invalidated() {
    let library = walker();
    for clock in 0..40 {
        for key in [INVALIDATED, WALKED] {
            let mut walk = Walk::new(&library, clock);
            for key in [WALKED, INVALIDATED] {
                walk.register(key >> 8, region(key));
            }
            let list = request(WALKED, SGES);
            walk.request(&list);
            for _ in 0..clock {
                walk.clock();
            }
            walk.invalidate(key);
            while walk.answers.is_empty() {
                walk.clock();
            }
            let pieces = list.segments.iter().map(|s| (s.0, u64::from(s.1))).collect();
            let (_, answer) = walk.answers.pop_front().expect("there is one");
            assert_eq!(answer, (pieces, FAULT_NONE), "{key:x}h after {clock} clocks");
            for asked in [WALKED, INVALIDATED] {
                let fault = if asked == key {
                    FAULT_PROTECTION
                } else {
                    FAULT_NONE
                };
                let (_, answer) = walk.ask(&request(asked, 1));
                assert_eq!(answer.1, fault, "{asked:x}h after {key:x}h");
            }
        }
    }
}
