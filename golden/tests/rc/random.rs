//! Properties over random traffic, random timing and random events.
use super::pair::*;
use hca_golden::event::{DropReason, Event, RewindCause};
use hca_golden::hca::{Hca, Output};
use hca_golden::verbs::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Applies the `pick`th choice, doorbells before all else; what it transmits. False if there is no choice.
fn act(hca: &mut Hca, pick: usize, to: &mut Hca) -> bool {
    let choices = hca.choices();
    let doorbell = choices.iter().find(|e| matches!(e, Event::Doorbell { .. }));
    let Some(event) = doorbell.or_else(|| choices.get(pick % choices.len().max(1))) else {
        return false;
    };
    for output in hca.apply(event).unwrap() {
        if let Output::Transmit { bytes, .. } = output {
            to.receive(1, &bytes);
        }
    }
    true
}

fn pmtu() -> impl Strategy<Value = Pmtu> {
    prop::sample::select(vec![
        Pmtu::B256,
        Pmtu::B512,
        Pmtu::B1024,
        Pmtu::B2048,
        Pmtu::B4096,
    ])
}

fn any_event() -> impl Strategy<Value = Event> {
    let small = || 0..4_u32;
    let qpn = || prop::sample::select(vec![Y_QPN, Y_QPN, Y_QPN, 9]);
    let psn = || prop_oneof![98..104_u32, any::<u32>()];
    let side = || prop::sample::select(vec![QueueSide::Send, QueueSide::Receive]);
    let syndrome = || prop::sample::select(vec![0x1F, 0x2C, 0x60, 0x61, 0x62, 0x00, 0xFF]);
    let reason = prop::sample::select(vec![
        DropReason::Vcrc,
        DropReason::Length,
        DropReason::NakOutstanding,
        DropReason::QpState,
        DropReason::GhostResponse,
        DropReason::DuplicateResponse,
    ]);
    let status = prop::sample::select(vec![Status::Success, Status::LocLenErr, Status::RemInvReqErr]);
    let cause = prop::sample::select(vec![RewindCause::SequenceNak, RewindCause::AckTimeout]);
    let state = prop::sample::select(vec![QpState::Error, QpState::Rts]);
    prop_oneof![
        (qpn(), side(), 0..4_u16).prop_map(|(qpn, side, producer)| Event::Doorbell { qpn, side, producer }),
        (qpn(), side(), 0..4_u16).prop_map(|(qpn, side, index)| Event::WqeFetched { qpn, side, index }),
        (small(), qpn(), psn()).prop_map(|(packet, qpn, psn)| Event::RequestExecuted { packet, qpn, psn }),
        (small(), qpn(), psn()).prop_map(|(packet, qpn, psn)| Event::DuplicateRequest { packet, qpn, psn }),
        (small(), qpn(), psn(), syndrome()).prop_map(|(packet, qpn, psn, syndrome)| Event::RequestRefused {
            packet,
            qpn,
            psn,
            syndrome
        }),
        (small(), qpn(), psn(), syndrome()).prop_map(|(packet, qpn, psn, syndrome)| {
            Event::ResponseAccepted {
                packet,
                qpn,
                psn,
                syndrome,
            }
        }),
        (small(), reason).prop_map(|(packet, reason)| Event::PacketDropped { packet, reason }),
        (qpn(), psn()).prop_map(|(qpn, psn)| Event::RequestEmitted { qpn, psn }),
        (qpn(), psn(), syndrome()).prop_map(|(qpn, psn, syndrome)| Event::AckEmitted { qpn, psn, syndrome }),
        (qpn(), psn()).prop_map(|(qpn, psn)| Event::ReadFetched { qpn, psn }),
        (qpn(), psn()).prop_map(|(qpn, psn)| Event::UnsolicitedAck { qpn, psn }),
        (qpn(), psn(), syndrome()).prop_map(|(qpn, psn, syndrome)| Event::ReadResponseEmitted {
            qpn,
            psn,
            syndrome
        }),
        (qpn(), psn(), syndrome()).prop_map(|(qpn, psn, syndrome)| Event::AtomicAckEmitted {
            qpn,
            psn,
            syndrome
        }),
        (qpn(), psn(), syndrome()).prop_map(|(qpn, psn, syndrome)| Event::ReadRefused { qpn, psn, syndrome }),
        (qpn(), psn()).prop_map(|(qpn, psn)| Event::ReplayDropped { qpn, psn }),
        (qpn(), psn()).prop_map(|(qpn, psn)| Event::AckTimerExpired { qpn, psn }),
        (qpn(), psn(), cause).prop_map(|(qpn, psn, cause)| Event::Rewound { qpn, psn, cause }),
        (qpn(), 0..4_u16, status.clone()).prop_map(|(qpn, index, status)| Event::SendRefused {
            qpn,
            index,
            status
        }),
        (qpn(), side(), 0..4_u16, status).prop_map(|(qpn, side, index, status)| {
            let cqn = CQN;
            Event::CompletionWritten {
                cqn,
                qpn,
                side,
                index,
                status,
            }
        }),
        (qpn(), state).prop_map(|(qpn, state)| Event::StateChanged { qpn, state }),
    ]
}

/// The same cases on every machine.
fn seeded() -> ProptestConfig {
    ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(seeded())]

    /// Whatever order the devices choose, coalesced acks included, every message arrives and completes in order.
    #[test]
    fn every_message_arrives(
        pmtu in pmtu(),
        sq_psn in prop_oneof![0xFF_FFF0..=0xFF_FFFF_u32, 0..=0xFF_FFFF_u32],
        lengths in prop::collection::vec(0..10_000_u32, 1..6),
        picks in prop::collection::vec(0..16_usize, 1..300),
    ) {
        let x = QpAttributes { pmtu, sq_psn, ..x_attributes() };
        let y = QpAttributes { pmtu, rq_psn: sq_psn, ..y_attributes() };
        let mut pair = Pair::new(&x, &y);
        let mut at = 0;
        for (n, &length) in (0..).zip(&lengths) {
            pair.x.memory_mut().write(MESSAGE_AT + at, &message(length as usize));
            pair.x.post_send(X_QPN, send(n, &[sge(MESSAGE_AT + at, length)])).unwrap();
            pair.y.post_receive(Y_QPN, receive(n, &[sge(BUFFER_AT + at, length)])).unwrap();
            at += u64::from(length);
        }
        // Y's doorbells are seen before anything arrives.
        act(&mut pair.y, 0, &mut pair.x);
        let mut picks = picks.into_iter().cycle();
        loop {
            let pick = picks.next().unwrap();
            let (first, second) = if pick % 2 == 0 {
                (&mut pair.x, &mut pair.y)
            } else {
                (&mut pair.y, &mut pair.x)
            };
            if !act(first, pick, second) && !act(second, pick, first) {
                break;
            }
        }
        prop_assert_eq!((pair.x.due(), pair.y.due()), (vec![], vec![]));
        let sent = pair.x.memory().read(MESSAGE_AT, at as usize);
        prop_assert_eq!(pair.y.memory().read(BUFFER_AT, at as usize), sent);
        let success = |byte_count: &dyn Fn(u32) -> u32| -> Vec<_> {
            (0..).zip(&lengths).map(|(n, &l)| (n, Status::Success, byte_count(l))).collect()
        };
        prop_assert_eq!(completions(&mut pair.x), success(&|_| 0));
        prop_assert_eq!(completions(&mut pair.y), success(&|l| l));
    }

    /// No event makes the model panic, and a refused one changes nothing.
    #[test]
    fn no_event_panics(events in prop::collection::vec(any_event(), 0..60), psns in prop::collection::vec(98..103_u32, 4)) {
        let mut y = connected(Y_LID, &y_attributes());
        y.post_receive(Y_QPN, receive(1, &[sge(BUFFER_AT, 8)])).unwrap();
        y.post_send(Y_QPN, send(1, &[sge(MESSAGE_AT, 5000)])).unwrap();
        for (psn, opcode) in psns.into_iter().zip([0x04, 0x0C, 0x04, 0x14]) {
            y.receive(1, &request(opcode, psn, &[1; 8]).encode().unwrap());
        }
        for event in events {
            let before = (y.choices(), y.due(), y.query(Y_QPN));
            if y.apply(&event).is_err() {
                prop_assert_eq!((y.choices(), y.due(), y.query(Y_QPN)), before);
            }
        }
    }
}
