//! Responses as the requester takes them (`requester.md` section 5, 6 and 8, CF168 to CF185, CF192, CF193).
use super::case::*;
use super::pair::*;
use hca_golden::event::DropReason;
use hca_golden::hca::Hca;
use hca_golden::verbs::*;
use hca_golden::wire::reth::Reth;

fn success(ids: &[u64]) -> Vec<(u64, Status)> {
    ids.iter().map(|&id| (id, Status::Success)).collect()
}

#[test]
fn cf168_the_ack_of_the_last_psn_completes_the_wqe() {
    let mut x = three_sends(|_| {});
    replies(&mut x, &[response(11, 0x1F, 1)]);
    assert_eq!(statuses(&mut x), success(&[1]));
}

#[test]
fn cf169_the_ack_of_a_first_packet_completes_nothing() {
    let mut x = three_sends(|_| {});
    replies(&mut x, &[response(10, 0x1F, 0)]);
    assert_eq!(statuses(&mut x), []);
    assert_eq!(x.query(X_QPN).unwrap().unacknowledged_psn, 11);
}

#[test]
fn cf170_one_ack_completes_all_before_it() {
    let mut x = three_sends(|_| {});
    replies(&mut x, &[response(13, 0x1F, 3)]);
    assert_eq!(statuses(&mut x), success(&[1, 2, 3]));
}

#[test]
fn cf171_a_duplicate_ack_is_ignored() {
    let mut x = three_sends(|_| {});
    replies(&mut x, &[response(11, 0x1F, 1)]);
    for syndrome in [0x1F, 0x20, 0x60, 0x61] {
        let late = response(10, syndrome, 0).encode().unwrap();
        assert_eq!(drop_reason(&mut x, &late), DropReason::DuplicateResponse);
    }
}

#[test]
fn cf172_an_ack_beyond_the_highest_psn_sent_is_ignored() {
    let mut x = three_sends(|_| {});
    for psn in [14, 15, 14 + (1 << 22)] {
        let ghost = response(psn, 0x1F, 9).encode().unwrap();
        assert_eq!(drop_reason(&mut x, &ghost), DropReason::GhostResponse);
    }
    assert_eq!(statuses(&mut x), []);
}

/// A Send, a Read of 600 bytes at PSN 11 to 13, a Send at 14.
fn around_a_read(change: impl FnOnce(&mut QpAttributes)) -> Hca {
    let mut x = requester_with(change);
    post(&mut x, 1, SEND, 1);
    post(&mut x, 2, READ, 600);
    post(&mut x, 3, SEND, 1);
    assert_eq!(sent(&mut x), [(0x04, 10), (0x0C, 11), (0x04, 14)]);
    x
}

/// FB04.
#[test]
fn cf173_an_ack_beyond_an_unanswered_read_has_it_retried() {
    let mut x = around_a_read(|_| {});
    let again = sent_after(&mut x, &[response(14, 0x1F, 3)]);
    assert_eq!(again, [(0x0C, 11), (0x04, 14)]);
    assert_eq!(statuses(&mut x), success(&[1]), "what came before the read");
    let mut x = requester();
    post(&mut x, 1, FETCH_ADD, 8);
    post(&mut x, 2, FETCH_ADD, 8);
    sent(&mut x);
    assert_eq!(sent_after(&mut x, &[atomic_ack(11, 0)]), [(0x14, 10), (0x14, 11)]);
}

#[test]
fn cf174_read_data_lands_at_the_offset_of_its_psn() {
    let mut x = requester();
    let sges = [sge(0x5001, 255), sge(0x6000, 3), sge(0x7000, 342)];
    let operation = READ;
    x.post_send(
        X_QPN,
        SendRequest {
            operation,
            ..send(1, &sges)
        },
    )
    .unwrap();
    sent(&mut x);
    let sent = message(600);
    let packets = [
        data(0x0D, 10, &sent[..256]),
        data(0x0E, 11, &sent[256..512]),
        data(0x0F, 12, &sent[512..]),
    ];
    replies(&mut x, &packets);
    let read = |addr, length| x.memory().read(addr, length);
    assert_eq!(
        [read(0x5001, 255), read(0x6000, 3), read(0x7000, 342)].concat(),
        sent
    );
    assert_eq!(completions(&mut x), [(1, Status::Success, 600)]);
}

/// FB05.
#[test]
fn cf175_a_missing_read_response_has_the_remainder_read() {
    let mut x = around_a_read(|_| {});
    let packets = [data(0x0D, 11, &[1; 256]), data(0x0F, 13, &[3; 88])];
    let again = answered(&mut x, &packets);
    assert_eq!(rows(&again), [(0x0C, 12), (0x04, 14)]);
    let remainder = Reth {
        va: TARGET + 256,
        r_key: R_KEY,
        dma_len: 344,
    };
    assert_eq!(again[0].reth(), Some(remainder));
    replies(&mut x, &[data(0x0D, 12, &[2; 256]), data(0x0F, 13, &[3; 88])]);
    let read = x.memory().read(BUFFER_AT, 600);
    assert_eq!(read, [vec![1; 256], vec![2; 256], vec![3; 88]].concat());
    assert_eq!(statuses(&mut x), success(&[1, 2]));
}

#[test]
fn cf176_the_result_of_an_atomic_goes_to_the_sge() {
    let mut x = requester();
    post(&mut x, 1, FETCH_ADD, 8);
    sent(&mut x);
    replies(&mut x, &[atomic_ack(10, 0x0102_0304_0506_0708)]);
    assert_eq!(x.memory().read(RESULT - 1, 10), [0, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    let completion = x.poll_cq(CQN).unwrap();
    assert_eq!(
        (completion.operation, completion.byte_count),
        (CompletedOperation::FetchAdd, 8)
    );
}

/// FB36: the middle of a message is sent again as its middle.
#[test]
fn cf177_nak_60h_resends_from_its_psn() {
    let mut x = three_sends(|_| {});
    let again = sent_after(&mut x, &[response(11, 0x60, 0)]);
    assert_eq!(again, [(0x02, 11), (0x04, 12), (0x04, 13)]);
    let again = sent_after(&mut x, &[response(13, 0x60, 2)]);
    assert_eq!(again, [(0x04, 13)]);
    assert_eq!(statuses(&mut x), success(&[1, 2]));
}

/// The same NAK again burns no second retry: here the first one took the last.
#[test]
fn a_repeated_sequence_nak_starts_no_second_retry() {
    let mut x = three_sends(|a| a.retry_cnt = 1);
    assert_eq!(sent_after(&mut x, &[response(11, 0x60, 0)]).len(), 3);
    assert_eq!(sent_after(&mut x, &[response(11, 0x60, 0)]), []);
    assert_eq!(state(&x), QpState::Rts);
}

fn fatal(syndrome: u8, status: Status) {
    for psn in [10, 11] {
        let mut x = three_sends(|_| {});
        assert_eq!(sent_after(&mut x, &[response(psn, syndrome, 0)]), []);
        let flushed = [2, 3].map(|id| (id, Status::WrFlushErr));
        assert_eq!(statuses(&mut x), [&[(1, status)], &flushed[..]].concat());
        assert_eq!(state(&x), QpState::Error);
    }
}

#[test]
fn cf178_nak_61h_ends_the_wqe() {
    fatal(0x61, Status::RemInvReqErr);
}

#[test]
fn cf179_nak_62h_ends_the_wqe() {
    fatal(0x62, Status::RemAccessErr);
}

#[test]
fn cf180_nak_63h_ends_the_wqe() {
    fatal(0x63, Status::RemOpErr);
}

/// FB23.
#[test]
fn cf181_after_a_fatal_nak_the_rest_is_flushed_in_order() {
    let mut x = three_sends(|_| {});
    x.post_receive(X_QPN, receive(50, &[])).unwrap();
    x.post_receive(X_QPN, receive(51, &[])).unwrap();
    replies(&mut x, &[response(12, 0x61, 1)]);
    post(&mut x, 4, SEND, 1);
    settle(&mut x);
    let mut all = statuses(&mut x);
    all.sort_by_key(|&(id, _)| id >= 50);
    let flushed = |id| (id, Status::WrFlushErr);
    assert_eq!(
        all,
        [
            (1, Status::Success),
            (2, Status::RemInvReqErr),
            flushed(3),
            flushed(4),
            flushed(50),
            flushed(51)
        ]
    );
}

#[test]
fn cf182_wqes_before_the_fatal_nak_succeed() {
    let mut x = three_sends(|_| {});
    replies(&mut x, &[response(13, 0x62, 2)]);
    assert_eq!(
        statuses(&mut x),
        [success(&[1, 2]), vec![(3, Status::RemAccessErr)]].concat()
    );
}

#[test]
fn cf183_reserved_syndromes_are_discarded() {
    let mut x = three_sends(|_| {});
    for syndrome in [0x40, 0x5F, 0x64, 0x65, 0x7F, 0x80, 0x9F, 0xFF] {
        let packet = response(11, syndrome, 0).encode().unwrap();
        assert_eq!(drop_reason(&mut x, &packet), DropReason::ReservedSyndrome);
    }
    replies(&mut x, &[response(13, 0x1F, 3)]);
    assert_eq!(statuses(&mut x), success(&[1, 2, 3]));
}

#[test]
fn cf184_a_read_response_of_the_wrong_length() {
    for (opcode, length) in [(0x0D, 255), (0x0D, 260), (0x0D, 0)] {
        let mut x = around_a_read(|_| {});
        replies(&mut x, &[data(opcode, 11, &vec![1; length])]);
        let status = statuses(&mut x)[..2].to_vec();
        assert_eq!(status, [(1, Status::Success), (2, Status::LocLenErr)], "{length}");
        assert_eq!(x.memory().read(BUFFER_AT, 256), [0; 256]);
    }
    let mut x = around_a_read(|_| {});
    let packets = [
        data(0x0D, 11, &[1; 256]),
        data(0x0E, 12, &[1; 256]),
        data(0x0F, 13, &[1; 87]),
    ];
    replies(&mut x, &packets);
    assert_eq!(statuses(&mut x)[1], (2, Status::LocLenErr));
}

#[test]
fn cf185_a_response_of_the_wrong_opcode() {
    let wrong = |x: &mut Hca, packets: &[hca_golden::wire::packet::Packet]| {
        replies(x, packets);
        let failed = statuses(x).into_iter().find(|s| s.1 != Status::Success);
        failed.unwrap().1
    };
    // Data for a Send, an ack, an atomic ack or the wrong place for a Read.
    assert_eq!(
        wrong(&mut around_a_read(|_| {}), &[data(0x10, 10, &[])]),
        Status::BadRespErr
    );
    assert_eq!(
        wrong(&mut around_a_read(|_| {}), &[atomic_ack(10, 0)]),
        Status::BadRespErr
    );
    assert_eq!(
        wrong(&mut around_a_read(|_| {}), &[response(11, 0x1F, 2)]),
        Status::BadRespErr
    );
    assert_eq!(
        wrong(&mut around_a_read(|_| {}), &[atomic_ack(11, 0)]),
        Status::BadRespErr
    );
    for opcode in [0x0E, 0x0F, 0x10] {
        let packet = data(opcode, 11, &[1; 256]);
        assert_eq!(wrong(&mut around_a_read(|_| {}), &[packet]), Status::BadRespErr);
    }
    let first = data(0x0D, 11, &[1; 256]);
    for opcode in [0x0D, 0x0F, 0x10] {
        let packets = [first.clone(), data(opcode, 12, &[1; 256])];
        assert_eq!(wrong(&mut around_a_read(|_| {}), &packets), Status::BadRespErr);
    }
}

#[test]
fn cf192_cqes_appear_in_post_order() {
    let mut x = around_a_read(|_| {});
    post(&mut x, 4, FETCH_ADD, 8);
    sent(&mut x);
    let packets = [
        data(0x0D, 11, &[1; 256]),
        data(0x0E, 12, &[1; 256]),
        data(0x0F, 13, &[1; 88]),
        atomic_ack(15, 0),
    ];
    replies(&mut x, &packets);
    assert_eq!(statuses(&mut x), success(&[1, 2, 3, 4]));
}

#[test]
fn cf193_an_unsignaled_success_makes_no_cqe_an_error_does() {
    let unsignaled = |wr_id| SendRequest {
        signaled: false,
        ..work(wr_id, SEND, 1)
    };
    let mut x = requester();
    for wr_id in 1..4 {
        x.post_send(X_QPN, unsignaled(wr_id)).unwrap();
    }
    sent(&mut x);
    replies(&mut x, &[response(10, 0x1F, 1)]);
    assert_eq!(statuses(&mut x), []);
    replies(&mut x, &[response(11, 0x61, 1)]);
    assert_eq!(
        statuses(&mut x),
        [(2, Status::RemInvReqErr), (3, Status::WrFlushErr)]
    );
}

/// FB22.
#[test]
fn a_nak_in_the_middle_of_read_responses_ends_the_read() {
    let mut x = around_a_read(|_| {});
    let packets = [data(0x0D, 11, &[1; 256]), response(12, 0x62, 2)];
    assert_eq!(sent_after(&mut x, &packets), []);
    let expected = [
        (1, Status::Success),
        (2, Status::RemAccessErr),
        (3, Status::WrFlushErr),
    ];
    assert_eq!(statuses(&mut x), expected);
}
