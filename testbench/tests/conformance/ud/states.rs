//! CF324, CF325: the transitions of a queue pair of datagrams, and its Q_Key (`services.md` section 2).
use super::{attributes, packet, success, with_q_key, Q_KEY};
use crate::bench::requester::READ;
use crate::bench::verbs::{Told, DONE};
use crate::bench::{on_both, Bench};
use hca_golden::event::DropReason;
use hca_golden::modification::{Attribute, Attributes, QpChanges};
use hca_golden::verbs::{QpState, Status};
use hca_testbench::device::Reason;

on_both!(
    cf324_each_transition_requires_its_attributes_and_no_others,
    cf324_what_leads_to_sqe_and_out_of_it,
    cf325_a_q_key_that_is_set_counts_at_once,
    a_move_to_reset_forgets_the_q_key,
);

use Attribute::{PKeyIndex, Port, QKey, SqPsn};

fn of(given: impl IntoIterator<Item = Attribute>) -> QpChanges {
    QpChanges::of(&attributes(), given.into_iter().collect::<Attributes>())
}

fn q_key(q_key: u32) -> QpChanges {
    QpChanges {
        q_key: Some(q_key),
        ..QpChanges::default()
    }
}

fn refused(reason: Reason) -> Told {
    Err(reason)
}

fn cf324_each_transition_requires_its_attributes_and_no_others(y: &mut Bench) {
    y.create(&attributes());
    let connected = [
        Attribute::Access,
        Attribute::Address,
        Attribute::Pmtu,
        Attribute::DestQpn,
        Attribute::RqPsn,
        Attribute::MaxDestRdAtomic,
        Attribute::MinRnrTimer,
        Attribute::Timeout,
        Attribute::RetryCnt,
        Attribute::RnrRetry,
        Attribute::MaxRdAtomic,
        Attribute::Credits,
    ];
    for (state, required, optional) in [
        (QpState::Init, vec![PKeyIndex, Port, QKey], vec![]),
        (QpState::Init, vec![], vec![PKeyIndex, Port, QKey]),
        (QpState::Rtr, vec![], vec![PKeyIndex, QKey]),
        (QpState::Rts, vec![SqPsn], vec![QKey]),
        (QpState::Rts, vec![], vec![QKey]),
        (QpState::Sqd, vec![], vec![]),
        (QpState::Sqd, vec![], vec![PKeyIndex, QKey]),
        (QpState::Rts, vec![], vec![QKey]),
    ] {
        for &left_out in &required {
            let others = required.iter().copied().filter(|a| *a != left_out);
            let outcome = y.attempt_set(state, &of(others));
            assert_eq!(
                outcome,
                refused(Reason::MissingAttribute),
                "{state:?} without {left_out:?}"
            );
        }
        let permitted = [&required[..], &optional[..]].concat();
        let others = [PKeyIndex, Port, QKey, SqPsn]
            .into_iter()
            .filter(|a| !permitted.contains(a));
        for forbidden in connected.into_iter().chain(others) {
            let more = required.iter().copied().chain([forbidden]);
            let outcome = y.attempt_set(state, &of(more));
            assert_eq!(
                outcome,
                refused(Reason::ForbiddenAttribute),
                "{state:?} with {forbidden:?}"
            );
        }
        assert_eq!(y.attempt_set(state, &of(permitted)), DONE, "{state:?}");
    }
    let (state, attributes) = y.query();
    assert_eq!(
        (state, attributes.q_key, attributes.port),
        (QpState::Rts, Some(Q_KEY), Some(1))
    );
    assert_eq!(
        (attributes.sq_psn, attributes.dest_qpn),
        (Some(0xFF_FFFE), Some(0))
    );
}

fn cf324_what_leads_to_sqe_and_out_of_it(y: &mut Bench) {
    y.datagrams();
    let none = QpChanges::default();
    assert_eq!(y.attempt_set(QpState::Sqe, &none), refused(Reason::BadTransition));
    y.post(super::datagram(1, READ, 8));
    y.settle();
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
    for state in [QpState::Init, QpState::Rtr, QpState::Sqd, QpState::Sqe] {
        let outcome = y.attempt_set(state, &none);
        assert_eq!(outcome, refused(Reason::BadTransition), "{state:?}");
    }
    for forbidden in [SqPsn, PKeyIndex, Attribute::Access] {
        let outcome = y.attempt_set(QpState::Rts, &of([forbidden]));
        assert_eq!(outcome, refused(Reason::ForbiddenAttribute), "{forbidden:?}");
    }
    assert_eq!(y.attempt_set(QpState::Error, &none), DONE);
    assert_eq!(y.attempt_set(QpState::Reset, &none), DONE);
    assert_eq!(y.query().0, QpState::Reset);
}

/// From SQE to RTS, and without leaving RTS. Bit 31 may be set, and is compared like the others.
fn cf325_a_q_key_that_is_set_counts_at_once(y: &mut Bench) {
    y.datagrams();
    for wr_id in 1..4 {
        y.post_receive(wr_id, 0, 64);
    }
    y.post(super::datagram(9, READ, 8));
    y.settle();
    assert_eq!(y.completions(), [(9, Status::LocQpOpErr, 0)]);
    let key = 0x8765_4321;
    assert_eq!(y.attempt_set(QpState::Rts, &q_key(key)), DONE);
    let of_key = |key| with_q_key(key, packet(0x64, 7, &[1; 4]));
    y.take(&[of_key(Q_KEY), of_key(key & 0x7FFF_FFFF), of_key(key)]);
    assert_eq!(y.drops(), [(DropReason::QKey, 2)]);
    assert_eq!(y.completions(), [success(1, 44)]);
    assert_eq!(y.attempt_set(QpState::Rts, &q_key(5)), DONE);
    y.take(&[of_key(key), of_key(5)]);
    assert_eq!(y.drops(), [(DropReason::QKey, 1)]);
    assert_eq!(y.completions(), [success(2, 44)]);
    // What leaves has the new key, too.
    let mut request = super::send(4, 4);
    request.datagram.as_mut().unwrap().q_key = 0x8000_0000;
    y.post(request);
    let keys: Vec<u32> = y.sent().iter().map(|p| p.deth().unwrap().q_key).collect();
    assert_eq!(keys, [5]);
    assert_eq!(y.completions(), [success(4, 0)]);
}

fn a_move_to_reset_forgets_the_q_key(y: &mut Bench) {
    y.datagrams();
    assert_eq!(y.attempt_set(QpState::Reset, &QpChanges::default()), DONE);
    assert_eq!(y.query().1.q_key, Some(0));
}
