//! What a request brings about (`responder.md` section 4).
use crate::bench::peer::{atomic, rdma, read, with_immediate};
use crate::bench::requester::all_rights;
use crate::bench::responder::{ack, answer, message, payload, TARGET};
use crate::bench::{on_both, request, Bench, BUFFER, QPN, UNTOUCHED};
use hca_golden::verbs::{AsyncEvent, CompletedOperation, Completion, QpState, Sge, Status};
use hca_testbench::scenario::region::L_KEY;

on_both!(
    cf094_send_data_is_scattered_over_the_sges_in_order,
    cf094_a_message_of_one_sge_at_every_alignment,
    cf095_receive_wqes_are_used_in_post_order,
    cf096_a_receive_cqe_comes_after_the_last_packet_and_its_data,
    cf097_the_byte_count_is_the_message_length,
    cf098_send_with_immediate,
    cf099_a_plain_write_makes_no_cqe_and_takes_no_wqe,
    cf099_a_write_of_several_packets,
    cf100_write_with_immediate_takes_a_wqe_with_its_immediate_packet,
    cf101_write_with_immediate_goes_to_va_not_to_the_receive_buffer,
    cf102_a_read_returns_the_memory_at_va,
    cf103_compare_swap_stores_only_on_equality,
    cf104_fetch_add_adds_modulo_2_to_64,
    cf103_cf104_atomics_right_behind_one_another,
    cf105_the_first_request_in_rtr_establishes_the_communication_once,
);

fn sge(offset: u64, length: u32) -> Sge {
    Sge {
        addr: BUFFER + offset,
        length,
        l_key: L_KEY,
    }
}

/// SGEs of 3, 0, 300 and 90 bytes, none in order in memory nor aligned.
fn cf094_send_data_is_scattered_over_the_sges_in_order(y: &mut Bench) {
    y.responder(0);
    let sges = [sge(1001, 3), sge(5, 0), sge(509, 300), sge(17, 90)];
    y.post_receive_of(1, &sges);
    let data = message(390);
    let packets = [request(0x00, 100, &data[..256]), request(0x02, 101, &data[256..])];
    assert_eq!(y.replies_to(&packets), [ack(100, 0), ack(101, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 390)]);
    let untouched = [UNTOUCHED];
    assert_eq!(y.buffer(1000, 5), [&untouched, &data[..3], &untouched].concat());
    assert_eq!(
        y.buffer(508, 302),
        [&untouched, &data[3..303], &untouched].concat()
    );
    let left = [UNTOUCHED; 4];
    assert_eq!(y.buffer(16, 92), [&untouched, &data[303..], &left].concat());
    assert_eq!(y.buffer(0, 8), [UNTOUCHED; 8]);
}

/// With the SGE in the WQE itself.
fn cf094_a_message_of_one_sge_at_every_alignment(y: &mut Bench) {
    y.responder(0);
    let data = message(20);
    for at in 0..16_u8 {
        let offset = 33 * u64::from(at);
        y.post_receive(at.into(), offset, 20);
        let packet = request(0x04, 100 + u32::from(at), &data);
        assert_eq!(
            y.replies_to(&[packet]),
            [ack(100 + u32::from(at), u32::from(at) + 1)]
        );
        assert_eq!(y.completions(), [(at.into(), Status::Success, 20)]);
        let untouched = [UNTOUCHED; 13];
        assert_eq!(y.buffer(offset, 33), [&data[..], &untouched].concat());
    }
}

/// CF095 across messages of one packet, of several, and Writes with immediate.
fn cf095_receive_wqes_are_used_in_post_order(y: &mut Bench) {
    y.responder(0);
    for (wr_id, offset) in [(9, 1500), (3, 0), (7, 700), (1, 300)] {
        y.post_receive(wr_id, offset, 300);
    }
    let packets = [
        request(0x04, 100, &[1; 5]),
        request(0x00, 101, &[2; 256]),
        request(0x02, 102, &[3; 4]),
        with_immediate(rdma(0x0B, 103, TARGET, 2, &[4; 2]), [0; 4]),
        request(0x04, 104, &[5; 6]),
    ];
    y.replies_to_burst(&packets);
    let success = |id, bytes| (id, Status::Success, bytes);
    assert_eq!(
        y.completions(),
        [success(9, 5), success(3, 260), success(7, 2), success(1, 6)]
    );
    assert_eq!(y.buffer(1500, 6), [1, 1, 1, 1, 1, UNTOUCHED]);
    assert_eq!(y.buffer(0, 260), [vec![2; 256], vec![3; 4]].concat());
    assert_eq!(y.buffer(700, 2), [UNTOUCHED; 2]);
    assert_eq!(y.buffer(300, 7), [5, 5, 5, 5, 5, 5, UNTOUCHED]);
}

/// The data is looked at the moment the CQE is there: see `scoreboard`.
fn cf096_a_receive_cqe_comes_after_the_last_packet_and_its_data(y: &mut Bench) {
    y.responder(1);
    y.replies_to(&[request(0x00, 100, &[1; 256]), request(0x01, 101, &[2; 256])]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.replies_to(&[request(0x02, 102, &[3; 9])]), [ack(102, 1)]);
    assert_eq!(y.completions(), [(70, Status::Success, 521)]);
    let placed = [vec![1; 256], vec![2; 256], vec![3; 9]].concat();
    assert_eq!(y.buffer(0, 521), placed);
}

fn cf097_the_byte_count_is_the_message_length(y: &mut Bench) {
    y.responder(0);
    for (n, length) in [0, 1, 3, 255, 256].into_iter().enumerate() {
        y.post_receive(n as u64, 0, 300);
        y.replies_to(&[request(0x04, 100 + n as u32, &vec![1; length])]);
        let expected = (n as u64, Status::Success, length as u32);
        assert_eq!(y.completions(), [expected]);
    }
}

/// The immediate data as it stood on the wire.
fn received(wr_id: u64, byte_count: u32, immediate: Option<[u8; 4]>) -> Completion {
    Completion {
        wr_id,
        status: Status::Success,
        qpn: QPN,
        operation: CompletedOperation::Receive,
        byte_count,
        immediate,
        invalidated: None,
        p_key_index: None,
        datagram: None,
    }
}

fn cf098_send_with_immediate(y: &mut Bench) {
    y.responder(3);
    let immediate = [0xDE, 0xAD, 0xBE, 0xEF];
    let packets = [
        with_immediate(request(0x05, 100, &[7]), immediate),
        request(0x00, 101, &[1; 256]),
        with_immediate(request(0x03, 102, &[8]), [0, 0, 0, 1]),
        request(0x04, 103, &[9]),
    ];
    y.replies_to(&packets);
    let expected = [
        received(70, 1, Some(immediate)),
        received(71, 257, Some([0, 0, 0, 1])),
        received(72, 1, None),
    ];
    assert_eq!(y.taken(), expected);
    assert_eq!(y.buffer(0, 2), [7, UNTOUCHED], "the immediate is no payload");
}

fn cf099_a_plain_write_makes_no_cqe_and_takes_no_wqe(y: &mut Bench) {
    y.responder(1);
    let packets = [
        rdma(0x0A, 100, TARGET + 5, 3, &[0xEE; 3]),
        request(0x04, 101, &[]),
    ];
    assert_eq!(y.replies_to(&packets), [ack(100, 1), ack(101, 2)]);
    assert_eq!(y.completions(), [(70, Status::Success, 0)]);
    let before = message(9);
    assert_eq!(y.target(4, 5), [before[4], 0xEE, 0xEE, 0xEE, before[8]]);
}

/// At no multiple of anything; without a receive WQE.
fn cf099_a_write_of_several_packets(y: &mut Bench) {
    y.responder(0);
    let data: Vec<u8> = message(1300)[600..].to_vec();
    let packets = [
        rdma(0x06, 100, TARGET + 1003, 700, &data[..256]),
        request(0x07, 101, &data[256..512]),
        request(0x08, 102, &data[512..]),
    ];
    assert_eq!(y.replies_to(&packets), [ack(100, 0), ack(101, 0), ack(102, 1)]);
    assert_eq!(y.completions(), []);
    let mut expected = message(1710);
    expected[1003..1703].copy_from_slice(&data);
    assert_eq!(y.target(0, 1710), expected);
}

/// FB27.
fn cf100_write_with_immediate_takes_a_wqe_with_its_immediate_packet(y: &mut Bench) {
    y.responder(0);
    assert_eq!(
        y.replies_to(&[rdma(0x06, 100, TARGET, 300, &[1; 256])]),
        [ack(100, 0)],
        "no WQE is needed yet (CF109)"
    );
    y.post_receive(70, 0, 8);
    y.post_receive(71, 8, 8);
    assert_eq!(y.completions(), []);
    let last = with_immediate(request(0x09, 101, &[2; 44]), [1, 2, 3, 4]);
    let only = with_immediate(rdma(0x0B, 102, TARGET, 0, &[]), [5; 4]);
    assert_eq!(y.replies_to(&[last, only]), [ack(101, 1), ack(102, 2)]);
    let of_write = |wr_id, byte_count, immediate| Completion {
        operation: CompletedOperation::ReceiveWithImmediate,
        ..received(wr_id, byte_count, Some(immediate))
    };
    // The WQE's 8 bytes do not bound what the Write brings.
    let expected = [of_write(70, 300, [1, 2, 3, 4]), of_write(71, 0, [5; 4])];
    assert_eq!(y.taken(), expected);
}

fn cf101_write_with_immediate_goes_to_va_not_to_the_receive_buffer(y: &mut Bench) {
    y.responder(1);
    assert_eq!(
        y.replies_to(&[rdma(0x0B, 100, TARGET + 1, 4, &[9; 4])]),
        [ack(100, 1)]
    );
    assert_eq!(y.completions(), [(70, Status::Success, 4)]);
    assert_eq!(y.target(0, 6), [0, 9, 9, 9, 9, 65]);
    assert_eq!(y.buffer(0, 64), [UNTOUCHED; 64]);
}

fn cf102_a_read_returns_the_memory_at_va(y: &mut Bench) {
    y.responder(0);
    let packets = y.answered(&[read(100, TARGET + 3, 700)]);
    let opcodes: Vec<_> = packets.iter().map(|p| (p.bth.opcode, p.bth.psn)).collect();
    assert_eq!(opcodes, [(0x0D, 100), (0x0E, 101), (0x0F, 102)]);
    let lengths: Vec<_> = packets.iter().map(|p| p.payload.len()).collect();
    assert_eq!(lengths, [256, 256, 188]);
    assert_eq!(payload(&packets), message(703)[3..]);
    for (psn, (offset, length)) in (103..).zip([(0, 1), (7, 2), (63, 3), (1, 255), (255, 256)]) {
        let packets = y.answered(&[read(psn, TARGET + offset, length)]);
        let expected = &message(1024)[offset as usize..][..length as usize];
        assert_eq!(payload(&packets), expected);
    }
}

/// What the answer to an atomic says was there.
fn original(y: &mut Bench, opcode: u8, psn: u32, swap_add: u64, compare: u64) -> u64 {
    let packets = y.answered(&[atomic(opcode, psn, TARGET + 8, swap_add, compare)]);
    assert_eq!(packets.len(), 1);
    assert_eq!((packets[0].bth.opcode, packets[0].bth.psn), (0x12, psn));
    packets[0].atomic_ack_eth().unwrap().orig_rem_dt
}

/// Host memory is little-endian; a difference in any byte counts.
fn cf103_compare_swap_stores_only_on_equality(y: &mut Bench) {
    y.responder(0);
    let before = 0x0102_0304_0506_0708_u64;
    y.write_target(8, &[8, 7, 6, 5, 4, 3, 2, 1]);
    for (psn, bit) in [(100, 0), (101, 31), (102, 32), (103, 63)] {
        assert_eq!(original(y, 0x13, psn, u64::MAX, before ^ (1 << bit)), before);
        assert_eq!(y.target(8, 8), [8, 7, 6, 5, 4, 3, 2, 1]);
    }
    assert_eq!(original(y, 0x13, 104, 0xA1A2_A3A4_A5A6_A7A8, before), before);
    let around = message(17);
    let stored = [0xA8, 0xA7, 0xA6, 0xA5, 0xA4, 0xA3, 0xA2, 0xA1];
    assert_eq!(y.target(0, 17), [&around[..8], &stored, &around[16..]].concat());
}

fn cf104_fetch_add_adds_modulo_2_to_64(y: &mut Bench) {
    y.responder(0);
    y.write_target(8, &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(original(y, 0x14, 100, 5, 0), 0xFFFF_FFFF_FFFF_FFFE);
    assert_eq!(y.target(8, 8), [3, 0, 0, 0, 0, 0, 0, 0]);
    // A carry out of the lower half.
    y.write_target(8, &[0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0]);
    assert_eq!(original(y, 0x14, 101, 1, 0), 0x0000_0001_FFFF_FFFF);
    assert_eq!(y.target(8, 8), [0, 0, 0, 0, 2, 0, 0, 0]);
}

/// Each sees what the one before has stored.
fn cf103_cf104_atomics_right_behind_one_another(y: &mut Bench) {
    y.responder(0);
    y.write_target(8, &[0; 8]);
    let at = TARGET + 8;
    let requests = [
        atomic(0x14, 100, at, 3, 0),
        atomic(0x14, 101, at, 4, 0),
        atomic(0x13, 102, at, 100, 7),
        atomic(0x14, 103, at, 1, 0),
    ]
    .map(|p| p.encode().unwrap());
    y.receive(&requests);
    let packets = y.came();
    let originals: Vec<_> = packets
        .iter()
        .map(|p| (p.bth.psn, p.atomic_ack_eth().unwrap().orig_rem_dt))
        .collect();
    assert_eq!(originals, [(100, 0), (101, 3), (102, 7), (103, 100)]);
    assert_eq!(y.target(8, 8), [101, 0, 0, 0, 0, 0, 0, 0]);
}

/// The hardware tells no asynchronous events yet: those are of the model that follows it.
fn cf105_the_first_request_in_rtr_establishes_the_communication_once(y: &mut Bench) {
    y.create(&all_rights());
    for state in [QpState::Init, QpState::Rtr] {
        y.modify(state);
    }
    assert_eq!(y.events(), []);
    let established = [AsyncEvent::CommunicationEstablished { qpn: QPN }];
    for psn in [100, 101] {
        let reply = answer(0x10, psn, psn - 99);
        assert_eq!(y.replies_to(&[read(psn, TARGET, 0)]), [reply]);
        assert_eq!(y.events(), established);
    }
    y.modify(QpState::Rts);
    assert_eq!(y.replies_to(&[rdma(0x0A, 102, TARGET, 0, &[])]), [ack(102, 3)]);
    assert_eq!(y.events(), established);
}
