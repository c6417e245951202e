//! What a request brings about (`responder.md` section 4, CF094 to CF105).
use super::case::*;
use super::pair::*;
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;
use hca_golden::wire::atomic_ack_eth::AtomicAckEth;
use hca_golden::wire::packet::Packet;

fn original(packet: &Packet) -> Option<u64> {
    packet
        .atomic_ack_eth()
        .map(|AtomicAckEth { orig_rem_dt }| orig_rem_dt)
}

#[test]
fn cf094_send_data_is_scattered_over_the_sges_in_order() {
    let mut y = responder(0);
    let sges = [sge(0x5001, 3), sge(0x6000, 0), sge(0x7000, 300), sge(0x8000, 90)];
    y.post_receive(Y_QPN, receive(1, &sges)).unwrap();
    let data = message(400);
    let packets = [
        request(0x00, 100, &data[..256]),
        request(0x02, 101, &data[256..390]),
    ];
    replies(&mut y, &packets);
    assert_eq!(y.memory().read(0x5000, 5), [0, data[0], data[1], data[2], 0]);
    assert_eq!(y.memory().read(0x7000, 300), data[3..303]);
    assert_eq!(y.memory().read(0x8000, 88), [&data[303..390], &[0]].concat());
}

#[test]
fn cf095_receive_wqes_are_used_in_post_order() {
    let mut y = responder(3);
    replies(&mut y, &[100, 101, 102].map(|psn| request(0x04, psn, &[])));
    assert_eq!(statuses(&mut y), [70, 71, 72].map(|id| (id, Status::Success)));
}

#[test]
fn cf096_a_receive_cqe_comes_after_the_last_packet_and_its_data() {
    let mut y = responder(1);
    replies(
        &mut y,
        &[request(0x00, 100, &[1; 256]), request(0x01, 101, &[2; 256])],
    );
    assert_eq!(completions(&mut y), []);
    replies(&mut y, &[request(0x02, 102, &[3; 9])]);
    assert_eq!(completions(&mut y), [(70, Status::Success, 521)]);
    let placed = [vec![1; 256], vec![2; 256], vec![3; 9]].concat();
    assert_eq!(y.memory().read(BUFFER_AT, 521), placed);
}

#[test]
fn cf097_the_byte_count_is_the_message_length() {
    for length in [0, 1, 255, 256] {
        let mut y = responder(1);
        replies(&mut y, &[request(0x04, 100, &vec![1; length])]);
        assert_eq!(completions(&mut y), [(70, Status::Success, length as u32)]);
    }
}

#[test]
fn cf098_send_with_immediate() {
    let mut y = responder(2);
    let immediate = [0xDE, 0xAD, 0xBE, 0xEF];
    let packets = [
        with_immediate(request(0x05, 100, &[1]), immediate),
        request(0x00, 101, &[1; 256]),
        with_immediate(request(0x03, 102, &[1]), [0, 0, 0, 1]),
    ];
    replies(&mut y, &packets);
    let of = |c: Completion| (c.operation, c.byte_count, c.immediate);
    assert_eq!(
        y.poll_cq(CQN).map(of),
        Some((CompletedOperation::Receive, 1, Some(immediate)))
    );
    assert_eq!(
        y.poll_cq(CQN).map(of),
        Some((CompletedOperation::Receive, 257, Some([0, 0, 0, 1])))
    );
}

#[test]
fn cf099_a_plain_write_makes_no_cqe_and_takes_no_wqe() {
    let mut y = responder(1);
    let packets = [
        rdma(0x0A, 100, TARGET + 5, 3, &[0xEE; 3]),
        request(0x04, 101, &[]),
    ];
    assert_eq!(replies(&mut y, &packets), [ack(100, 1), ack(101, 2)]);
    assert_eq!(completions(&mut y), [(70, Status::Success, 0)]);
    let written = y.memory().read(TARGET + 4, 5);
    assert_eq!(written, [message(5)[4], 0xEE, 0xEE, 0xEE, message(9)[8]]);
}

/// FB27.
#[test]
fn cf100_write_with_immediate_takes_a_wqe_with_its_immediate_packet() {
    let mut y = responder(2);
    let last = with_immediate(request(0x09, 101, &[2; 44]), [1, 2, 3, 4]);
    replies(&mut y, &[rdma(0x06, 100, TARGET, 300, &[1; 256])]);
    assert_eq!(completions(&mut y), []);
    assert_eq!(replies(&mut y, &[last]), [ack(101, 1)]);
    let only = with_immediate(rdma(0x0B, 102, TARGET, 0, &[]), [5; 4]);
    assert_eq!(replies(&mut y, &[only]), [ack(102, 2)]);
    for (wr_id, byte_count, immediate) in [(70, 300, [1, 2, 3, 4]), (71, 0, [5; 4])] {
        let expected = Completion {
            wr_id,
            status: Status::Success,
            qpn: Y_QPN,
            operation: CompletedOperation::ReceiveWithImmediate,
            byte_count,
            immediate: Some(immediate),
            invalidated: None,
            p_key_index: None,
        };
        assert_eq!(y.poll_cq(CQN), Some(expected));
    }
}

#[test]
fn cf101_write_with_immediate_goes_to_va_not_to_the_receive_buffer() {
    let mut y = responder(1);
    replies(&mut y, &[rdma(0x0B, 100, TARGET + 1, 4, &[9; 4])]);
    assert_eq!(y.memory().read(TARGET + 1, 4), [9; 4]);
    assert_eq!(y.memory().read(BUFFER_AT, 16), [0; 16]);
}

#[test]
fn cf102_a_read_returns_the_memory_at_va() {
    let mut y = responder(0);
    let packets = answered(&mut y, &[read(100, TARGET + 3, 700)]);
    let data: Vec<u8> = packets.iter().flat_map(|p| p.payload.clone()).collect();
    assert_eq!(data, message(1000)[3..703]);
}

#[test]
fn cf103_compare_swap_stores_only_on_equality() {
    let mut y = responder(0);
    y.memory_mut().write(TARGET, &7_u64.to_le_bytes());
    let packets = answered(&mut y, &[atomic(0x13, 100, TARGET, 9, 8)]);
    assert_eq!((original(&packets[0]), y.memory().read_u64(TARGET)), (Some(7), 7));
    let packets = answered(&mut y, &[atomic(0x13, 101, TARGET, 9, 7)]);
    assert_eq!((original(&packets[0]), y.memory().read_u64(TARGET)), (Some(7), 9));
    assert_eq!(rows(&packets), [(0x12, 101)]);
}

#[test]
fn cf104_fetch_add_adds_modulo_2_to_64() {
    let mut y = responder(0);
    y.memory_mut()
        .write(TARGET, &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    let packets = answered(&mut y, &[atomic(0x14, 100, TARGET, 5, 0)]);
    assert_eq!(original(&packets[0]), Some(0xFFFF_FFFF_FFFF_FFFE));
    assert_eq!(y.memory().read(TARGET, 8), [3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(rows(&packets), [(0x12, 100)]);
}

#[test]
fn cf105_the_first_request_in_rtr_establishes_the_communication_once() {
    let mut y = hca_golden::hca::Hca::new(PortConfig {
        lid: Y_LID,
        ..PortConfig::default()
    });
    y.create_cq(CQN, 8).unwrap();
    y.create_qp(&responder_attributes()).unwrap();
    for state in [QpState::Init, QpState::Rtr] {
        y.move_qp(&responder_attributes(), state).unwrap();
    }
    replies(&mut y, &[request(0x0A, 100, &[]), request(0x0A, 101, &[])]);
    assert_eq!(
        y.poll_async(),
        Some(AsyncEvent::CommunicationEstablished { qpn: Y_QPN })
    );
    assert_eq!(y.poll_async(), None);
}
