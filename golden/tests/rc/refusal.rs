//! Verbs that the model refuses, and why (`qp_cq.md`).
use super::case::{requester, requester_with, work, FETCH_ADD, READ, SEND, TARGET, WRITE};
use super::pair::*;
use hca_golden::hca::{changes_to, Hca};
use hca_golden::modification::{Attribute, QpChanges};
use hca_golden::port::PortConfig;
use hca_golden::refusal::VerbError;
use hca_golden::verbs::*;
use QpState::*;

const COMPARE_SWAP: SendOperation = SendOperation::CompareSwap {
    va: TARGET,
    r_key: R_KEY,
    compare: 1,
    swap: 2,
};

fn in_state(state: QpState) -> Hca {
    let path: &[QpState] = match state {
        Reset => &[],
        Init => &[Init],
        Rtr => &[Init, Rtr],
        Rts => &[Init, Rtr, Rts],
        Sqd => &[Init, Rtr, Rts, Sqd],
        Error => &[Error],
        Sqe => panic!("an RC QP is never in Sqe"),
    };
    let mut x = Hca::new(PortConfig {
        lid: X_LID,
        lmc: 0,
        ..PortConfig::default()
    });
    x.create_cq(CQN, 8).unwrap();
    x.reg_mr(all_memory()).unwrap();
    x.create_qp(&x_attributes()).unwrap();
    for &s in path {
        x.move_qp(&x_attributes(), s).unwrap();
    }
    x
}

/// CF022, CF234, CF246.
#[test]
fn verbs_that_are_refused() {
    let mut x = in_state(Rts);
    assert_eq!(x.create_cq(1, 0), Err(VerbError::CqSize(0)));
    assert_eq!(x.create_cq(1, 32769), Err(VerbError::CqSize(32769)));
    assert_eq!(x.create_cq(CQN, 1), Err(VerbError::CqExists(CQN)));
    let exists = VerbError::QpExists {
        qpn: X_QPN,
        other: X_QPN,
    };
    assert_eq!(x.create_qp(&x_attributes()), Err(exists));
    assert_eq!(x.query(9), Err(VerbError::UnknownQp(9)));
    assert_eq!(x.post_send(9, send(1, &[])), Err(VerbError::UnknownQp(9)));
    assert_eq!(x.poll_cq(9), None);
    let gib = sge(0, 1 << 30);
    let too_long = sge(0, 1);
    assert!(x.post_send(X_QPN, send(1, &[gib, gib])).is_ok());
    assert_eq!(
        x.post_send(X_QPN, send(1, &[gib, gib, too_long])),
        Err(VerbError::MessageTooLong((1 << 31) + 1))
    );
    let with = |change: fn(&mut QpAttributes)| {
        let mut a = x_attributes();
        a.qpn = 0x99;
        change(&mut a);
        a
    };
    let rd = with(|a| a.service = Service::Rd);
    assert_eq!(x.create_qp(&rd), Err(VerbError::Service(Service::Rd)));
    let no_cq = with(|a| a.send_cq = 7);
    assert_eq!(x.create_qp(&no_cq), Err(VerbError::UnknownCq(7)));
}

/// CF234: the state and the attributes stay as they were.
#[test]
fn attributes_that_are_refused() {
    let mut x = in_state(Init);
    let whole = changes_to(&x_attributes(), Init, Rtr, 1);
    let before = x.query_qp(X_QPN);
    let mut refusal = |change: fn(&mut QpChanges)| {
        let mut changes = whole.clone();
        change(&mut changes);
        let refusal = x.modify_qp(X_QPN, Rtr, &changes).unwrap_err();
        assert_eq!(x.query_qp(X_QPN), before);
        refusal
    };
    let missing = |attribute| VerbError::Missing {
        qpn: X_QPN,
        attribute,
    };
    assert_eq!(refusal(|c| c.address = None), missing(Attribute::Address));
    assert_eq!(refusal(|c| c.pmtu = None), missing(Attribute::Pmtu));
    assert_eq!(
        refusal(|c| c.min_rnr_timer = None),
        missing(Attribute::MinRnrTimer)
    );
    let forbidden = VerbError::Forbidden {
        qpn: X_QPN,
        attribute: Attribute::Timeout,
    };
    assert_eq!(refusal(|c| c.timeout = Some(1)), forbidden);
    let mut name = |change: fn(&mut QpChanges)| match refusal(change) {
        VerbError::Attribute { name, .. } => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(|c| c.dest_qpn = Some(1 << 24)), "dest_qpn");
    assert_eq!(name(|c| c.max_dest_rd_atomic = Some(17)), "max_dest_rd_atomic");
    assert_eq!(name(|c| c.p_key_index = Some(4)), "p_key_index");
    assert_eq!(name(|c| c.address.as_mut().unwrap().dlid = 0), "dlid");
    assert_eq!(name(|c| c.address.as_mut().unwrap().dlid = 0xC000), "dlid");
    assert_eq!(name(|c| c.address.as_mut().unwrap().sl = 16), "sl");
    assert_eq!(
        name(|c| c.address.as_mut().unwrap().source_path_bits = 1),
        "source_path_bits"
    );
    let mut x = in_state(Rtr);
    let changes = QpChanges {
        rnr_retry: Some(8),
        ..changes_to(&x_attributes(), Rtr, Rts, 1)
    };
    let refused = x.modify_qp(X_QPN, Rts, &changes);
    assert!(matches!(
        refused,
        Err(VerbError::Attribute {
            name: "rnr_retry",
            ..
        })
    ));
}

#[test]
fn messages_of_more_than_2_to_31_bytes() {
    let mut x = requester();
    let gib = sge(0, 1 << 30);
    for operation in [SEND, WRITE, READ] {
        let of = |sges: &[Sge]| SendRequest {
            operation,
            ..send(1, sges)
        };
        assert!(x.post_send(X_QPN, of(&[gib, gib])).is_ok());
        assert_eq!(
            x.post_send(X_QPN, of(&[gib, gib, sge(0, 1)])),
            Err(VerbError::MessageTooLong((1 << 31) + 1))
        );
    }
}

#[test]
fn more_sges_than_the_device_takes() {
    let mut x = requester();
    let many = |n| vec![sge(0, 1); n];
    assert!(x.post_send(X_QPN, send(1, &many(32))).is_ok());
    let refusal = VerbError::TooManySges { count: 33, limit: 32 };
    assert_eq!(x.post_send(X_QPN, send(1, &many(33))), Err(refusal.clone()));
    assert_eq!(x.post_receive(X_QPN, receive(1, &many(33))), Err(refusal));
}

#[test]
fn sges_of_an_atomic() {
    let mut x = requester();
    let sges: [&[Sge]; 4] = [&[], &[sge(8, 7)], &[sge(4, 8)], &[sge(8, 4), sge(16, 4)]];
    for operation in [COMPARE_SWAP, FETCH_ADD] {
        for sges in sges {
            let request = SendRequest {
                operation,
                ..send(1, sges)
            };
            assert_eq!(x.post_send(X_QPN, request), Err(VerbError::AtomicSge));
        }
    }
}

#[test]
fn work_requests_that_are_refused() {
    let mut x = requester_with(|a| a.max_rd_atomic = 0);
    for operation in [READ, FETCH_ADD] {
        let refusal = Err(VerbError::NoReadDepth(X_QPN));
        assert_eq!(x.post_send(X_QPN, work(1, operation, 8)), refusal);
    }
    let inline = true;
    for (operation, length) in [(READ, 8), (SEND, 513)] {
        let request = SendRequest {
            inline,
            ..work(1, operation, length)
        };
        let refusal = x.post_send(X_QPN, request).unwrap_err();
        assert!(
            matches!(refusal, VerbError::Inline { limit: 512, .. }),
            "{refusal}"
        );
    }
}
