//! The port of a queue pair and of an address handle (`link.md` section 8).
use super::{
    connections, datagrams, first, of_datagrams, second, second_peer, to_second, FIRST_HANDLE, FIRST_QPN,
    SECOND_HANDLE, SECOND_QPN,
};
use crate::bench::requester::SEND;
use crate::bench::two_ports::on_both_with_two_ports;
use crate::bench::verbs::DONE;
use crate::bench::Bench;
use crate::ud::{datagram, peer, success};
use hca_golden::modification::QpChanges;
use hca_golden::verbs::{AddressHandle, Datagram, QpAttributes, QpState, SendRequest, Status};
use hca_testbench::device::{Outcome, Reason, Verb};

on_both_with_two_ports!(
    a_device_says_how_many_ports_it_has,
    a_queue_pair_is_bound_to_one_of_the_ports,
    the_port_changes_in_init_alone,
    a_handle_is_of_one_of_the_ports,
    cf427_qp0_and_qp1_take_no_port,
    a_handle_of_the_other_port_ends_in_sqe,
    no_verb_is_of_a_third_port,
);

fn a_device_says_how_many_ports_it_has(y: &mut Bench) {
    match y.attempt(Verb::QueryHca) {
        Ok(Outcome::Hca(attributes)) => assert_eq!(attributes.ports, 2),
        other => panic!("{other:?}"),
    }
}

fn to_port(port: u8) -> QpChanges {
    QpChanges {
        port: Some(port),
        ..QpChanges::default()
    }
}

fn a_queue_pair_is_bound_to_one_of_the_ports(y: &mut Bench) {
    y.create(&first());
    let required = QpChanges {
        p_key_index: Some(0),
        access: Some(first().access),
        ..QpChanges::default()
    };
    for port in [0, 3, 255] {
        let changes = QpChanges {
            port: Some(port),
            ..required.clone()
        };
        assert_eq!(
            y.attempt_set(QpState::Init, &changes),
            Err(Reason::BadAttribute),
            "{port}"
        );
        assert_eq!(y.query().0, QpState::Reset);
    }
    for port in [1, 2] {
        y.modify(QpState::Reset);
        let changes = QpChanges {
            port: Some(port),
            ..required.clone()
        };
        assert_eq!(y.attempt_set(QpState::Init, &changes), DONE);
        assert_eq!(y.query().1.port, Some(port));
    }
}

fn the_port_changes_in_init_alone(y: &mut Bench) {
    let at_port_1 = QpAttributes { port: 1, ..second() };
    y.create(&at_port_1);
    y.modify(QpState::Init);
    assert_eq!(
        y.attempt_set(QpState::Init, &to_port(3)),
        Err(Reason::BadAttribute)
    );
    assert_eq!(y.attempt_set(QpState::Init, &to_port(2)), DONE);
    for state in [QpState::Rtr, QpState::Rts] {
        y.modify(state);
    }
    assert_eq!(y.query().1.port, Some(2));
    y.post_receive(70, 0, 64);
    y.arrive_at(2, &[to_second(0x04, 100, &[1; 4])]);
    let [of_first, of_second] = y.left();
    assert_eq!((of_first.len(), of_second.len()), (0, 1));
    assert_eq!(y.completions(), [success(70, 4)]);
    assert_eq!(
        y.attempt_set(QpState::Rts, &to_port(1)),
        Err(Reason::ForbiddenAttribute)
    );
}

fn a_handle_is_of_one_of_the_ports(y: &mut Bench) {
    let create = |port, handle| Verb::CreateAh {
        handle,
        attributes: AddressHandle { port, ..peer() },
    };
    for port in [0, 3, 255] {
        assert_eq!(y.attempt(create(port, 1)), Err(Reason::BadAttribute), "{port}");
    }
    for port in [1, 2] {
        let handle = port.into();
        assert_eq!(y.attempt(create(port, handle)), DONE);
        match y.attempt(Verb::QueryAh { handle }) {
            Ok(Outcome::Ah(attributes)) => assert_eq!(attributes.port, port),
            other => panic!("{other:?}"),
        }
    }
    let modify = Verb::ModifyAh {
        handle: 1,
        attributes: second_peer(),
    };
    assert_eq!(y.attempt(modify), DONE);
}

/// Their port is part of their QPN, and no other queue pair has an index of theirs.
fn cf427_qp0_and_qp1_take_no_port(y: &mut Bench) {
    let of = |qpn| QpAttributes {
        qpn,
        ..of_datagrams(first())
    };
    y.create(&of(0));
    for qpn in [0, 1, 2, 3] {
        if qpn != 0 {
            y.create_another(&of(qpn));
        }
        let required = QpChanges {
            p_key_index: Some(0),
            q_key: Some(0),
            ..QpChanges::default()
        };
        let with_port = QpChanges {
            port: Some(1 + qpn as u8 / 2),
            ..required.clone()
        };
        assert_eq!(
            y.attempt_set(QpState::Init, &with_port),
            Err(Reason::ForbiddenAttribute),
            "{qpn}"
        );
        assert_eq!(y.attempt_set(QpState::Init, &required), DONE);
    }
    // The first two indices are never those of others; the index of QPN 2 is taken.
    for (qpn, why) in [
        (0x1_0000, Reason::BadIndex),
        (0x1_0001, Reason::BadIndex),
        (0x1_0002, Reason::InUse),
    ] {
        let create = Verb::CreateQp {
            attributes: of(qpn),
            send_entries: 16,
            receive_entries: 16,
        };
        assert_eq!(y.attempt(create), Err(why), "{qpn:06X}h");
    }
    // Those of both ports may share their queues; others may not use them.
    let create = Verb::CreateQp {
        attributes: of(FIRST_QPN),
        send_entries: 16,
        receive_entries: 16,
    };
    assert_eq!(y.attempt(create), Err(Reason::CqReserved));
}

/// `ud.md` section 2 step 2.
fn a_handle_of_the_other_port_ends_in_sqe(y: &mut Bench) {
    datagrams(y, 0);
    for (qpn, handle) in [(FIRST_QPN, SECOND_HANDLE), (SECOND_QPN, FIRST_HANDLE)] {
        let of_handle = datagram(1, SEND, 4).datagram.map(|d| Datagram { handle, ..d });
        y.turn_to(qpn);
        y.post(SendRequest {
            datagram: of_handle,
            ..datagram(1, SEND, 4)
        });
        assert_eq!(y.left(), [vec![], vec![]]);
        assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0)]);
        assert_eq!(y.state(), QpState::Sqe);
    }
}

fn no_verb_is_of_a_third_port(y: &mut Bench) {
    connections(y, 0);
    for port in [0, 3] {
        let verb = Verb::SetLid { lid: 9, lmc: 0 }.on_port(port);
        assert_eq!(y.attempt(verb), Err(Reason::BadAttribute), "{port}");
    }
}
