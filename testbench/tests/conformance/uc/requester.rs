//! CF210, CF217, CF287 to CF296, CF309: what a UC queue pair sends, and what its work comes to (`uc.md` section 2).
use super::{attributes, modify, packet, FIRST_PSN};
use crate::bench::requester::{
    source_byte, work, COMPARE_SWAP, FETCH_ADD, IMMEDIATE, READ, R_KEY, SEND, TARGET, WRITE,
    WRITE_WITH_IMMEDIATE,
};
use crate::bench::verbs::DONE;
use crate::bench::{on_both, Bench, QPN, SOURCE};
use hca_golden::verbs::{CompletedOperation, Defect, QpState, SendOperation, SendRequest, Sge, Status};
use hca_golden::wire::reth::Reth;
use hca_testbench::device::Verb;
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf210_work_completes_once_its_last_packet_has_left,
    cf210_what_is_on_its_way_when_the_qp_fails_completes,
    cf287_cf288_cf289_packets_and_their_psns,
    cf309_the_shortest_packets,
    cf290_operations_that_uc_has_not_end_in_sqe,
    cf291_a_message_that_is_too_long_ends_in_sqe,
    cf022_cf291_2_to_the_31_bytes_are_not_too_long,
    cf217_cf292_cf293_a_key_that_fails_in_the_middle,
    cf217_host_memory_that_fails_stops_the_send_queue_alone,
    cf294_sqe_flushes_what_is_sent_and_receives_on,
    cf295_sqe_to_rts_sends_again,
    cf217_cf296_an_error_in_sqd_ends_in_sqe,
);

/// An SGE that no region covers.
fn bad_sge(length: u32) -> Sge {
    Sge {
        addr: SOURCE,
        length,
        l_key: 0x7777_7777,
    }
}

fn good_sge(length: u32) -> Sge {
    Sge {
        addr: SOURCE,
        length,
        l_key: L_KEY,
    }
}

fn flushed(wr_id: u64) -> (u64, Status, u32) {
    (wr_id, Status::WrFlushErr, 0)
}

/// The peer says nothing at all. An unsignaled one makes no completion.
fn cf210_work_completes_once_its_last_packet_has_left(y: &mut Bench) {
    y.connect_unreliably();
    for (wr_id, operation, length, signaled) in [
        (1, SEND, 600, true),
        (2, SEND, 4, false),
        (3, WRITE, 3, true),
        (4, WRITE_WITH_IMMEDIATE, 0, true),
    ] {
        y.post(SendRequest {
            signaled,
            ..work(wr_id, operation, length)
        });
    }
    let sent = y.sent_rows();
    assert_eq!(
        sent,
        [
            (0x20, 0xFF_FFFE),
            (0x21, 0xFF_FFFF),
            (0x22, 0),
            (0x24, 1),
            (0x2A, 2),
            (0x2B, 3)
        ]
    );
    let told: Vec<_> = y
        .taken()
        .iter()
        .map(|c| (c.wr_id, c.status, c.operation))
        .collect();
    assert_eq!(
        told,
        [
            (1, Status::Success, CompletedOperation::Send),
            (3, Status::Success, CompletedOperation::Write),
            (4, Status::Success, CompletedOperation::Write),
        ]
    );
}

/// Each message whose last packet leaves succeeds, before or after the QP went to Error; the others are flushed behind
/// them.
fn cf210_what_is_on_its_way_when_the_qp_fails_completes(y: &mut Bench) {
    y.connect_unreliably();
    for wr_id in 1..=16 {
        y.submit(Verb::PostSend {
            qpn: QPN,
            request: work(wr_id, SEND, 1500),
        });
    }
    let mut sent = Vec::new();
    while sent.len() < 20 {
        y.run_cycles(1);
        sent.extend(y.sound_packets());
    }
    assert_eq!(y.attempt(modify(QPN, QpState::Error)), DONE);
    y.settle();
    sent.extend(y.sound_packets());
    let whole = sent
        .iter()
        .flatten()
        .filter(|(opcode, _)| *opcode == 0x22)
        .count() as u64;
    assert!((3..16).contains(&whole), "{whole} left");
    let expected = (1..=16).map(|wr_id| match wr_id <= whole {
        true => (wr_id, Status::Success, 0),
        false => flushed(wr_id),
    });
    assert_eq!(y.completions(), expected.collect::<Vec<_>>());
}

/// Lengths around the PMTU; SE only where it was asked for, in the last packet of a Send or of a Write with immediate;
/// the RETH in the first packet, the immediate data in the last.
fn cf287_cf288_cf289_packets_and_their_psns(y: &mut Bench) {
    y.connect_unreliably();
    let mut psn = FIRST_PSN;
    for (length, parts) in [
        (0, vec![0]),
        (1, vec![1]),
        (256, vec![256]),
        (257, vec![256, 1]),
        (768, vec![256, 256, 256]),
    ] {
        for (operation, [only, first, middle, last], solicits) in [
            (SEND, [0x24, 0x20, 0x21, 0x22], true),
            (
                SendOperation::SendWithImmediate { immediate: IMMEDIATE },
                [0x25, 0x20, 0x21, 0x23],
                true,
            ),
            (WRITE, [0x2A, 0x26, 0x27, 0x28], false),
            (WRITE_WITH_IMMEDIATE, [0x2B, 0x26, 0x27, 0x29], true),
        ] {
            y.post(SendRequest {
                solicited: true,
                ..work(1, operation, length)
            });
            let sent = y.sent();
            assert_eq!(sent.len(), parts.len(), "{operation:?} of {length} bytes");
            let mut offset = 0;
            for (n, (packet, &part)) in sent.iter().zip(&parts).enumerate() {
                let (begins, ends) = (n == 0, n + 1 == parts.len());
                let opcode = match (begins, ends) {
                    (true, true) => only,
                    (true, false) => first,
                    (false, false) => middle,
                    (false, true) => last,
                };
                let bth = &packet.bth;
                assert_eq!((bth.opcode, bth.psn, bth.a), (opcode, psn, false));
                assert_eq!(bth.se, ends && solicits, "{operation:?}");
                let expected: Vec<u8> = (offset..offset + part).map(source_byte).collect();
                assert_eq!(packet.payload, expected);
                let is_write = matches!(opcode, 0x26..=0x2B);
                let reth = (begins && is_write).then_some(Reth {
                    va: TARGET,
                    r_key: R_KEY,
                    dma_len: length,
                });
                assert_eq!(packet.reth(), reth);
                let tells = ends && matches!(opcode, 0x23 | 0x25 | 0x29 | 0x2B);
                assert_eq!(packet.immediate(), tells.then_some(IMMEDIATE));
                offset += part;
                psn = (psn + 1) & 0xFF_FFFF;
            }
            assert_eq!(y.completions(), [(1, Status::Success, 0)]);
        }
    }
}

fn cf309_the_shortest_packets(y: &mut Bench) {
    y.connect_unreliably();
    for (operation, words) in [
        (SEND, 6),
        (SendOperation::SendWithImmediate { immediate: IMMEDIATE }, 7),
        (WRITE, 10),
    ] {
        y.post(work(1, operation, 0));
        let lengths: Vec<u16> = y.sent().iter().map(|p| p.lrh().unwrap().pkt_len).collect();
        assert_eq!(lengths, [words], "{operation:?}");
    }
    y.completions();
}

fn cf290_operations_that_uc_has_not_end_in_sqe(y: &mut Bench) {
    y.connect_unreliably();
    for (n, operation) in [
        READ,
        FETCH_ADD,
        COMPARE_SWAP,
        SendOperation::SendWithInvalidate { r_key: R_KEY },
    ]
    .into_iter()
    .enumerate()
    {
        y.post(work(1, SEND, 1));
        y.post(SendRequest {
            signaled: false,
            ..work(2, operation, 8)
        });
        y.post(work(3, SEND, 1));
        let psn = (FIRST_PSN + n as u32) & 0xFF_FFFF;
        assert_eq!(y.sent_rows(), [(0x24, psn)], "{operation:?}");
        assert_eq!(
            y.completions(),
            [(1, Status::Success, 0), (2, Status::LocQpOpErr, 0), flushed(3)]
        );
        assert_eq!(
            (y.query_state(), y.told()),
            (QpState::Sqe, vec![]),
            "{operation:?}"
        );
        y.leave_sqe();
    }
}

fn cf291_a_message_that_is_too_long_ends_in_sqe(y: &mut Bench) {
    y.connect_unreliably();
    y.submit(Verb::PostDefective {
        qpn: QPN,
        request: work(1, SEND, 8),
        defect: Defect::Length(0x8000_0001),
    });
    assert_eq!(y.sent_rows(), []);
    assert_eq!(y.completions(), [(1, Status::LocLenErr, 0)]);
    assert_eq!((y.query_state(), y.told()), (QpState::Sqe, vec![]));
}

/// The message begins, and ends where its key does.
fn cf022_cf291_2_to_the_31_bytes_are_not_too_long(y: &mut Bench) {
    y.connect_unreliably();
    y.post(SendRequest {
        sges: vec![good_sge(256), bad_sge((1 << 31) - 256)],
        ..work(1, SEND, 0)
    });
    assert_eq!(y.sent_rows(), [(0x20, FIRST_PSN)]);
    assert_eq!(y.completions(), [(1, Status::LocProtErr, 0)]);
    assert_eq!((y.query_state(), y.told()), (QpState::Sqe, vec![]));
}

/// The first packet has left when the second finds its key wrong.
fn cf217_cf292_cf293_a_key_that_fails_in_the_middle(y: &mut Bench) {
    y.connect_unreliably();
    y.post(SendRequest {
        sges: vec![good_sge(256), bad_sge(300)],
        signaled: false,
        ..work(1, SEND, 0)
    });
    y.post(work(2, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x20, FIRST_PSN)]);
    assert_eq!(y.completions(), [(1, Status::LocProtErr, 0), flushed(2)]);
    assert_eq!((y.query_state(), y.told()), (QpState::Sqe, vec![]));
    y.leave_sqe();
    y.post(work(3, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x24, FIRST_PSN + 1)]);
    assert_eq!(y.completions(), [(3, Status::Success, 0)]);
}

/// The packet, begun before its end is read, leaves with a wrong CRC; nobody can say how many that were decided on
/// leave behind it. There is no event, and the QP receives on.
fn cf217_host_memory_that_fails_stops_the_send_queue_alone(y: &mut Bench) {
    y.connect_unreliably();
    y.post_receives(2);
    y.fail_source(1024, 64);
    y.post_from(1, SEND, 0, 10);
    assert_eq!(y.sound_packets(), [Some((0x24, FIRST_PSN))]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    for (wr_id, offset, length) in [(2, 1024 - 256, 600), (3, 0, 10)] {
        y.submit(Verb::PostSend {
            qpn: QPN,
            request: SendRequest {
                sges: vec![Sge {
                    addr: SOURCE + offset,
                    length,
                    l_key: L_KEY,
                }],
                ..work(wr_id, SEND, length)
            },
        });
    }
    y.settle();
    let sent = y.sound_packets();
    assert_eq!(sent[..2], [Some((0x20, FIRST_PSN + 1)), None]);
    let behind = [Some((0x22, 1)), Some((0x24, 2))];
    assert!(behind.starts_with(&sent[2..]), "{sent:?}");
    assert_eq!(y.completions(), [(2, Status::LocQpOpErr, 0), flushed(3)]);
    assert_eq!((y.query_state(), y.told()), (QpState::Sqe, vec![]));
    y.receive(&[packet(0x24, 100, &[3; 4]).encode().unwrap()]);
    assert_eq!(y.completions(), [(70, Status::Success, 4)]);
    y.leave_sqe();
    y.post_from(4, SEND, 0, 10);
    let next = (FIRST_PSN + 1 + sent.len() as u32) & 0xFF_FFFF;
    assert_eq!(y.sound_packets(), [Some((0x24, next))]);
    assert_eq!(y.completions(), [(4, Status::Success, 0)]);
}

/// C10-96; the receive side works as in RTS (SH-97).
fn cf294_sqe_flushes_what_is_sent_and_receives_on(y: &mut Bench) {
    y.connect_unreliably();
    y.post_receives(2);
    y.receive(&[packet(0x20, 100, &[1; 256]).encode().unwrap()]);
    y.post(work(1, READ, 8));
    assert_eq!(y.sent_rows(), []);
    y.post(work(2, SEND, 1));
    y.post(work(3, WRITE, 1));
    assert_eq!(y.sent_rows(), []);
    let failed = (1, Status::LocQpOpErr, 0);
    assert_eq!(y.completions(), [failed, flushed(2), flushed(3)]);
    y.receive(&[
        packet(0x22, 101, &[2; 4]).encode().unwrap(),
        packet(0x24, 102, &[3; 4]).encode().unwrap(),
    ]);
    assert_eq!(
        y.completions(),
        [(70, Status::Success, 260), (71, Status::Success, 4)]
    );
    assert_eq!(y.query_state(), QpState::Sqe);
}

/// More WQEs than the ring has places: those that were flushed leave theirs.
fn cf295_sqe_to_rts_sends_again(y: &mut Bench) {
    y.connect_unreliably();
    let mut psn = FIRST_PSN;
    for round in 0..12 {
        y.post(work(1, READ, 8));
        y.post(work(2, SEND, 1));
        y.settle();
        let failed = (1, Status::LocQpOpErr, 0);
        assert_eq!(y.completions(), [failed, flushed(2)], "round {round}");
        assert_eq!(y.attempt(modify(QPN, QpState::Rts)), DONE);
        assert_eq!(y.query_state(), QpState::Rts);
        y.post(work(3, SEND, 1));
        assert_eq!(y.sent_rows(), [(0x24, psn)], "round {round}");
        assert_eq!(y.completions(), [(3, Status::Success, 0)]);
        psn = (psn + 1) & 0xFF_FFFF;
    }
}

/// The message has started, and goes on in SQD.
fn cf217_cf296_an_error_in_sqd_ends_in_sqe(y: &mut Bench) {
    y.create(&attributes());
    y.enter_rts();
    y.post(work(1, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x24, FIRST_PSN)]);
    y.completions();
    y.submit(Verb::PostSend {
        qpn: QPN,
        request: SendRequest {
            sges: vec![good_sge(2048), bad_sge(1)],
            ..work(2, SEND, 0)
        },
    });
    while y.packets().is_empty() {
        y.run_cycles(1);
    }
    assert_eq!(y.attempt(modify(QPN, QpState::Sqd)), DONE);
    y.settle();
    y.packets();
    assert_eq!(y.completions(), [(2, Status::LocProtErr, 0)]);
    assert_eq!(y.query_state(), QpState::Sqe);
}
