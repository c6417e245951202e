//! CF308: the transitions of a UC queue pair and their attributes (`services.md` section 2).
use super::attributes;
use crate::bench::verbs::{Told, DONE};
use crate::bench::{on_both, Bench};
use hca_golden::modification::{Attribute, Attributes, QpChanges};
use hca_golden::verbs::{Pmtu, QpState};
use hca_testbench::device::Reason;

on_both!(
    cf308_each_transition_requires_its_attributes_and_no_others,
    cf308_what_leads_to_sqe_and_out_of_it,
);

use Attribute::{Access, Address, DestQpn, PKeyIndex, Port, RqPsn, SqPsn};

fn of(given: impl IntoIterator<Item = Attribute>) -> QpChanges {
    QpChanges::of(&attributes(), given.into_iter().collect::<Attributes>())
}

fn refused(reason: Reason) -> Told {
    Err(reason)
}

fn cf308_each_transition_requires_its_attributes_and_no_others(y: &mut Bench) {
    y.create(&attributes());
    let reliable = [
        Attribute::MaxDestRdAtomic,
        Attribute::MinRnrTimer,
        Attribute::Timeout,
        Attribute::RetryCnt,
        Attribute::RnrRetry,
        Attribute::MaxRdAtomic,
        Attribute::Credits,
    ];
    for (state, required) in [
        (QpState::Init, vec![PKeyIndex, Port, Access]),
        (QpState::Rtr, vec![Address, Attribute::Pmtu, DestQpn, RqPsn]),
        (QpState::Rts, vec![SqPsn]),
    ] {
        for &left_out in &required {
            let others = required.iter().copied().filter(|a| *a != left_out);
            let told = y.attempt_set(state, &of(others));
            assert_eq!(
                told,
                refused(Reason::MissingAttribute),
                "{state:?} without {left_out:?}"
            );
        }
        for forbidden in reliable {
            let more = required.iter().copied().chain([forbidden]);
            let told = y.attempt_set(state, &of(more));
            assert_eq!(
                told,
                refused(Reason::ForbiddenAttribute),
                "{state:?} with {forbidden:?}"
            );
        }
        assert_eq!(y.attempt_set(state, &of(required)), DONE, "{state:?}");
    }
    assert_eq!(y.attempt_set(QpState::Rts, &of([Access])), DONE);
    let (state, attributes) = y.query();
    assert_eq!((state, attributes.pmtu), (QpState::Rts, Some(Pmtu::B256)));
    assert_eq!((attributes.timeout, attributes.retry_cnt), (Some(0), Some(0)));
}

fn cf308_what_leads_to_sqe_and_out_of_it(y: &mut Bench) {
    y.connect_unreliably();
    let none = QpChanges::default();
    assert_eq!(y.attempt_set(QpState::Sqe, &none), refused(Reason::BadTransition));
    y.post(crate::bench::requester::work(1, crate::bench::requester::READ, 8));
    y.settle();
    y.completions();
    assert_eq!(y.query_state(), QpState::Sqe);
    for state in [QpState::Init, QpState::Rtr, QpState::Sqd, QpState::Sqe] {
        assert_eq!(
            y.attempt_set(state, &none),
            refused(Reason::BadTransition),
            "{state:?}"
        );
    }
    assert_eq!(
        y.attempt_set(QpState::Rts, &of([SqPsn])),
        refused(Reason::ForbiddenAttribute)
    );
    assert_eq!(y.attempt_set(QpState::Rts, &of([Access])), DONE);
    y.post(crate::bench::requester::work(2, crate::bench::requester::READ, 8));
    y.settle();
    y.completions();
    assert_eq!(y.attempt_set(QpState::Error, &none), DONE);
    assert_eq!(y.attempt_set(QpState::Reset, &none), DONE);
    assert_eq!(y.query_state(), QpState::Reset);
}
