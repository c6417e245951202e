//! `requester.md`.
use super::pair::*;
use hca_golden::event::DropReason;
use hca_golden::hca::Hca;
use hca_golden::verbs::*;
use hca_golden::wire::packet::Packet;

/// X at this first PSN, PMTU 256, a message at [`MESSAGE_AT`].
fn x_at(sq_psn: u32) -> Hca {
    let attributes = QpAttributes {
        sq_psn,
        pmtu: Pmtu::B256,
        ..x_attributes()
    };
    let mut x = connected(X_LID, &attributes);
    x.memory_mut().write(MESSAGE_AT, &message(8192));
    x
}

fn post(x: &mut Hca, wr_id: u64, length: u32) {
    x.post_send(X_QPN, send(wr_id, &[sge(MESSAGE_AT, length)]))
        .unwrap();
}

/// Opcode, PSN, payload bytes, PadCnt, A, SE.
fn rows(packets: &[Packet]) -> Vec<(u8, u32, usize, u8, bool, bool)> {
    packets
        .iter()
        .map(|p| {
            (
                p.bth.opcode,
                p.bth.psn,
                p.payload.len(),
                p.bth.pad_cnt,
                p.bth.a,
                p.bth.se,
            )
        })
        .collect()
}

/// CF006 to CF010, CF154, CF155, CF157 to CF160.
#[test]
fn messages_become_packets() {
    let mut x = x_at(0xFF_FFFE);
    for length in [0, 1, 256, 257, 512, 770] {
        post(&mut x, length.into(), length);
    }
    let (packets, _) = settle(&mut x);
    assert_eq!(
        rows(&packets),
        [
            (0x04, 0xFF_FFFE, 0, 0, true, false),
            (0x04, 0xFF_FFFF, 1, 3, true, false),
            (0x04, 0, 256, 0, true, false),
            (0x00, 1, 256, 0, true, false),
            (0x02, 2, 1, 3, true, false),
            (0x00, 3, 256, 0, true, false),
            (0x02, 4, 256, 0, true, false),
            (0x00, 5, 256, 0, true, false),
            (0x01, 6, 256, 0, false, false),
            (0x01, 7, 256, 0, false, false),
            (0x02, 8, 2, 2, true, false),
        ]
    );
    let last: Vec<u8> = packets[7..].iter().flat_map(|p| p.payload.clone()).collect();
    assert_eq!(last, message(770));
    assert!(x.idle());
}

/// CF160.
#[test]
fn a_solicited_event_is_asked_for_by_the_last_packet() {
    let mut x = x_at(0);
    let solicited = SendRequest {
        solicited: true,
        ..send(1, &[sge(MESSAGE_AT, 300), sge(MESSAGE_AT + 400, 300)])
    };
    x.post_send(X_QPN, solicited).unwrap();
    let (packets, _) = settle(&mut x);
    let se: Vec<bool> = packets.iter().map(|p| p.bth.se).collect();
    assert_eq!(se, [false, false, true]);
    let sent: Vec<u8> = packets.iter().flat_map(|p| p.payload.clone()).collect();
    assert_eq!(sent, [&message(8192)[..300], &message(8192)[400..700]].concat());
}

/// CF168, CF169, CF170, CF192, CF193: WQE 2 is unsignaled.
#[test]
fn one_ack_completes_all_before_it() {
    let mut x = x_at(10);
    post(&mut x, 1, 512);
    let unsignaled = SendRequest {
        signaled: false,
        ..send(2, &[])
    };
    x.post_send(X_QPN, unsignaled).unwrap();
    post(&mut x, 3, 1);
    settle(&mut x);
    assert_eq!(answers(&mut x, &[response(10, 0x1F, 0)]), []);
    assert_eq!(completions(&mut x), []);
    assert_eq!(answers(&mut x, &[response(13, 0x1F, 3)]), []);
    assert_eq!(
        completions(&mut x),
        [(1, Status::Success, 0), (3, Status::Success, 0)]
    );
    assert_eq!(x.query(X_QPN).unwrap().unacknowledged_psn, 14);
}

/// CF171, CF172, CF183.
#[test]
fn responses_that_are_dropped() {
    let mut x = x_at(10);
    post(&mut x, 1, 700);
    settle(&mut x);
    assert_eq!(answers(&mut x, &[response(11, 0x1F, 0)]), []);
    let mut dropped = |packet: Packet| drop_reason(&mut x, &packet.encode().unwrap());
    assert_eq!(dropped(response(11, 0x1F, 0)), DropReason::DuplicateResponse);
    assert_eq!(dropped(response(10, 0x60, 0)), DropReason::DuplicateResponse);
    assert_eq!(dropped(response(13, 0x1F, 0)), DropReason::GhostResponse);
    assert_eq!(dropped(response(13, 0x61, 0)), DropReason::GhostResponse);
    for reserved in [0x40, 0x64, 0x65, 0x7F, 0x80, 0xFF] {
        assert_eq!(dropped(response(12, reserved, 0)), DropReason::ReservedSyndrome);
    }
    assert_eq!(completions(&mut x), []);
}

/// CF178 to CF182: WQE 1 has PSN 10, WQE 2 has 11 and 12, WQE 3 has 13.
#[test]
fn a_nak_ends_the_wqe_that_holds_its_psn() {
    for (syndrome, status) in [
        (0x61, Status::RemInvReqErr),
        (0x62, Status::RemAccessErr),
        (0x63, Status::RemOpErr),
    ] {
        for psn in [11, 12] {
            let mut x = x_at(10);
            post(&mut x, 1, 1);
            post(&mut x, 2, 512);
            post(&mut x, 3, 1);
            settle(&mut x);
            assert_eq!(answers(&mut x, &[response(psn, syndrome, 1)]), []);
            let flushed = (3, Status::WrFlushErr, 0);
            assert_eq!(
                completions(&mut x),
                [(1, Status::Success, 0), (2, status, 0), flushed]
            );
            assert_eq!(x.query(X_QPN).unwrap().state, QpState::Error);
            let late = response(13, 0x1F, 3).encode().unwrap();
            assert_eq!(drop_reason(&mut x, &late), DropReason::QpState);
        }
    }
}

/// A NAK for an unsignaled WQE completes it nevertheless (CF193).
#[test]
fn an_unsignaled_wqe_that_fails_completes() {
    let mut x = x_at(10);
    let unsignaled = SendRequest {
        signaled: false,
        ..send(2, &[])
    };
    x.post_send(X_QPN, unsignaled).unwrap();
    settle(&mut x);
    assert_eq!(answers(&mut x, &[response(10, 0x61, 0)]), []);
    assert_eq!(completions(&mut x), [(2, Status::RemInvReqErr, 0)]);
}

/// Nothing was sent, nothing can be answered.
#[test]
fn responses_before_any_request() {
    let mut x = x_at(10);
    for psn in [8, 10, 11] {
        let reason = drop_reason(&mut x, &response(psn, 0x1F, 0).encode().unwrap());
        assert!(matches!(
            reason,
            DropReason::DuplicateResponse | DropReason::GhostResponse
        ));
    }
}
