//! `qp_cq.md`: states, transitions, verbs that are refused.
use super::pair::*;
use hca_golden::event::DropReason;
use hca_golden::hca::{changes_to, Hca};
use hca_golden::modification::{Attribute, QpChanges};
use hca_golden::port::PortConfig;
use hca_golden::refusal::VerbError;
use hca_golden::verbs::*;
use hca_golden::wire::packet::Packet;
use QpState::*;

const STATES: [QpState; 7] = [Reset, Init, Rtr, Rts, Sqd, Sqe, Error];

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

/// CF233: by row the state before, by column the state asked for.
#[test]
fn transitions() {
    let legal = [
        (Reset, "Reset Init Error"),
        (Init, "Reset Init Rtr Error"),
        (Rtr, "Reset Rts Error"),
        (Rts, "Reset Rts Sqd Error"),
        (Sqd, "Reset Rts Sqd Error"),
        (Error, "Reset Error"),
    ];
    for (from, targets) in legal {
        for to in STATES {
            let mut x = in_state(from);
            let expected = if targets.split(' ').any(|t| t == format!("{to:?}")) {
                Ok(())
            } else {
                Err(VerbError::Transition { qpn: X_QPN, from, to })
            };
            assert_eq!(x.move_qp(&x_attributes(), to), expected);
            let after = if expected.is_ok() { to } else { from };
            assert_eq!(x.query(X_QPN).unwrap().state, after);
        }
    }
}

/// CF235, CF236, CF237, CF241.
#[test]
fn states_that_take_work_requests() {
    for state in [Reset, Init, Rtr, Rts, Sqd, Error] {
        let mut x = in_state(state);
        let refused = Err(VerbError::State { qpn: X_QPN, state });
        let sends = matches!(state, Rts | Sqd | Error);
        assert_eq!(
            x.post_send(X_QPN, send(1, &[])),
            if sends { Ok(0) } else { refused.clone() }
        );
        let receives = state != Reset;
        assert_eq!(
            x.post_receive(X_QPN, receive(1, &[])),
            if receives { Ok(0) } else { refused }
        );
    }
}

/// CF238.
#[test]
fn reset_starts_over() {
    let mut pair = Pair::new(&x_attributes(), &y_attributes());
    pair.y.post_receive(Y_QPN, receive(1, &[])).unwrap();
    pair.x.post_send(X_QPN, send(1, &[])).unwrap();
    pair.run();
    for state in [Reset, Init, Rtr, Rts] {
        pair.x.move_qp(&x_attributes(), state).unwrap();
        pair.y.move_qp(&y_attributes(), state).unwrap();
    }
    let (x, y) = (pair.x.query(X_QPN).unwrap(), pair.y.query(Y_QPN).unwrap());
    assert_eq!(
        (x.next_psn, x.unacknowledged_psn, y.expected_psn, y.msn),
        (100, 100, 100, 0)
    );
    assert_eq!(pair.x.post_send(X_QPN, send(2, &[])), Ok(0));
}

/// A message under way goes on, the next one waits; software is told once when all that was started is complete.
#[test]
fn cf239_a_draining_queue_finishes_what_it_started() {
    let drained = Some(AsyncEvent::SendQueueDrained { qpn: X_QPN });
    let mut x = in_state(Rts);
    x.post_send(X_QPN, send(1, &[sge(0, 4096)])).unwrap();
    x.post_send(X_QPN, send(2, &[])).unwrap();
    for _ in 0..3 {
        let event = x.choices()[0];
        x.apply(&event).unwrap();
    }
    assert_eq!(x.query(X_QPN).unwrap().next_psn, 101);
    let changes = QpChanges {
        drained_event: true,
        ..QpChanges::default()
    };
    x.modify_qp(X_QPN, Sqd, &changes).unwrap();
    let psns = |packets: &[Packet]| packets.iter().map(|p| p.bth.psn).collect::<Vec<_>>();
    let (packets, _) = settle(&mut x);
    assert_eq!((psns(&packets), x.poll_async()), (vec![101], None));
    // It is sent again where it must be.
    x.receive(&response(101, 0x60, 0).encode().unwrap());
    let (packets, _) = settle(&mut x);
    assert_eq!((psns(&packets), x.poll_async()), (vec![101], None));
    x.receive(&response(101, 0x1F, 1).encode().unwrap());
    let (packets, _) = settle(&mut x);
    assert_eq!((psns(&packets), x.poll_async()), (vec![], drained));
    assert_eq!(
        (completions(&mut x), x.poll_async()),
        (vec![(1, Status::Success, 0)], None)
    );
    x.move_qp(&x_attributes(), Rts).unwrap();
    let (packets, _) = settle(&mut x);
    assert_eq!(psns(&packets), [102]);
    let mut idle = in_state(Rts);
    idle.modify_qp(X_QPN, Sqd, &changes).unwrap();
    assert_eq!((idle.poll_async(), idle.poll_async()), (drained, None));
    assert_eq!(in_state(Sqd).poll_async(), None, "nobody asked");
}

/// The first Send is under way, the second is not announced when the verb comes.
#[test]
fn cf240_entering_error_flushes_both_queues_in_order() {
    let mut x = in_state(Rts);
    x.post_send(X_QPN, send(1, &[])).unwrap();
    x.post_receive(X_QPN, receive(11, &[])).unwrap();
    settle(&mut x);
    x.post_send(X_QPN, send(2, &[])).unwrap();
    x.post_receive(X_QPN, receive(12, &[])).unwrap();
    x.move_qp(&x_attributes(), Error).unwrap();
    settle(&mut x);
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for (wr_id, status, _) in completions(&mut x) {
        assert_eq!(status, Status::WrFlushErr);
        if wr_id < 10 { &mut sends } else { &mut receives }.push(wr_id);
    }
    assert_eq!((sends, receives), (vec![1, 2], vec![11, 12]));
}

#[test]
fn cf241_what_is_posted_in_error_is_flushed() {
    let mut x = in_state(Error);
    x.post_send(X_QPN, send(1, &[])).unwrap();
    x.post_receive(X_QPN, receive(2, &[])).unwrap();
    settle(&mut x);
    let mut flushed = completions(&mut x);
    flushed.sort_unstable_by_key(|c| c.0);
    assert_eq!(flushed, [(1, Status::WrFlushErr, 0), (2, Status::WrFlushErr, 0)]);
    assert!(x.idle());
}

/// FB31.
#[test]
fn nothing_survives_destroy_and_create() {
    let mut x = in_state(Rts);
    x.post_send(X_QPN, send(1, &[])).unwrap();
    settle(&mut x);
    x.destroy_qp(X_QPN).unwrap();
    let late = response(100, 0x1F, 1).encode().unwrap();
    assert_eq!(drop_reason(&mut x, &late), DropReason::DestQp);
    x.create_qp(&x_attributes()).unwrap();
    for state in [Init, Rtr, Rts] {
        x.move_qp(&x_attributes(), state).unwrap();
    }
    assert_eq!(drop_reason(&mut x, &late), DropReason::GhostResponse);
    assert_eq!(
        (x.query(X_QPN).unwrap().next_psn, completions(&mut x)),
        (100, vec![])
    );
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
    let ud = with(|a| a.service = Service::Ud);
    assert_eq!(x.create_qp(&ud), Err(VerbError::Service(Service::Ud)));
    let no_cq = with(|a| a.send_cq = 7);
    assert_eq!(x.create_qp(&no_cq), Err(VerbError::UnknownCq(7)));
}

/// CF234: the state and the attributes stay as they were.
#[test]
fn attributes_that_are_refused() {
    let mut x = in_state(Init);
    let whole = changes_to(&x_attributes(), Init, Rtr);
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
        ..changes_to(&x_attributes(), Rtr, Rts)
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
