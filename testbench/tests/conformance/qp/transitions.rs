//! CF233, CF234, CF238: transitions and their attributes (`qp_cq.md` section 1).
use crate::bench::requester::{all_rights, work, SEND};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, packet, response, Bench, QPN};
use hca_golden::hca::changes_to;
use hca_golden::modification::QpChanges;
use hca_golden::verbs::{EndToEndCredits, QpState, RemoteAccess};
use hca_testbench::device::{Reason, Verb};
use QpState::{Error, Init, Reset, Rtr, Rts, Sqd, Sqe};

on_both!(
    cf233_only_these_transitions_succeed,
    cf233_of_a_queue_pair_that_is_not_there,
    cf234_a_missing_attribute,
    cf234_an_attribute_that_the_transition_does_not_take,
    cf234_a_value_outside_its_limits,
    cf234_what_is_optional_is_set,
    cf238_reset_restarts_everything,
);

/// By row the state before, and the states that can be asked for.
const LEGAL: [(QpState, &[QpState]); 6] = [
    (Reset, &[Reset, Init, Error]),
    (Init, &[Reset, Init, Rtr, Error]),
    (Rtr, &[Reset, Rts, Error]),
    (Rts, &[Reset, Rts, Sqd, Error]),
    (Sqd, &[Reset, Rts, Sqd, Error]),
    (Error, &[Reset, Error]),
];

/// Takes an attribute away.
type Removal = fn(&mut QpChanges);

/// Takes the QP from Reset to this state.
fn take_to(y: &mut Bench, state: QpState) {
    let path: &[QpState] = match state {
        Reset => &[],
        Init => &[Init],
        Rtr => &[Init, Rtr],
        Rts => &[Init, Rtr, Rts],
        Sqd => &[Init, Rtr, Rts, Sqd],
        Error => &[Error],
        Sqe => panic!("RC has no SQE"),
    };
    for &state in path {
        assert_eq!(y.attempt_move(state), DONE);
    }
}

fn cf233_only_these_transitions_succeed(y: &mut Bench) {
    y.create(&all_rights());
    for (from, legal) in LEGAL {
        for to in [Reset, Init, Rtr, Rts, Sqd, Sqe, Error] {
            take_to(y, from);
            let before = y.query();
            assert_eq!(before.0, from);
            match legal.contains(&to) {
                true => {
                    assert_eq!(y.attempt_move(to), DONE, "{from:?} to {to:?}");
                    assert_eq!(y.query().0, to);
                }
                false => {
                    assert_eq!(
                        y.attempt_move(to),
                        Err(Reason::BadTransition),
                        "{from:?} to {to:?}"
                    );
                    assert_eq!(y.query(), before, "nothing changed");
                }
            }
            assert_eq!(y.attempt_move(Reset), DONE);
        }
    }
}

fn cf233_of_a_queue_pair_that_is_not_there(y: &mut Bench) {
    y.create(&all_rights());
    let qpn = 0x0C05;
    let state = Init;
    assert_eq!(y.attempt(Verb::ModifyQp { qpn, state }), Err(Reason::NotFound));
    assert_eq!(y.attempt(Verb::QueryQp { qpn }), Err(Reason::NotFound));
    assert_eq!(y.attempt(Verb::DestroyQp { qpn }), Err(Reason::NotFound));
    // The index of QP1.
    let qpn = 0x0F01;
    assert_eq!(y.attempt(Verb::QueryQp { qpn }), Err(Reason::BadIndex));
    let qpn = QPN;
    assert_eq!(y.attempt(Verb::DestroyQp { qpn }), DONE);
    assert_eq!(y.attempt(Verb::DestroyQp { qpn }), Err(Reason::NotFound));
}

/// Each attribute that a transition requires is missing once; the whole set succeeds then.
fn cf234_a_missing_attribute(y: &mut Bench) {
    y.create(&all_rights());
    let without: [(QpState, QpState, &[Removal]); 3] = [
        (
            Reset,
            Init,
            &[|c| c.p_key_index = None, |c| c.port = None, |c| c.access = None],
        ),
        (
            Init,
            Rtr,
            &[
                |c| c.address = None,
                |c| c.pmtu = None,
                |c| c.dest_qpn = None,
                |c| c.rq_psn = None,
                |c| c.max_dest_rd_atomic = None,
                |c| c.min_rnr_timer = None,
            ],
        ),
        (
            Rtr,
            Rts,
            &[
                |c| c.sq_psn = None,
                |c| c.timeout = None,
                |c| c.retry_cnt = None,
                |c| c.rnr_retry = None,
                |c| c.max_rd_atomic = None,
            ],
        ),
    ];
    for (from, to, removals) in without {
        let whole = changes_to(&all_rights(), from, to, 1);
        let before = y.query();
        for remove in removals {
            let mut changes = whole.clone();
            remove(&mut changes);
            assert_eq!(y.attempt_set(to, &changes), Err(Reason::MissingAttribute));
            assert_eq!(y.query(), before, "nothing changed");
        }
        assert_eq!(y.attempt_set(to, &whole), DONE);
        assert_eq!(y.query().0, to);
    }
}

fn cf234_an_attribute_that_the_transition_does_not_take(y: &mut Bench) {
    y.create(&all_rights());
    let refused = |y: &mut Bench, to, changes: QpChanges| {
        let before = y.query();
        assert_eq!(y.attempt_set(to, &changes), Err(Reason::ForbiddenAttribute));
        assert_eq!(y.query(), before, "nothing changed");
    };
    let none = QpChanges::default;
    let timeout = || QpChanges {
        timeout: Some(1),
        ..none()
    };
    refused(y, Reset, timeout());
    refused(y, Error, timeout());
    let rq_psn = QpChanges {
        rq_psn: Some(5),
        ..changes_to(&all_rights(), Reset, Init, 1)
    };
    refused(y, Init, rq_psn);
    take_to(y, Rtr);
    let pmtu = QpChanges {
        pmtu: Some(hca_golden::verbs::Pmtu::B4096),
        ..changes_to(&all_rights(), Rtr, Rts, 1)
    };
    refused(y, Rts, pmtu);
    assert_eq!(y.attempt_move(Rts), DONE);
    refused(y, Rts, timeout());
    let drained = QpChanges {
        drained_event: true,
        ..none()
    };
    refused(y, Rts, drained);
    assert_eq!(y.attempt_move(Sqd), DONE);
    let dest_qpn = QpChanges {
        dest_qpn: Some(1),
        ..none()
    };
    refused(y, Sqd, dest_qpn);
}

fn cf234_a_value_outside_its_limits(y: &mut Bench) {
    y.create(&all_rights());
    let refused = |y: &mut Bench, from, to, change: &dyn Fn(&mut QpChanges)| {
        let before = y.query();
        let mut changes = changes_to(&all_rights(), from, to, 1);
        change(&mut changes);
        assert_eq!(y.attempt_set(to, &changes), Err(Reason::BadAttribute));
        assert_eq!(y.query(), before, "nothing changed");
    };
    // Of each, values that a single bit takes out of its limits.
    for index in (2..16).map(|bit| 1 << bit).chain([0xFFFF]) {
        refused(y, Reset, Init, &|c| c.p_key_index = Some(index));
    }
    for port in (0..8).map(|bit| 1 ^ 1 << bit) {
        refused(y, Reset, Init, &|c| c.port = Some(port));
    }
    take_to(y, Init);
    let too_deep = [17, 18, 20, 24, 32, 64, 128];
    for depth in too_deep {
        refused(y, Init, Rtr, &|c| c.max_dest_rd_atomic = Some(depth));
    }
    refused(y, Init, Rtr, &|c| c.min_rnr_timer = Some(32));
    refused(y, Init, Rtr, &|c| c.dest_qpn = Some(1 << 24));
    assert_eq!(y.attempt_move(Rtr), DONE);
    for depth in too_deep {
        refused(y, Rtr, Rts, &|c| c.max_rd_atomic = Some(depth));
    }
    refused(y, Rtr, Rts, &|c| c.rnr_retry = Some(8));
    let most = QpChanges {
        max_rd_atomic: Some(16),
        ..changes_to(&all_rights(), Rtr, Rts, 1)
    };
    assert_eq!(y.attempt_set(Rts, &most), DONE);
}

/// A query tells of each; of access and the RNR timer the responder goes by them.
fn cf234_what_is_optional_is_set(y: &mut Bench) {
    y.create(&all_rights());
    take_to(y, Init);
    let port = QpChanges {
        p_key_index: Some(2),
        port: Some(1),
        ..QpChanges::default()
    };
    assert_eq!(y.attempt_set(Init, &port), DONE);
    assert_eq!(y.query().1.p_key_index, Some(2));
    let credits = EndToEndCredits {
        supplied: false,
        expected: false,
    };
    let to_rtr = QpChanges {
        p_key_index: Some(0),
        credits: Some(credits),
        ..changes_to(&all_rights(), Init, Rtr, 1)
    };
    assert_eq!(y.attempt_set(Rtr, &to_rtr), DONE);
    assert_eq!(y.attempt_move(Rts), DONE);
    let access = RemoteAccess {
        read: true,
        ..RemoteAccess::default()
    };
    let in_rts = QpChanges {
        access: Some(access),
        min_rnr_timer: Some(5),
        ..QpChanges::default()
    };
    assert_eq!(y.attempt_set(Rts, &in_rts), DONE);
    let (state, standing) = y.query();
    assert_eq!(
        (state, standing.access, standing.min_rnr_timer),
        (Rts, Some(access), Some(5))
    );
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x25, 0)], "RNR NAK with the new timer");
    assert_eq!(y.attempt_move(Sqd), DONE);
    let in_sqd = QpChanges {
        timeout: Some(3),
        retry_cnt: Some(2),
        rnr_retry: Some(1),
        max_rd_atomic: Some(6),
        max_dest_rd_atomic: Some(7),
        min_rnr_timer: Some(3),
        ..QpChanges::default()
    };
    assert_eq!(y.attempt_set(Sqd, &in_sqd), DONE);
    let standing = y.query().1;
    assert_eq!(standing.timeout, Some(3));
    assert_eq!((standing.retry_cnt, standing.rnr_retry), (Some(2), Some(1)));
    assert_eq!(
        (standing.max_rd_atomic, standing.max_dest_rd_atomic),
        (Some(6), Some(7))
    );
    assert_eq!(y.attempt_move(Rts), DONE);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x23, 0)]);
}

/// FB31: PSNs start anew, MSN is 0, the queues are empty, and no attribute is left.
fn cf238_reset_restarts_everything(y: &mut Bench) {
    y.connect_with(|_| {});
    y.post_receive(1, 0, 64);
    y.post_receive(2, 0, 64);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    y.post(work(3, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    assert_eq!(y.completions().len(), 1);
    assert_eq!(y.attempt_move(Sqd), DONE);
    y.post(work(6, SEND, 8));
    assert_eq!(y.sent_rows(), [], "it waits");
    assert_eq!(y.attempt_move(Reset), DONE);
    assert_eq!(y.query(), (Reset, QpChanges::unset()));
    assert_eq!(y.attempt_move(Init), DONE);
    let without_address = QpChanges {
        address: None,
        ..changes_to(&all_rights(), Init, Rtr, 1)
    };
    let missing = Err(Reason::MissingAttribute);
    assert_eq!(y.attempt_set(Rtr, &without_address), missing);
    assert_eq!(y.attempt_move(Reset), DONE);
    y.enter_rts();
    assert_eq!(y.sent_rows(), [], "no send WQE is left");
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x2C, 0)], "no receive WQE is left");
    y.post_receive(4, 0, 64);
    y.receive(&[packet(0x04, 100, &[1; 8])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)], "MSN counts from 0");
    y.post(work(5, SEND, 8));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    y.receive(&[response(2000, 0x1F, 1)]);
    let ended: Vec<u64> = y.completions().iter().map(|c| c.0).collect();
    assert_eq!(ended, [4, 5]);
}
