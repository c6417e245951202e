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

/// The words of a command about this queue pair and this group.
fn words(mgid: u128, mlid: u16) -> Vec<(usize, u32)> {
    let word = |n: usize| (16 + n, (mgid >> (96 - 32 * n)) as u32);
    let mut words = vec![(0, QPN), (9, mlid.into())];
    words.extend((0..4).map(word));
    words
}

/// Attaches the queue pair to the group and detaches it. Returns the result of the first command, and the group that
/// the table of groups sees.
fn joins_and_leaves(rig: &mut Rig, mgid: u128, mlid: u16) -> (u32, Option<(u128, u16)>) {
    rig.group = 0;
    let result = rig.run(ATTACH, &words(mgid, mlid));
    if result != OK {
        return (result, None);
    }
    let joined = rig.seen.iter().find_map(|seen| match seen {
        Seen::Group(QPN, true, mlid, _) => Some((rig.mgid, *mlid)),
        _ => None,
    });
    rig.group = MEMBER;
    assert_eq!(rig.run(DETACH, &words(mgid, mlid)), OK);
    assert_eq!(rig.mgid, mgid);
    (result, joined)
}

/// Asserts that no queue pair can join this group.
fn assert_refused(rig: &mut Rig, mgid: u128, mlid: u16) {
    let (result, _) = joins_and_leaves(rig, mgid, mlid);
    assert_eq!(result, BAD_ATTRIBUTE, "MGID {mgid:X}h, MLID {mlid:X}h");
}

#[test]
fn every_bit_of_a_group_counts() {
    let mut rig = rig();
    for (mgid, mlid) in [
        (0xFF11_2233_4455_6677_8899_AABB_CCDD_EEFF, 0xD555),
        (0xFFEE_DDCC_BBAA_9988_7766_5544_3322_1100, 0xEAAA),
    ] {
        assert_eq!(joins_and_leaves(&mut rig, mgid, mlid), (OK, Some((mgid, mlid))));
    }
    // Byte 0 is FFh; the LID has two ones in front, and is not FFFFh (`ud.md` section 4).
    for bit in 120..128 {
        let mgid = u128::MAX ^ 1 << bit;
        assert_refused(&mut rig, mgid, MLID);
    }
    for bit in 0..14 {
        let mlid = 0xFFFF ^ 1 << bit;
        assert_eq!(
            joins_and_leaves(&mut rig, 0xFF << 120, mlid).0,
            OK,
            "MLID {mlid:X}h"
        );
    }
    for mlid in [0xBFFE, 0x7FFE, 0xFFFF] {
        assert_refused(&mut rig, 0xFF << 120, mlid);
    }
}

#[test]
fn over_ethernet_every_bit_of_a_group_counts() {
    let mut rig = rig();
    rig.bench.set("roce", 1);
    let ipv4 = 0xFFFF_E000_0001;
    for mgid in [ipv4, 0xFFFF_EFFF_FFFF, 0xFF02 << 112 | 1] {
        assert_eq!(joins_and_leaves(&mut rig, mgid, 0), (OK, Some((mgid, 0))));
    }
    // 224.0.0.0/4 as ::ffff:a.b.c.d, and FFh in front of a group of IPv6.
    for bit in 28..128 {
        let mgid = ipv4 ^ 1 << bit;
        assert_refused(&mut rig, mgid, MLID);
    }
    for bit in 120..128 {
        let mgid = u128::MAX ^ 1 << bit;
        assert_refused(&mut rig, mgid, MLID);
    }
}
