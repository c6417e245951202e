//! `scenario_seed001.md` section 1: the order of its table is one that the model permits, event by event.

use super::pair::*;
use hca_golden::event::Event;
use hca_golden::verbs::*;
use hca_golden::wire::aeth::Aeth;
use hca_golden::wire::packet::Packet;

/// Sender, opcode, PSN, payload bytes, PadCnt, A, PktLen and, of an ack, syndrome and MSN.
type Row = (char, u8, u32, usize, u8, bool, u16, Option<(u8, u32)>);

const TRACE: [Row; 6] = [
    ('X', 0x00, 100, 2048, 0, true, 518, None),
    ('Y', 0x11, 100, 0, 0, false, 7, Some((0x1F, 0))),
    ('X', 0x01, 101, 2048, 0, false, 518, None),
    ('Y', 0x11, 101, 0, 0, false, 7, Some((0x1F, 0))),
    ('X', 0x02, 102, 1024, 0, true, 262, None),
    ('Y', 0x11, 102, 0, 0, false, 7, Some((0x1F, 1))),
];

fn row(from: char, p: &Packet) -> Row {
    let aeth = p.aeth().map(|Aeth { syndrome, msn }| (syndrome, msn));
    let b = &p.bth;
    (
        from,
        b.opcode,
        b.psn,
        p.payload.len(),
        b.pad_cnt,
        b.a,
        p.lrh().unwrap().pkt_len,
        aeth,
    )
}

fn posted() -> Pair {
    let mut pair = Pair::new(&x_attributes(), &y_attributes());
    pair.x.memory_mut().write(MESSAGE_AT, &message(5120));
    pair.y
        .post_receive(Y_QPN, receive(77, &[sge(BUFFER_AT, 5120)]))
        .unwrap();
    pair.x
        .post_send(X_QPN, send(55, &[sge(MESSAGE_AT, 5120)]))
        .unwrap();
    pair
}

fn check_completions(pair: &mut Pair) {
    let of_y = pair.y.poll_cq(CQN).unwrap();
    let expected = Completion {
        wr_id: 77,
        status: Status::Success,
        qpn: Y_QPN,
        operation: CompletedOperation::Receive,
        byte_count: 5120,
        immediate: None,
        invalidated: None,
        p_key_index: None,
        datagram: None,
    };
    assert_eq!(of_y, expected);
    let of_x = pair.x.poll_cq(CQN).unwrap();
    assert_eq!(
        (of_x.wr_id, of_x.status, of_x.qpn, of_x.operation),
        (55, Status::Success, X_QPN, CompletedOperation::Send)
    );
    assert_eq!((pair.x.poll_cq(CQN), pair.y.poll_cq(CQN)), (None, None));
}

/// The table's own order, event by event, with what each side knows after each step.
#[test]
fn step_by_step() {
    let mut pair = posted();
    let Pair { x, y, .. } = &mut pair;
    let send_side = QueueSide::Send;
    x.apply(&Event::Doorbell {
        qpn: X_QPN,
        side: send_side,
        producer: 1,
    })
    .unwrap();
    x.apply(&Event::WqeFetched {
        qpn: X_QPN,
        side: send_side,
        index: 0,
    })
    .unwrap();
    y.apply(&Event::Doorbell {
        qpn: Y_QPN,
        side: QueueSide::Receive,
        producer: 1,
    })
    .unwrap();
    for (n, psn) in [100, 101, 102].into_iter().enumerate() {
        let request = transmitted(x, Event::RequestEmitted { qpn: X_QPN, psn });
        assert_eq!(row('X', &decoded(&request)), TRACE[2 * n]);
        assert_eq!(x.query(X_QPN).unwrap().next_psn, psn + 1);

        let packet = y.receive(1, &request);
        if n == 0 {
            y.apply(&Event::WqeFetched {
                qpn: Y_QPN,
                side: QueueSide::Receive,
                index: 0,
            })
            .unwrap();
        }
        y.apply(&Event::RequestExecuted {
            packet,
            qpn: Y_QPN,
            psn,
        })
        .unwrap();
        let status = y.query(Y_QPN).unwrap();
        assert_eq!(
            (status.expected_psn, status.msn),
            (psn + 1, u32::from(psn == 102))
        );

        let ack = transmitted(
            y,
            Event::AckEmitted {
                qpn: Y_QPN,
                psn,
                syndrome: 0x1F,
            },
        );
        assert_eq!(row('Y', &decoded(&ack)), TRACE[2 * n + 1]);
        let packet = x.receive(1, &ack);
        x.apply(&Event::ResponseAccepted {
            packet,
            qpn: X_QPN,
            psn,
            syndrome: 0x1F,
        })
        .unwrap();
        assert_eq!(x.query(X_QPN).unwrap().unacknowledged_psn, psn + 1);
    }
    y.apply(&Event::CompletionWritten {
        cqn: CQN,
        qpn: Y_QPN,
        side: QueueSide::Receive,
        index: 0,
        status: Status::Success,
    })
    .unwrap();
    x.apply(&Event::CompletionWritten {
        cqn: CQN,
        qpn: X_QPN,
        side: QueueSide::Send,
        index: 0,
        status: Status::Success,
    })
    .unwrap();
    assert!(x.idle() && y.idle());
    check_completions(&mut pair);
}
