//! CF345 to CF350: who may be attached to which group (`ud.md` section 4.1).
use super::{another, attach, detach, multicast, MGID, MLID, SECOND};
use crate::bench::requester::all_rights;
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, QPN};
use crate::ud::{attributes, success};
use hca_golden::event::DropReason;
use hca_golden::verbs::{QpAttributes, QpState, Service};
use hca_testbench::device::{Reason, Verb};

on_both!(behind super::super::eight_lids();
    cf345_only_datagrams_have_groups,
    cf346_attach_needs_a_port,
    cf347_addresses_that_no_group_has,
    cf348_attaching_twice_makes_one_copy,
    cf349_a_detach_of_no_member,
    cf350_a_member_cannot_be_destroyed,
    the_groups_are_limited,
);

fn cf345_only_datagrams_have_groups(y: &mut Bench) {
    y.create(&all_rights());
    y.enter_rts();
    assert_eq!(y.refusal_of(attach(QPN)), Reason::BadAttribute);
    y.create_another(&QpAttributes {
        qpn: SECOND,
        service: Service::Uc,
        ..all_rights()
    });
    assert_eq!(y.refusal_of(attach(SECOND)), Reason::BadAttribute);
    assert_eq!(y.refusal_of(attach(0x00_0EE7)), Reason::NotFound);
    assert_eq!(y.refusal_of(attach(0x100_0000)), Reason::BadIndex);
}

fn cf346_attach_needs_a_port(y: &mut Bench) {
    y.create(&attributes());
    assert_eq!(y.refusal_of(attach(QPN)), Reason::BadTransition);
    y.modify(QpState::Init);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.attempt(detach(QPN)), DONE);
}

fn cf347_addresses_that_no_group_has(y: &mut Bench) {
    y.datagrams();
    let with = |mgid: [u8; 16], mlid| Verb::Attach { qpn: QPN, mgid, mlid };
    let ipv4 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 224, 1, 2, 3];
    let unicast = [0xFE; 16];
    for (mgid, mlid) in [
        (unicast, MLID),
        (ipv4, MLID),
        (MGID, 0xBFFF),
        (MGID, 0xFFFF),
        (MGID, 0),
    ] {
        let reason = y.refusal_of(with(mgid, mlid));
        assert_eq!(reason, Reason::BadAttribute, "{mlid:04X}h");
    }
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.refusal_of(with(MGID, MLID + 1)), Reason::BadAttribute);
    // Once nobody is attached, the group may have another LID.
    assert_eq!(y.attempt(detach(QPN)), DONE);
    assert_eq!(y.attempt(with(MGID, MLID + 1)), DONE);
    // Two groups of one LID.
    let mut other = MGID;
    other[15] = 6;
    assert_eq!(y.attempt(with(other, MLID + 1)), DONE);
}

fn cf348_attaching_twice_makes_one_copy(y: &mut Bench) {
    y.datagrams();
    y.post_receive(1, 0, 64);
    y.post_receive(2, 64, 64);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    y.take(&[multicast(0, &[7; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
    assert_eq!(y.attempt(detach(QPN)), DONE);
    y.take(&[multicast(1, &[8; 4])]);
    assert_eq!(y.drops(), [(DropReason::MulticastAddress, 1)]);
    assert_eq!(y.refusal_of(detach(QPN)), Reason::NotFound);
}

fn cf349_a_detach_of_no_member(y: &mut Bench) {
    y.datagrams();
    assert_eq!(y.refusal_of(detach(QPN)), Reason::NotFound);
    another(y, SECOND);
    assert_eq!(y.attempt(attach(QPN)), DONE);
    assert_eq!(y.refusal_of(detach(SECOND)), Reason::NotFound);
}

/// Reset keeps the membership, and the QP gets nothing.
fn cf350_a_member_cannot_be_destroyed(y: &mut Bench) {
    y.datagrams();
    assert_eq!(y.attempt(attach(QPN)), DONE);
    let destroy = Verb::DestroyQp { qpn: QPN };
    assert_eq!(y.refusal_of(destroy.clone()), Reason::InUse);
    y.modify(QpState::Reset);
    assert_eq!(y.refusal_of(destroy.clone()), Reason::InUse);
    y.take(&[multicast(0, &[7; 4])]);
    y.drops();
    y.enter_rts();
    y.post_receive(1, 0, 64);
    y.take(&[multicast(1, &[7; 4])]);
    assert_eq!(y.completions(), [success(1, 44)]);
    assert_eq!(y.attempt(detach(QPN)), DONE);
    assert_eq!(y.attempt(destroy), DONE);
}

/// Eight groups at least.
fn the_groups_are_limited(y: &mut Bench) {
    y.datagrams();
    let group = |n: u16| {
        let mut mgid = MGID;
        mgid[14..].copy_from_slice(&n.to_be_bytes());
        let mlid = 0xC000 + n;
        Verb::Attach { qpn: QPN, mgid, mlid }
    };
    for n in 0..8 {
        assert_eq!(y.attempt(group(n)), DONE, "{n}");
    }
    assert_eq!(y.refusal_of(group(8)), Reason::BadSize);
    // A member of a group that is there needs no room.
    assert_eq!(y.attempt(group(7)), DONE);
}
