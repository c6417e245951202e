//! Commands about multicast groups (`protocol/ud.md` section 4.1).
use crate::rig::{Rig, Seen};
use hca_host::command::*;
use hca_host::retire::kind;

const QPN: u32 = 0x4433;
/// Bits of `Rig::group`.
const ELSEWHERE: u64 = 1;
const FULL: u64 = 2;
const MEMBER: u64 = 4;
const MLID: u16 = 0xC123;

/// A QP, and a group that ends in 7.
fn group(qpn: u32, first: u32, mlid: u16) -> Vec<(usize, u32)> {
    vec![(0, qpn), (9, mlid.into()), (16, first), (17, 0), (18, 0), (19, 7)]
}

fn legal() -> Vec<(usize, u32)> {
    group(QPN, 0xFF12_0000, MLID)
}

/// With a QP of UD in Init.
fn rig() -> Rig {
    let mut rig = Rig::new();
    rig.create_cq(1);
    assert_eq!(rig.create_qp_of(SERVICE_UD, QPN, 1, 1), OK);
    let given = attribute::P_KEY_INDEX | attribute::PORT | attribute::Q_KEY;
    let values = rig.values();
    assert_eq!(rig.modify(QPN, STATE_INIT, given, &values), OK);
    rig
}

fn told(result: u32, code: u32) -> Seen {
    Seen::Retired(kind::COMMAND, result as u8, QPN, code)
}

#[test]
fn a_qp_joins_and_leaves() {
    let mut rig = rig();
    assert_eq!(rig.run(ATTACH, &legal()), OK);
    assert_eq!(rig.seen, [told(OK, ATTACH), Seen::Group(QPN, true, MLID, 7)]);
    // A member stays one, even if there is no room for another.
    rig.group = MEMBER | FULL;
    assert_eq!(rig.run(ATTACH, &legal()), OK);
    assert_eq!(rig.seen, [told(OK, ATTACH)]);
    assert_eq!(rig.run(DESTROY_QP, &[(0, QPN)]), IN_USE);
    assert_eq!(rig.run(DETACH, &legal()), OK);
    assert_eq!(rig.seen, [told(OK, DETACH), Seen::Group(QPN, false, MLID, 7)]);
    assert_eq!(rig.run(DESTROY_QP, &[(0, QPN)]), OK);
}

/// One more each, until the last refusal is left.
#[test]
fn the_first_refusal_counts() {
    let mut rig = rig();
    let refused = |rig: &mut Rig, facts, arguments: &[(usize, u32)], both: u32| {
        rig.group = facts;
        for code in [ATTACH, DETACH] {
            assert_eq!(rig.run(code, arguments), both, "{code}: {arguments:X?}");
            assert!(!rig.seen.iter().any(|seen| matches!(seen, Seen::Group(..))));
        }
    };
    assert_eq!(rig.create_qp(0x4435, 1, 1), OK);
    refused(&mut rig, ELSEWHERE, &group(0x100_0000 | QPN, 0, 0), BAD_INDEX);
    refused(&mut rig, ELSEWHERE, &group(0x4434, 0, 0), NOT_FOUND);
    refused(&mut rig, ELSEWHERE, &group(0x4435, 0, 0), BAD_ATTRIBUTE);
    for (first, mlid) in [(0xFE00_0000, MLID), (0xFF00_0000, 0xBFFF), (0xFF00_0000, 0xFFFF)] {
        refused(&mut rig, MEMBER, &group(QPN, first, mlid), BAD_ATTRIBUTE);
    }
    refused(&mut rig, ELSEWHERE, &legal(), BAD_ATTRIBUTE);
    rig.group = FULL;
    assert_eq!(rig.run(ATTACH, &legal()), BAD_SIZE);
    assert_eq!(rig.run(DETACH, &legal()), NOT_FOUND);
    assert_eq!(rig.modify(QPN, STATE_RESET, 0, &[]), OK);
    refused(&mut rig, MEMBER, &group(QPN, 0, 0), BAD_TRANSITION);
}

/// A group of IPv4, and no LID.
#[test]
fn over_ethernet_an_address_is_a_group() {
    let mut rig = rig();
    rig.bench.set("roce", 1);
    let ipv4 = |last: u32| {
        vec![
            (0, QPN),
            (9, u32::from(MLID)),
            (16, 0),
            (17, 0),
            (18, 0xFFFF),
            (19, last),
        ]
    };
    assert_eq!(rig.run(ATTACH, &ipv4(0xDF00_0001)), BAD_ATTRIBUTE);
    assert_eq!(rig.run(ATTACH, &ipv4(0xE000_0001)), OK);
    assert!(rig.seen.contains(&Seen::Group(QPN, true, 0, 1)));
}
