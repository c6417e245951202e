//! Each rule of the protection table by a literal case.
use crate::reference::{Region, Request};
use crate::walk::{walker, Walk};
use hca_rtl::memory::walker::{FAULT_LIST, FAULT_NONE, FAULT_PROTECTION};

const L_KEY: u32 = 0xABCD_C211;
const R_KEY: u32 = 0x1357_8222;
const PD: u32 = 7;

/// 4 KiB at 10000h in place 2 with every right.
const REGION: Region = Region {
    valid: true,
    l_key: L_KEY,
    r_key: R_KEY,
    pd: PD,
    base: 0x1_0000,
    length: 0x1000,
    rights: [true; 4],
    zero_based: false,
};

fn with(region: Region) -> Walk {
    let mut walk = Walk::new(&walker(), 3);
    walk.register(2, region);
    walk
}

fn fault(walk: &mut Walk, address: u64, length: u32, key: u32, right: u8) -> usize {
    let request = Request::one((address, length, key), length.min(4096), right, PD);
    walk.ask(&request).1 .1
}

/// CF085, CF091: index and tag of a key count, and an L_Key is no R_Key.
#[test]
fn only_the_very_key_opens_a_region() {
    let mut walk = with(REGION);
    for right in 0..=1 {
        assert_eq!(fault(&mut walk, 0x1_0000, 4, L_KEY, right), FAULT_NONE);
        assert_eq!(fault(&mut walk, 0x1_0000, 4, R_KEY, right), FAULT_PROTECTION);
    }
    for right in 2..=4 {
        assert_eq!(fault(&mut walk, 0x1_0000, 4, R_KEY, right), FAULT_NONE);
        assert_eq!(fault(&mut walk, 0x1_0000, 4, L_KEY, right), FAULT_PROTECTION);
    }
    for bit in 0..32 {
        assert_eq!(
            fault(&mut walk, 0x1_0000, 4, R_KEY ^ 1 << bit, 3),
            FAULT_PROTECTION
        );
    }
    walk.register(
        2,
        Region {
            valid: false,
            ..REGION
        },
    );
    assert_eq!(fault(&mut walk, 0x1_0000, 4, R_KEY, 3), FAULT_PROTECTION);
}

/// CF086: each right by itself.
#[test]
fn a_right_is_needed_for_each_access() {
    for held in 0..4 {
        let mut rights = [false; 4];
        rights[held] = true;
        let mut walk = with(Region { rights, ..REGION });
        assert_eq!(fault(&mut walk, 0x1_0000, 8, L_KEY, 0), FAULT_NONE);
        for right in 1..=4 {
            let key = if right == 1 { L_KEY } else { R_KEY };
            let expected = if usize::from(right) == held + 1 {
                FAULT_NONE
            } else {
                FAULT_PROTECTION
            };
            assert_eq!(
                fault(&mut walk, 0x1_0000, 8, key, right),
                expected,
                "right {right} of {held}"
            );
        }
    }
}

/// CF088: a region of another protection domain.
#[test]
fn a_region_belongs_to_one_protection_domain() {
    for bit in 0..24 {
        let mut walk = with(Region {
            pd: PD ^ 1 << bit,
            ..REGION
        });
        assert_eq!(fault(&mut walk, 0x1_0000, 4, R_KEY, 2), FAULT_PROTECTION);
    }
}

/// CF087: the first and the last byte, one before, one behind, and around the end of the address space.
#[test]
fn bounds_hold_to_the_byte() {
    let mut walk = with(REGION);
    assert_eq!(fault(&mut walk, 0x1_0000, 0x1000, R_KEY, 2), FAULT_NONE);
    assert_eq!(fault(&mut walk, 0x1_0FFF, 1, R_KEY, 2), FAULT_NONE);
    assert_eq!(fault(&mut walk, 0x1_0FFF, 2, R_KEY, 2), FAULT_PROTECTION);
    assert_eq!(fault(&mut walk, 0xFFFF, 1, R_KEY, 2), FAULT_PROTECTION);
    assert_eq!(fault(&mut walk, 0x1_1000, 1, R_KEY, 2), FAULT_PROTECTION);

    let top = Region {
        base: 0xFFFF_FFFF_FFFF_F000,
        ..REGION
    };
    let mut walk = with(top);
    assert_eq!(fault(&mut walk, 0xFFFF_FFFF_FFFF_FFFF, 1, R_KEY, 2), FAULT_NONE);
    assert_eq!(
        fault(&mut walk, 0xFFFF_FFFF_FFFF_FFFF, 2, R_KEY, 2),
        FAULT_PROTECTION
    );
    assert_eq!(fault(&mut walk, 0, 1, R_KEY, 2), FAULT_PROTECTION);

    let all = Region {
        base: 0,
        length: u64::MAX,
        ..REGION
    };
    let mut walk = with(all);
    assert_eq!(
        fault(&mut walk, 0xFFFF_FFFF_FFFF_FFFF, 0x1000, R_KEY, 2),
        FAULT_PROTECTION
    );
}

/// Addresses of a zero-based region count from its first byte.
#[test]
fn a_zero_based_region_counts_from_zero() {
    let mut walk = with(Region {
        zero_based: true,
        ..REGION
    });
    let request = Request::one((0xF00, 0x100, R_KEY), 0x100, 2, PD);
    assert_eq!(walk.ask(&request).1, (vec![(0x1_0F00, 0x100)], FAULT_NONE));
    assert_eq!(fault(&mut walk, 0xF00, 0x101, R_KEY, 2), FAULT_PROTECTION);
    assert_eq!(fault(&mut walk, 0x1_0000, 1, R_KEY, 2), FAULT_PROTECTION);
}

/// A RETH names more than its first packet brings: all of it is checked, and none of it for length 0 (CF089).
#[test]
fn the_whole_of_a_reth_is_checked() {
    let mut walk = with(REGION);
    let reth = |length, payload| Request {
        entire: true,
        ..Request {
            length: payload,
            ..Request::one((0x1_0000, length, R_KEY), 0, 2, PD)
        }
    };
    assert_eq!(
        walk.ask(&reth(0x1000, 256)).1,
        (vec![(0x1_0000, 256)], FAULT_NONE)
    );
    assert_eq!(walk.ask(&reth(0x1001, 256)).1 .1, FAULT_PROTECTION);
    assert_eq!(walk.ask(&reth(0x1000, 0)).1, (vec![], FAULT_NONE));
    assert_eq!(walk.ask(&reth(0x8000_0000, 0)).1 .1, FAULT_PROTECTION);
    assert_eq!(walk.ask(&reth(100, 101)).1 .1, FAULT_LIST);
    let nowhere = Request {
        entire: true,
        ..Request::one((0x9999, 0, 0xBAD), 0, 2, PD)
    };
    assert_eq!(walk.ask(&nowhere).1, (vec![], FAULT_NONE));
}

/// Both keys of an invalidated region stop; a key that names none stops nothing; whether a key can be invalidated
/// is asked without regard to bounds and rights.
#[test]
fn an_invalidated_region_is_closed_to_both_keys() {
    let mut walk = with(Region {
        rights: [false; 4],
        ..REGION
    });
    let other = Region {
        l_key: 0x1FF,
        r_key: 0x1EE,
        ..REGION
    };
    walk.register(1, other);
    let can = |key| Request {
        entire: true,
        ..Request {
            length: 0,
            ..Request::one((0, 1, key), 0, 5, PD)
        }
    };
    assert_eq!(walk.ask(&can(R_KEY)).1, (vec![], FAULT_NONE));
    assert_eq!(walk.ask(&can(R_KEY ^ 1)).1 .1, FAULT_PROTECTION);
    assert_eq!(walk.ask(&can(L_KEY)).1 .1, FAULT_PROTECTION);

    walk.invalidate(R_KEY ^ 1);
    assert_eq!(fault(&mut walk, 0x1_0000, 4, L_KEY, 0), FAULT_NONE);
    walk.invalidate(R_KEY);
    assert_eq!(fault(&mut walk, 0x1_0000, 4, L_KEY, 0), FAULT_PROTECTION);
    assert_eq!(walk.ask(&can(R_KEY)).1 .1, FAULT_PROTECTION);
    assert_eq!(fault(&mut walk, 0x1_0000, 4, other.l_key, 0), FAULT_NONE);

    // Registered again while an older invalidation is still being looked up, in whichever clock.
    for wait in 0..6 {
        walk.register(2, REGION);
        walk.invalidate(R_KEY);
        for _ in 0..wait {
            walk.clock();
        }
        walk.register(
            2,
            Region {
                r_key: R_KEY ^ 0xFF,
                ..REGION
            },
        );
        assert_eq!(
            fault(&mut walk, 0x1_0000, 4, L_KEY, 0),
            FAULT_NONE,
            "after {wait} clocks"
        );
    }
}

/// Once held and quiet, no request gets in before the hold ends.
#[test]
fn a_held_walker_comes_to_rest() {
    let mut walk = with(REGION);
    let request = Request::one((0x1_0000, 4, R_KEY), 4, 2, PD);
    walk.request(&request);
    walk.bench.set("hold", 1);
    walk.bench.set("walk_valid", 1);
    let mut clocks = 0;
    while !walk.quiet() {
        clocks += 1;
        assert!(!walk.bench.is_set("walk_ready"));
        walk.clock();
    }
    assert_eq!((clocks, walk.answers.len()), (5, 1));
    assert!(!walk.bench.is_set("walk_ready"));
    walk.bench.set("hold", 0);
    walk.bench.settle();
    assert!(walk.bench.is_set("walk_ready"));
}
