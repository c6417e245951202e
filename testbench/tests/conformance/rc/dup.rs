//! Duplicates (`responder.md` section 6).
use crate::bench::peer::{atomic, rdma, read, with_reth};
use crate::bench::responder::{ack, answer, message, payload, replies, Reply, TARGET, TARGET_KEY};
use crate::bench::{on_both, request, Bench};
use hca_golden::event::DropReason;
use hca_golden::verbs::Status;
use hca_golden::wire::packet::Packet;

on_both!(
    cf117_a_duplicate_send_is_acked_and_nothing_else,
    cf118_a_duplicate_write_is_acked_and_not_written_again,
    cf119_a_duplicate_read_reads_memory_again,
    cf120_a_duplicate_read_from_inside_answers_from_its_psn,
    cf121_a_duplicate_read_outside_any_stored_one_is_discarded,
    cf122_a_duplicate_atomic_returns_the_saved_value,
    cf123_a_duplicate_atomic_that_is_not_stored_is_discarded,
    cf124_duplicates_never_advance_epsn_or_msn,
    cf125_the_ack_for_a_duplicate_never_carries_the_psn_of_a_read,
    cf125_nor_while_the_read_is_owed,
    cf126_max_dest_rd_atomic_operations_can_be_replayed,
    a_replay_that_waits_until_its_resource_is_taken_has_no_other_value,
    a_replay_that_waits_is_answered_as_long_as_it_is_stored,
    a_duplicate_read_of_no_bytes_needs_no_key,
    a_duplicate_without_ack_req_may_be_acked,
);

fn cf117_a_duplicate_send_is_acked_and_nothing_else(y: &mut Bench) {
    y.responder(2);
    let packets = [request(0x00, 100, &[1; 256]), request(0x02, 101, &[2; 4])];
    y.replies_to(&packets);
    assert_eq!(y.completions(), [(70, Status::Success, 260)]);
    y.write_buffer(0, &[0xEE; 260]);
    assert_eq!(y.replies_to(&packets), [ack(101, 1), ack(101, 1)]);
    assert_eq!(y.buffer(0, 260), [0xEE; 260]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.replies_to(&[request(0x04, 102, &[])]), [ack(102, 2)]);
    assert_eq!(y.completions(), [(71, Status::Success, 0)]);
}

/// With immediate too: no WQE, no CQE.
fn cf118_a_duplicate_write_is_acked_and_not_written_again(y: &mut Bench) {
    y.responder(2);
    let packets = [
        rdma(0x0B, 100, TARGET, 4, &[0xAA; 4]),
        rdma(0x06, 101, TARGET + 8, 260, &[0xAB; 256]),
        request(0x08, 102, &[0xAC; 4]),
    ];
    assert_eq!(y.replies_to(&packets), [ack(100, 1), ack(101, 1), ack(102, 2)]);
    assert_eq!(y.completions(), [(70, Status::Success, 4)]);
    y.write_target(0, &[0xEE; 300]);
    assert_eq!(y.replies_to(&packets), [ack(102, 2); 3]);
    assert_eq!(y.target(0, 300), [0xEE; 300]);
    assert_eq!(y.completions(), []);
}

fn cf119_a_duplicate_read_reads_memory_again(y: &mut Bench) {
    y.responder(0);
    let request = [read(100, TARGET, 300)];
    assert_eq!(payload(&y.answered(&request)), message(300));
    y.write_target(0, &[9; 300]);
    let again = y.answered(&request);
    assert_eq!(replies(&again), [answer(0x0D, 100, 1), answer(0x0F, 101, 1)]);
    assert_eq!(payload(&again), [9; 300]);
}

/// FB05.
fn cf120_a_duplicate_read_from_inside_answers_from_its_psn(y: &mut Bench) {
    y.responder(0);
    let middle = |psn| (0x0E, psn, None);
    let all = y.answered(&[read(100, TARGET, 700)]);
    let expected = [answer(0x0D, 100, 1), middle(101), answer(0x0F, 102, 1)];
    assert_eq!(replies(&all), expected);
    let rest = y.answered(&[read(101, TARGET + 256, 444)]);
    assert_eq!(replies(&rest), [answer(0x0D, 101, 1), answer(0x0F, 102, 1)]);
    assert_eq!(payload(&rest), message(700)[256..]);
    let last = y.answered(&[read(102, TARGET + 512, 188)]);
    assert_eq!(replies(&last), [answer(0x10, 102, 1)]);
    assert_eq!(payload(&last), message(700)[512..]);
    // One inside a shorter one that was asked for again; then the whole once more.
    assert_eq!(replies(&y.answered(&[read(100, TARGET, 700)])), expected);
    assert_eq!(
        y.replies_to(&[request(0x04, 105, &[])]),
        [(0x11, 103, Some((0x60, 1)))]
    );
}

fn cf121_a_duplicate_read_outside_any_stored_one_is_discarded(y: &mut Bench) {
    y.responder(0);
    y.replies_to(&[rdma(0x0A, 100, 0, 0, &[]), read(101, TARGET, 700)]);
    let unmatched = [
        read(100, TARGET, 4),
        read(99, TARGET - 256, 956),
        read(101, TARGET + 4, 696),
        read(101, TARGET, 699),
        read(101, TARGET, 701),
        read(101, TARGET + 256, 444),
        read(102, TARGET, 700),
        read(102, TARGET + 256, 700),
        read(102, TARGET + 256, 188),
        with_reth(read(101, 0, 0), TARGET, TARGET_KEY, 700),
        read(101, TARGET + (1 << 32), 700),
    ];
    for packet in &unmatched {
        let replies = y.replies_to(std::slice::from_ref(packet));
        assert_eq!(replies, [], "{packet:?}");
        assert_eq!(y.drops(), [(DropReason::UnmatchedDuplicate, 1)], "{packet:?}");
    }
    let stored = y.replies_to(&[read(103, TARGET + 512, 188)]);
    assert_eq!(stored, [answer(0x10, 103, 2)]);
}

/// FB11: whatever the memory holds meanwhile, and whatever the duplicate's operands are.
fn cf122_a_duplicate_atomic_returns_the_saved_value(y: &mut Bench) {
    y.responder(0);
    y.write_target(0, &5_u64.to_le_bytes());
    y.write_target(8, &7_u64.to_le_bytes());
    let requests = [
        atomic(0x14, 100, TARGET, 10, 0),
        atomic(0x13, 101, TARGET + 8, 9, 7),
    ];
    let originals = |y: &mut Bench| -> Vec<_> {
        let packets = y.answered(&requests);
        let originals = packets.iter().map(|p| p.atomic_ack_eth().unwrap().orig_rem_dt);
        originals.collect()
    };
    for _ in 0..3 {
        assert_eq!(originals(y), [5, 7]);
        assert_eq!(y.target(0, 8), 15_u64.to_le_bytes());
        assert_eq!(y.target(8, 8), 9_u64.to_le_bytes());
    }
    y.write_target(0, &99_u64.to_le_bytes());
    assert_eq!(originals(y), [5, 7]);
    assert_eq!(y.target(0, 8), 99_u64.to_le_bytes());
}

/// The QP keeps four; the first is gone.
fn cf123_a_duplicate_atomic_that_is_not_stored_is_discarded(y: &mut Bench) {
    y.responder(0);
    let add = |psn| atomic(0x14, psn, TARGET, 1, 0);
    y.write_target(0, &[0; 8]);
    y.replies_to(&[100, 101, 102, 103, 104].map(add));
    let unmatched = [add(100), atomic(0x13, 104, TARGET, 1, 0), add(99)];
    for packet in &unmatched {
        let replies = y.replies_to(std::slice::from_ref(packet));
        assert_eq!(replies, [], "{packet:?}");
        assert_eq!(y.drops(), [(DropReason::UnmatchedDuplicate, 1)], "{packet:?}");
    }
    assert_eq!(y.target(0, 8), 5_u64.to_le_bytes());
    assert_eq!(y.replies_to(&[add(101)]), [answer(0x12, 101, 5)]);
}

fn cf124_duplicates_never_advance_epsn_or_msn(y: &mut Bench) {
    y.responder(1);
    let packets = [
        request(0x04, 100, &[1]),
        rdma(0x0A, 101, TARGET + 64, 1, &[1]),
        read(102, TARGET, 300),
        atomic(0x14, 104, TARGET, 1, 0),
    ];
    let expected = [
        ack(100, 1),
        ack(101, 2),
        answer(0x0D, 102, 3),
        answer(0x0F, 103, 3),
        answer(0x12, 104, 4),
    ];
    assert_eq!(y.replies_to(&packets), expected);
    assert_eq!(y.completions(), [(70, Status::Success, 1)]);
    // The same packets with the MSN of now.
    let again = [
        ack(101, 4),
        ack(101, 4),
        answer(0x0D, 102, 4),
        answer(0x0F, 103, 4),
        answer(0x12, 104, 4),
    ];
    assert_eq!(y.replies_to(&packets), again);
    assert_eq!(
        y.replies_to(&[request(0x04, 107, &[])]),
        [(0x11, 105, Some((0x60, 4)))]
    );
}

/// FB03: the read is answered.
fn cf125_the_ack_for_a_duplicate_never_carries_the_psn_of_a_read(y: &mut Bench) {
    y.responder(1);
    let send = request(0x04, 100, &[1]);
    let executed = [
        send.clone(),
        read(101, TARGET, 300),
        atomic(0x14, 103, TARGET, 1, 0),
    ];
    y.replies_to(&executed);
    assert_eq!(y.completions(), [(70, Status::Success, 1)]);
    assert_eq!(y.replies_to(&[send]), [ack(100, 3)]);
}

/// Its responses are still owed when the duplicate and a later Send come.
fn cf125_nor_while_the_read_is_owed(y: &mut Bench) {
    y.responder(2);
    let send = |psn| request(0x04, psn, &[1]);
    let replies = y.replies_to_burst(&[send(100), read(101, TARGET, 1024), send(105), send(100)]);
    let success = |id| (id, Status::Success, 1);
    assert_eq!(y.completions(), [success(70), success(71)]);
    let data: Vec<Reply> = replies.iter().filter(|r| r.0 != 0x11).copied().collect();
    let middle = |psn| (0x0E, psn, None);
    let read = [
        answer(0x0D, 101, 2),
        middle(102),
        middle(103),
        answer(0x0F, 104, 2),
    ];
    assert_eq!(data, read);
    let acks = replies.iter().filter(|r| r.0 == 0x11);
    assert!(
        acks.map(|r| r.1).all(|psn| psn == 100 || psn == 105),
        "{replies:?}"
    );
    assert_eq!(replies.last(), Some(&ack(105, 3)), "{replies:?}");
    let place = |reply: &Reply| replies.iter().position(|r| r == reply).unwrap();
    assert!(place(&ack(105, 3)) > place(&read[3]), "{replies:?}");
    let again = y.replies_to(&[send(100)]);
    assert!(
        !again.is_empty() && again.iter().all(|&r| r == ack(105, 3)),
        "{again:?}"
    );
}

fn cf126_max_dest_rd_atomic_operations_can_be_replayed(y: &mut Bench) {
    y.responder(0);
    y.write_target(512, &7_u64.to_le_bytes());
    let packets = [
        read(100, TARGET, 4),
        read(101, TARGET, 300),
        atomic(0x13, 103, TARGET + 512, 1, 2),
        read(104, TARGET, 0),
    ];
    let expected = |msns: [u32; 4]| {
        [
            answer(0x10, 100, msns[0]),
            answer(0x0D, 101, msns[1]),
            answer(0x0F, 102, msns[1]),
            answer(0x12, 103, msns[2]),
            answer(0x10, 104, msns[3]),
        ]
    };
    assert_eq!(y.replies_to(&packets), expected([1, 2, 3, 4]));
    let again = y.answered(&packets);
    assert_eq!(replies(&again), expected([4; 4]));
    assert_eq!(again[0].payload, message(4));
    assert_eq!(payload(&again[1..3]), message(300));
    assert_eq!(again[3].atomic_ack_eth().unwrap().orig_rem_dt, 7);
    // In any order.
    let backwards: Vec<_> = packets.iter().rev().cloned().collect();
    let [a, b, c, d, e] = expected([4; 4]);
    assert_eq!(y.replies_to(&backwards), [e, d, b, c, a]);
}

/// PSNs and values of the atomic acks behind a long Read, when a duplicate of PSN 100, whose value is 5, and then so
/// many atomics are taken while the Read is answered. The QP keeps 16.
fn originals_behind_a_read(y: &mut Bench, atomics: u32) -> Vec<(u32, u64)> {
    y.responder_with(0, |a| a.max_dest_rd_atomic = 16);
    y.write_target(0, &5_u64.to_le_bytes());
    y.write_target(0x8000, &[0; 8]);
    let first = atomic(0x14, 100, TARGET, 10, 0);
    assert_eq!(y.replies_to(std::slice::from_ref(&first)), [answer(0x12, 100, 1)]);
    let mut packets = vec![read(101, TARGET, 0x8000), first];
    packets.extend((0..atomics).map(|n| atomic(0x14, 229 + n, TARGET + 0x8000, 1, 0)));
    let packets: Vec<_> = packets.iter().map(|p| p.encode().unwrap()).collect();
    y.receive(&packets);
    let answers = y.came();
    let (data, originals) = answers.split_at(128);
    assert!(data.iter().map(|p| p.bth.psn).eq(101..229));
    let original = |p: &Packet| (p.bth.psn, p.atomic_ack_eth().unwrap().orig_rem_dt);
    originals.iter().map(original).collect()
}

/// The 16th operation after PSN 100 is an atomic, too: there is no answer any more, or the saved value was sent before.
fn a_replay_that_waits_until_its_resource_is_taken_has_no_other_value(y: &mut Bench) {
    let originals = originals_behind_a_read(y, 15);
    let newer: Vec<(u32, u64)> = (0..15).map(|n| (229 + n, n.into())).collect();
    let again = [&[(100, 5)], &newer[..]].concat();
    assert!(originals == newer || originals == again, "{originals:?}");
}

fn a_replay_that_waits_is_answered_as_long_as_it_is_stored(y: &mut Bench) {
    let newer = (0..14).map(|n| (229 + n, n.into()));
    let expected: Vec<(u32, u64)> = [(100, 5)].into_iter().chain(newer).collect();
    assert_eq!(originals_behind_a_read(y, 14), expected);
}

/// FB21: the key of a read of no bytes does not matter, but it is the same one.
fn a_duplicate_read_of_no_bytes_needs_no_key(y: &mut Bench) {
    y.responder(0);
    let nowhere = with_reth(read(100, 0, 0), u64::MAX, 0xBAD, 0);
    let requests = [nowhere.clone(), nowhere];
    assert_eq!(y.replies_to(&requests), [answer(0x10, 100, 1); 2]);
}

/// Section 6, adopted: an ack if A=1, maybe one otherwise.
fn a_duplicate_without_ack_req_may_be_acked(y: &mut Bench) {
    y.responder(1);
    let mut send = request(0x04, 100, &[1]);
    y.replies_to(&[send.clone()]);
    assert_eq!(y.completions(), [(70, Status::Success, 1)]);
    send.bth.a = false;
    let replies = y.replies_to(&[send]);
    assert!(replies.is_empty() || replies == [ack(100, 1)], "{replies:?}");
}
