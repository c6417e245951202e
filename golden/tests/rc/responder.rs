//! `responder.md`, and the variations of `scenario_seed001.md` section 1.
use super::pair::*;
use hca_golden::capabilities::Capabilities;
use hca_golden::event::{DropReason, Event};
use hca_golden::hca::Hca;
use hca_golden::port::PortConfig;
use hca_golden::verbs::*;
use hca_golden::wire::extension::Extension;
use hca_golden::wire::immdt::ImmDt;

/// Y with this many receive WQEs of 5120 bytes, WR ids from 70 on, buffers 64 KiB apart.
fn y(receives: u64) -> Hca {
    y_at(100, receives)
}

fn y_at(psn: u32, receives: u64) -> Hca {
    let attributes = QpAttributes {
        rq_psn: psn,
        ..y_attributes()
    };
    let mut y = connected(Y_LID, &attributes);
    for n in 0..receives {
        let buffer = sge(BUFFER_AT + n * 0x1_0000, 5120);
        y.post_receive(Y_QPN, receive(70 + n, &[buffer])).unwrap();
    }
    y
}

fn state(y: &Hca) -> QpState {
    y.query(Y_QPN).unwrap().state
}

/// CF059, CF060, CF067: memory and context stay as they were.
#[test]
fn a_gap_is_refused_at_the_expected_psn() {
    let mut y = y(1);
    assert_eq!(
        answers(&mut y, &[request(0x00, 101, &[9; 2048])]),
        [(100, 0x60, 0)]
    );
    assert_eq!(y.memory().read(BUFFER_AT, 2048), [0; 2048]);
    assert_eq!(
        (y.query(Y_QPN).unwrap().expected_psn, state(&y)),
        (100, QpState::Rts)
    );
    assert_eq!(completions(&mut y), []);
}

/// CF061, CF062, CF066.
#[test]
fn one_sequence_nak_until_the_expected_psn_arrives() {
    let mut y = y(2);
    let only = |psn| request(0x04, psn, &[1; 8]);
    assert_eq!(answers(&mut y, &[only(100)]), [(100, 0x1F, 1)]);
    assert_eq!(answers(&mut y, &[only(102)]), [(101, 0x60, 1)]);
    assert_eq!(
        drop_reason(&mut y, &only(103).encode().unwrap()),
        DropReason::NakOutstanding
    );
    assert_eq!(
        answers(&mut y, &[only(100)]),
        [(100, 0x1F, 1)],
        "a duplicate is answered"
    );
    assert_eq!(
        drop_reason(&mut y, &only(104).encode().unwrap()),
        DropReason::NakOutstanding
    );
    assert_eq!(answers(&mut y, &[only(101)]), [(101, 0x1F, 2)]);
    assert_eq!(answers(&mut y, &[only(103)]), [(102, 0x60, 2)]);
}

/// CF063, CF064: the PSN at distance 2^23 is left out.
#[test]
fn regions_of_the_psn_space() {
    let region = |psn| answers(&mut y(1), &[request(0x04, psn, &[])]);
    let again = [(99, 0x1F, 0)];
    let gap = [(100, 0x60, 0)];
    assert_eq!(region(99), again);
    assert_eq!(region(100_u32.wrapping_sub((1 << 23) - 1) & 0xFF_FFFF), again);
    assert_eq!(region(101), gap);
    assert_eq!(region(100 + (1 << 23) - 1), gap);
}

/// CF065.
#[test]
fn the_psn_wraps() {
    let mut y = y_at(0xFF_FFFF, 2);
    let only = |psn| request(0x04, psn, &[5]);
    assert_eq!(
        answers(&mut y, &[only(0xFF_FFFF), only(0)]),
        [(0xFF_FFFF, 0x1F, 1), (0, 0x1F, 2)]
    );
}

/// CF117, CF124: a duplicate of the whole message, after software has changed the buffer.
#[test]
fn a_duplicate_is_acknowledged_and_not_written_again() {
    let mut y = y(2);
    let packets = [
        request(0x00, 100, &[1; 2048]),
        request(0x01, 101, &[2; 2048]),
        request(0x02, 102, &[3; 1024]),
    ];
    assert_eq!(
        answers(&mut y, &packets),
        [(100, 0x1F, 0), (101, 0x1F, 0), (102, 0x1F, 1)]
    );
    assert_eq!(completions(&mut y), [(70, Status::Success, 5120)]);
    y.memory_mut().write(BUFFER_AT, &[0xEE; 5120]);
    assert_eq!(answers(&mut y, &packets), [(102, 0x1F, 1); 3]);
    assert_eq!(y.memory().read(BUFFER_AT, 5120), [0xEE; 5120]);
    assert_eq!(completions(&mut y), []);
}

/// CF106, CF107, CF110, CF111.
#[test]
fn without_a_receive_wqe_the_receiver_is_not_ready() {
    let mut y = y(0);
    let only = request(0x04, 100, &[6; 16]);
    assert_eq!(answers(&mut y, std::slice::from_ref(&only)), [(100, 0x2C, 0)]);
    let later = request(0x04, 101, &[]).encode().unwrap();
    assert_eq!(drop_reason(&mut y, &later), DropReason::NakOutstanding);
    assert_eq!(y.query(Y_QPN).unwrap().expected_psn, 100);
    y.post_receive(Y_QPN, receive(88, &[sge(BUFFER_AT, 16)])).unwrap();
    assert_eq!(answers(&mut y, &[only]), [(100, 0x1F, 1)]);
    assert_eq!(completions(&mut y), [(88, Status::Success, 16)]);
    assert_eq!(y.memory().read(BUFFER_AT, 16), [6; 16]);
}

/// CF068, CF069, CF073: NAK 61h, no receive WQE used, then silence (CF092).
#[test]
fn opcodes_that_may_not_begin() {
    let reserved = [0x15].into_iter().chain(0x18..0x20);
    for opcode in [0x01, 0x02, 0x03, 0x07, 0x08, 0x09, 0x16]
        .into_iter()
        .chain(reserved)
    {
        refused_with_61h(&mut y(1), opcode);
    }
}

/// What a device of Sends alone does not know.
#[test]
fn opcodes_that_are_not_supported() {
    for opcode in [0x06, 0x0A, 0x0B, 0x0C, 0x13, 0x14, 0x17] {
        let mut y = connected_with(Y_LID, &y_attributes(), Capabilities::SENDS);
        y.post_receive(Y_QPN, receive(70, &[sge(BUFFER_AT, 5120)]))
            .unwrap();
        refused_with_61h(&mut y, opcode);
    }
}

fn refused_with_61h(y: &mut Hca, opcode: u8) {
    let wrong = request(opcode, 100, &[1; 16]);
    assert_eq!(
        answers(y, std::slice::from_ref(&wrong)),
        [(100, 0x61, 0)],
        "{opcode:02X}h"
    );
    let completed = completions(y);
    assert!(
        completed.iter().all(|c| c.1 == Status::WrFlushErr),
        "{opcode:02X}h"
    );
    assert_eq!(state(y), QpState::Error, "{opcode:02X}h");
    assert_eq!(drop_reason(y, &wrong.encode().unwrap()), DropReason::QpState);
}

/// CF070, CF071, CF072: the open receive WQE completes in error.
#[test]
fn opcodes_that_may_not_continue_a_send() {
    let first = request(0x00, 100, &[1; 2048]);
    for opcode in [
        0x00, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0C, 0x13, 0x15, 0x1C,
    ] {
        let mut y = y(2);
        let wrong = request(opcode, 101, &[1; 16]);
        assert_eq!(
            answers(&mut y, &[first.clone(), wrong]),
            [(100, 0x1F, 0), (101, 0x61, 0)],
            "{opcode:02X}h"
        );
        assert_eq!(
            completions(&mut y),
            [(70, Status::RemInvReqErr, 0), (71, Status::WrFlushErr, 0)],
            "{opcode:02X}h"
        );
    }
}

/// A reserved opcode out of sequence is a matter of its PSN first.
#[test]
fn the_psn_is_checked_before_the_opcode() {
    assert_eq!(answers(&mut y(1), &[request(0x1D, 101, &[])]), [(100, 0x60, 0)]);
    assert_eq!(
        answers(&mut y(0), &[request(0x01, 100, &[1; 2048])]),
        [(100, 0x61, 0)],
        "before RNR"
    );
}

/// CF078, CF079, CF080.
#[test]
fn payloads_of_the_wrong_length() {
    let first = request(0x00, 100, &[1; 2048]);
    for (opcode, length) in [(0x00, 2044), (0x00, 2052), (0x00, 0), (0x04, 2052), (0x05, 2049)] {
        let mut y = y(1);
        let wrong = request(opcode, 100, &vec![1; length]);
        assert_eq!(
            answers(&mut y, &[wrong]),
            [(100, 0x61, 0)],
            "{opcode:02X}h of {length}"
        );
        assert_eq!(completions(&mut y), [(70, Status::RemInvReqErr, 0)]);
    }
    for (opcode, length) in [(0x01, 2044), (0x01, 2052), (0x02, 0), (0x02, 2049), (0x03, 0)] {
        let mut y = y(1);
        let wrong = request(opcode, 101, &vec![1; length]);
        let expected = [(100, 0x1F, 0), (101, 0x61, 0)];
        assert_eq!(
            answers(&mut y, &[first.clone(), wrong]),
            expected,
            "{opcode:02X}h of {length}"
        );
    }
}

/// CF084.
#[test]
fn a_message_longer_than_its_receive_wqe() {
    let mut y = y(0);
    y.post_receive(Y_QPN, receive(9, &[sge(BUFFER_AT, 2050)]))
        .unwrap();
    let packets = [request(0x00, 100, &[1; 2048]), request(0x02, 101, &[2; 3])];
    assert_eq!(answers(&mut y, &packets), [(100, 0x1F, 0), (101, 0x61, 0)]);
    assert_eq!(completions(&mut y), [(9, Status::LocLenErr, 0)]);
    assert_eq!(y.memory().read(BUFFER_AT + 2048, 3), [0; 3]);
    assert_eq!(state(&y), QpState::Error);
}

/// CF094, CF095, CF097, CF135: three messages, the middle one of no bytes.
#[test]
fn messages_go_to_wqes_in_post_order() {
    let mut y = y(0);
    let scattered = [sge(0x5000, 3), sge(0x6000, 0), sge(0x7000, 2100)];
    y.post_receive(Y_QPN, receive(1, &scattered)).unwrap();
    y.post_receive(Y_QPN, receive(2, &[])).unwrap();
    y.post_receive(Y_QPN, receive(3, &[sge(0x9000, 8)])).unwrap();
    let packets = [
        request(0x00, 100, &message(2048)),
        request(0x02, 101, &[0xAA, 0xBB]),
        request(0x04, 102, &[]),
        request(0x04, 103, &[0xCC]),
    ];
    let expected = [(100, 0x1F, 0), (101, 0x1F, 1), (102, 0x1F, 2), (103, 0x1F, 3)];
    assert_eq!(answers(&mut y, &packets), expected);
    assert_eq!(
        completions(&mut y),
        [
            (1, Status::Success, 2050),
            (2, Status::Success, 0),
            (3, Status::Success, 1)
        ]
    );
    assert_eq!(y.memory().read(0x5000, 4), [message(3), vec![0]].concat());
    assert_eq!(y.memory().read(0x7000, 2045), message(2048)[3..]);
    assert_eq!(y.memory().read(0x7000 + 2045, 3), [0xAA, 0xBB, 0]);
    assert_eq!(y.memory().read(0x9000, 2), [0xCC, 0]);
}

/// CF098.
#[test]
fn immediate_data_comes_with_the_completion() {
    let mut y = y(1);
    let mut only = request(0x05, 100, &[1]);
    only.extensions = vec![Extension::ImmDt(ImmDt {
        imm_data: [0xDE, 0xAD, 0xBE, 0xEF],
    })];
    assert_eq!(answers(&mut y, &[only]), [(100, 0x1F, 1)]);
    let completion = y.poll_cq(CQN).unwrap();
    assert_eq!(completion.immediate, Some([0xDE, 0xAD, 0xBE, 0xEF]));
    assert_eq!(
        (completion.byte_count, completion.operation),
        (1, CompletedOperation::Receive)
    );
}

/// CF129, CF130, CF131: the ack of a request on a path of its own.
#[test]
fn an_ack_goes_back_the_way_the_request_came() {
    let mut y = Hca::new(PortConfig {
        lid: 0x20,
        lmc: 3,
        ..PortConfig::default()
    });
    y.create_cq(CQN, 64).unwrap();
    y.reg_mr(all_memory()).unwrap();
    y.create_qp(&y_attributes()).unwrap();
    for state in [QpState::Init, QpState::Rtr] {
        y.move_qp(&y_attributes(), state).unwrap();
    }
    y.post_receive(Y_QPN, receive(1, &[])).unwrap();
    let mut only = request(0x04, 100, &[]);
    only.lrh_mut().unwrap().dlid = 0x25;
    only.lrh_mut().unwrap().sl = 9;
    y.receive(&only.encode().unwrap());
    let (packets, _) = settle(&mut y);
    let ack = &packets[0];
    let lrh = ack.lrh().unwrap();
    assert_eq!((lrh.dlid, lrh.slid, lrh.sl), (X_LID, 0x25, 9));
    assert_eq!((ack.bth.dest_qp, ack.bth.p_key), (X_QPN, 0xFFFF));
    assert_eq!(
        (ack.bth.a, ack.bth.se, ack.bth.pad_cnt, ack.payload.len()),
        (false, false, 0, 0)
    );
    assert_eq!(lrh.pkt_len, 7);
}

/// `responder.md` section 1, note on steps 11 to 14: of two faults either may be reported.
#[test]
fn either_of_two_faults_may_be_reported() {
    for syndrome in [0x2C, 0x61] {
        let mut y = connected(Y_LID, &y_attributes());
        y.receive(&request(0x00, 100, &[1; 2044]).encode().unwrap());
        let refused = Event::RequestRefused {
            packet: 0,
            qpn: Y_QPN,
            psn: 100,
            syndrome,
        };
        y.apply(&refused).unwrap();
    }
}
