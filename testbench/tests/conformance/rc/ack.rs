//! Responses (`responder.md` sections 7 to 9). Y expects PSN 100, PMTU 256. CF132 is in `global`.
use crate::bench::peer::{atomic, rdma, read, send_with_invalidate, with_immediate, with_reth};
use crate::bench::responder::{ack, answer, message, nak, payload, TARGET, TARGET_BYTES, TARGET_KEY};
use crate::bench::{on_both, request, Bench, PEER_QPN};
use hca_golden::verbs::{QpState, Status};
use hca_golden::wire::packet::Packet;

on_both!(
    cf127_a_request_with_ack_req_gets_a_response,
    cf128_the_psn_of_an_ack_is_that_of_the_request,
    cf129_lids_are_swapped_and_sl_is_copied,
    cf130_an_ack_goes_to_the_connected_qp,
    cf131_an_ack_asks_for_nothing_and_carries_nothing,
    cf133_an_ack_covers_no_read_and_no_atomic,
    cf134_responses_leave_in_psn_order,
    cf135_msn_counts_each_new_message_once,
    cf136_the_msn_of_a_read_response_counts_the_read,
    cf137_the_ack_of_a_first_packet_keeps_the_old_msn,
    cf138_bit_7_of_the_syndrome_is_0,
    cf139_opcodes_of_read_responses,
    cf140_read_response_psns_run_from_the_request,
    cf141_a_read_of_no_bytes_has_one_empty_response,
    cf142_a_fault_while_a_read_is_answered_is_a_nak_at_the_failing_psn,
    cf143_more_reads_than_max_dest_rd_atomic,
);

/// A word that no Read of these cases covers: what is read ahead of an atomic behind it is not defined.
const COUNTER: u64 = TARGET + 0xF00;

fn only(psn: u32) -> Packet {
    request(0x04, psn, &[1; 8])
}

fn cf127_a_request_with_ack_req_gets_a_response(y: &mut Bench) {
    y.responder(2);
    let packets = [
        only(100),
        rdma(0x0A, 101, TARGET, 4, &[1; 4]),
        read(102, TARGET, 4),
        atomic(0x13, 103, COUNTER, 0, 1),
        atomic(0x14, 104, COUNTER, 0, 1),
        with_immediate(rdma(0x0B, 105, TARGET, 0, &[]), [1, 2, 3, 4]),
    ];
    let expected = [
        ack(100, 1),
        ack(101, 2),
        answer(0x10, 102, 3),
        answer(0x12, 103, 4),
        answer(0x12, 104, 5),
        ack(105, 6),
    ];
    assert_eq!(y.replies_to(&packets), expected);
    let success = [(70, Status::Success, 8), (71, Status::Success, 0)];
    assert_eq!(y.completions(), success);
}

fn cf128_the_psn_of_an_ack_is_that_of_the_request(y: &mut Bench) {
    y.responder(1);
    let packets = [
        request(0x00, 100, &[1; 256]),
        request(0x02, 101, &[1]),
        rdma(0x06, 102, TARGET, 600, &[3; 256]),
        request(0x07, 103, &[4; 256]),
        request(0x08, 104, &[5; 88]),
    ];
    let expected = [ack(100, 0), ack(101, 1), ack(102, 1), ack(103, 1), ack(104, 2)];
    assert_eq!(y.replies_to(&packets), expected);
    assert_eq!(y.completions(), [(70, Status::Success, 257)]);
}

/// LIDs are checked wherever responses come.
fn cf129_lids_are_swapped_and_sl_is_copied(y: &mut Bench) {
    y.responder(1);
    let mut packets = [only(100), read(101, TARGET, 4), atomic(0x14, 102, COUNTER, 1, 0)];
    for (packet, sl) in packets.iter_mut().zip([9, 5, 15]) {
        packet.lrh_mut().unwrap().sl = sl;
    }
    let answers = y.answered(&packets);
    let lrh = |p: &Packet| p.lrh().map(|l| (l.slid, l.dlid, l.sl)).unwrap();
    let lrhs: Vec<_> = answers.iter().map(lrh).collect();
    assert_eq!(lrhs, [(2, 1, 9), (2, 1, 5), (2, 1, 15)]);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
}

fn cf130_an_ack_goes_to_the_connected_qp(y: &mut Bench) {
    y.responder_with(1, |a| a.dest_qpn = 0xAB_CDEF);
    let packets = [only(100), read(101, TARGET, 4), atomic(0x14, 102, COUNTER, 1, 0)];
    y.receive(&packets.map(|p| p.encode().unwrap()));
    let qpns: Vec<_> = y.sent().iter().map(|p| p.bth.dest_qp).collect();
    assert_eq!(qpns, [0xAB_CDEF; 3]);
    assert_ne!(qpns[0], PEER_QPN);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
}

/// Though the request is solicited and padded.
fn cf131_an_ack_asks_for_nothing_and_carries_nothing(y: &mut Bench) {
    y.responder(1);
    let mut packet = request(0x04, 100, &[1, 2, 3]);
    packet.bth.se = true;
    let answers = y.answered(&[packet]);
    let (bth, lrh) = (answers[0].bth, answers[0].lrh().unwrap());
    assert_eq!((bth.a, bth.se, bth.pad_cnt, bth.tver), (false, false, 0, 0));
    assert_eq!((answers[0].payload.len(), lrh.pkt_len), (0, 7));
    assert_eq!(y.completions(), [(70, Status::Success, 3)]);
}

/// Back to back: Sends may be acknowledged together, the Read and the atomic have their own answers.
fn cf133_an_ack_covers_no_read_and_no_atomic(y: &mut Bench) {
    y.responder(4);
    let burst = [
        only(100),
        read(101, TARGET, 300),
        only(103),
        atomic(0x14, 104, COUNTER, 1, 0),
        only(105),
        only(106),
    ];
    let answers = y.replies_to_burst(&burst);
    let data: Vec<_> = answers
        .iter()
        .filter(|r| r.0 != 0x11)
        .map(|r| (r.0, r.1))
        .collect();
    assert_eq!(data, [(0x0D, 101), (0x0F, 102), (0x12, 104)]);
    let place = |psn| answers.iter().position(|r| r.1 == psn);
    assert!(place(103) < place(104), "{answers:?}");
    assert_eq!(answers.last(), Some(&ack(106, 6)));
    let success: Vec<_> = (70..74).map(|n| (n, Status::Success, 8)).collect();
    assert_eq!(y.completions(), success);
}

fn cf134_responses_leave_in_psn_order(y: &mut Bench) {
    y.responder(2);
    let burst = [
        read(100, TARGET, 600),
        atomic(0x13, 103, COUNTER, 1, 2),
        read(104, TARGET, 257),
        only(106),
        read(107, TARGET, 8),
        only(108),
    ];
    let psns: Vec<u32> = y.replies_to_burst(&burst).iter().map(|r| r.1).collect();
    let all = [100, 101, 102, 103, 104, 105, 106, 107, 108];
    // The answer to the Read behind it may replace the ack of 106.
    let without: Vec<u32> = all.into_iter().filter(|&psn| psn != 106).collect();
    assert!(psns == all || psns == without, "{psns:?}");
    let success = |n| (n, Status::Success, 8);
    assert_eq!(y.completions(), [success(70), success(71)]);
}

/// FB06.
fn cf135_msn_counts_each_new_message_once(y: &mut Bench) {
    y.responder(3);
    let packets = [
        request(0x00, 100, &[1; 256]),
        request(0x02, 101, &[1]),
        rdma(0x06, 102, TARGET, 257, &[1; 256]),
        request(0x08, 103, &[1]),
        atomic(0x14, 104, COUNTER, 1, 0),
        read(105, TARGET, 300),
        send_with_invalidate(107, TARGET_KEY, &[]),
        only(108),
        only(108),
    ];
    y.register_target(|_| {});
    let answers = y.replies_to(&packets);
    let msns: Vec<u32> = answers.iter().map(|r| r.2.unwrap().1).collect();
    assert_eq!(msns, [0, 1, 1, 2, 3, 4, 4, 5, 6, 6], "the last is a duplicate");
    let lengths: Vec<_> = y.completions().iter().map(|c| c.2).collect();
    assert_eq!(lengths, [257, 0, 8]);
}

fn cf136_the_msn_of_a_read_response_counts_the_read(y: &mut Bench) {
    y.responder(0);
    let expected = [answer(0x0D, 100, 1), (0x0E, 101, None), answer(0x0F, 102, 1)];
    assert_eq!(y.replies_to(&[read(100, TARGET, 513)]), expected);
}

fn cf137_the_ack_of_a_first_packet_keeps_the_old_msn(y: &mut Bench) {
    y.responder(2);
    let packets = [
        only(100),
        request(0x00, 101, &[1; 256]),
        request(0x01, 102, &[1; 256]),
        request(0x02, 103, &[1; 8]),
    ];
    let answers = y.replies_to(&packets);
    assert_eq!(answers, [ack(100, 1), ack(101, 1), ack(102, 1), ack(103, 2)]);
    let success = |n, bytes| (n, Status::Success, bytes);
    assert_eq!(y.completions(), [success(70, 8), success(71, 520)]);
}

/// ACK, data, RNR NAK, sequence NAK, invalid request.
fn cf138_bit_7_of_the_syndrome_is_0(y: &mut Bench) {
    y.responder(1);
    let packets = [
        only(100),
        read(101, TARGET, 4),
        only(109),
        only(102),
        request(0x02, 102, &[1]),
    ];
    let syndromes: Vec<u8> = y
        .replies_to(&packets)
        .iter()
        .map(|(_, _, aeth)| aeth.unwrap().0)
        .collect();
    assert_eq!(syndromes, [0x1F, 0x1F, 0x60, 0x2C, 0x61]);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
}

fn cf139_opcodes_of_read_responses(y: &mut Bench) {
    y.responder(0);
    for (psn, length, opcodes) in [
        (100, 256, &[0x10][..]),
        (101, 257, &[0x0D, 0x0F]),
        (103, 1024, &[0x0D, 0x0E, 0x0E, 0x0F]),
        (107, 1, &[0x10]),
    ] {
        let packets = y.answered(&[read(psn, TARGET, length)]);
        let came: Vec<u8> = packets.iter().map(|p| p.bth.opcode).collect();
        assert_eq!(came, opcodes, "{length}");
    }
}

fn cf140_read_response_psns_run_from_the_request(y: &mut Bench) {
    y.responder_with(0, |a| a.rq_psn = 0xFF_FFFE);
    let packets = y.answered(&[read(0xFF_FFFE, TARGET + 3, 1000)]);
    let rows: Vec<_> = packets.iter().map(|p| (p.bth.psn, p.payload.len())).collect();
    assert_eq!(rows, [(0xFF_FFFE, 256), (0xFF_FFFF, 256), (0, 256), (1, 232)]);
    assert_eq!(payload(&packets), message(TARGET_BYTES)[3..1003]);
}

/// FB35.
fn cf141_a_read_of_no_bytes_has_one_empty_response(y: &mut Bench) {
    y.responder(0);
    let packets = y.answered(&[with_reth(request(0x0C, 100, &[]), 0x1234, 0x99, 0)]);
    assert_eq!(packets.len(), 1);
    let p = &packets[0];
    assert_eq!((p.bth.opcode, p.bth.psn, p.payload.len()), (0x10, 100, 0));
    assert_eq!(y.replies_to(&[read(101, TARGET, 1)]), [answer(0x10, 101, 2)]);
}

/// A Send behind a Read takes the Read's key out of use while the Read's 128 responses leave.
fn cf142_a_fault_while_a_read_is_answered_is_a_nak_at_the_failing_psn(y: &mut Bench) {
    y.responder(2);
    y.register_target(|r| r.length = 0x8000);
    let long = with_reth(request(0x0C, 100, &[]), TARGET, TARGET_KEY, 0x8000);
    let answers = y.replies_to_burst(&[long, send_with_invalidate(228, TARGET_KEY, &[])]);
    let (last, data) = answers.split_last().unwrap();
    assert!(data.len() < 128, "{}", data.len());
    for (n, &(opcode, psn, _)) in (0..).zip(data) {
        assert_eq!((opcode, psn), (if n == 0 { 0x0D } else { 0x0E }, 100 + n));
    }
    assert_eq!(*last, nak(100 + data.len() as u32, 0x62, 1));
    assert_eq!(y.state(), QpState::Error);
    let flushed = (71, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(70, Status::Success, 0), flushed]);
    assert_eq!(y.replies_to(&[only(229)]), []);
}

/// The second Read comes while the 128 responses to the first leave. With `max_dest_rd_atomic` 0, the first is one too
/// many.
fn cf143_more_reads_than_max_dest_rd_atomic(y: &mut Bench) {
    y.responder_with(0, |a| a.max_dest_rd_atomic = 1);
    let answers = y.replies_to_burst(&[read(100, TARGET, 0x8000), read(228, TARGET, 1)]);
    let (last, data) = answers.split_last().unwrap();
    assert_eq!((last.0, last.1, last.2.unwrap().0), (0x11, 228, 0x61));
    for (n, &(_, psn, _)) in (0..).zip(data) {
        assert_eq!(psn, 100 + n);
    }
    assert_eq!(y.state(), QpState::Error);
    y.responder_with(0, |a| a.max_dest_rd_atomic = 1);
    let one_by_one = [read(100, TARGET, 300), read(102, TARGET, 1)];
    let expected = [answer(0x0D, 100, 1), answer(0x0F, 101, 1), answer(0x10, 102, 2)];
    assert_eq!(y.replies_to(&one_by_one), expected);
    y.responder_with(0, |a| a.max_dest_rd_atomic = 0);
    assert_eq!(y.replies_to(&[read(100, TARGET, 1)]), [nak(100, 0x61, 0)]);
}
