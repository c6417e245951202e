//! Writes that host memory answers with errors, and the reads of atomics.
use super::{in_error, remote, BAD, ONLY, READ as READ_REQUEST};
use crate::bench::peer::{atomic, data};
use crate::bench::requester::{all_rights, work, READ, SEND};
use crate::bench::{on_both, packet, Bench, BUFFER, QPN, UNTOUCHED};
use hca_golden::verbs::{AsyncEvent, HostEvent, QpState, Status};
use hca_testbench::device::{Outcome, Verb};

const MIDDLE: u8 = 0x01;
const WRITE_ONLY: u8 = 0x0A;

on_both!(
    a_send_that_cannot_be_placed,
    a_send_before_one_that_cannot_be_placed,
    a_write_that_cannot_be_placed,
    a_write_that_cannot_be_placed_behind_an_error,
    a_response_that_cannot_be_placed,
    an_atomic_whose_target_fails,
    atomics_of_the_next_life_are_answered,
    another_queue_pair_goes_on,
    the_next_at_its_index_lives,
);

/// The message arrived, so that it is acknowledged; its completion says that it is not there.
fn a_send_that_cannot_be_placed(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.post_receive(1, BAD, 64);
    y.post_receive(2, 0, 16);
    y.receive(&[packet(ONLY, 100, &[1; 16])]);
    acknowledged_or_not(y, (100, 0x1F, 1));
    let flushed = (2, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0), flushed]);
    in_error(y);
}

/// A completion that was written stays.
fn a_send_before_one_that_cannot_be_placed(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.post_receive(1, 0, 16);
    y.post_receive(2, BAD, 64);
    y.receive(&[packet(ONLY, 100, &[1; 16])]);
    assert_eq!(y.answers(), [(100, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 16)]);
    y.receive(&[packet(ONLY, 101, &[2; 16])]);
    acknowledged_or_not(y, (101, 0x1F, 2));
    assert_eq!(y.completions(), [(2, Status::LocQpOpErr, 0)]);
    assert_eq!(y.buffer(0, 16), [1; 16]);
    in_error(y);
}

fn a_write_that_cannot_be_placed(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.post_receive(1, 0, 16);
    y.receive(&[remote(WRITE_ONLY, 100, BAD + 16, 8, &[1; 8])]);
    acknowledged_or_not(y, (100, 0x1F, 1));
    assert_eq!(y.completions(), [(1, Status::WrFlushErr, 0)]);
    in_error(y);
}

/// Software hears of the fault whatever moved the QP to Error before it was known.
fn a_write_that_cannot_be_placed_behind_an_error(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    let middle_without_a_first = packet(MIDDLE, 101, &[0; 256]);
    y.receive(&[
        remote(WRITE_ONLY, 100, BAD + 16, 8, &[1; 8]),
        middle_without_a_first,
    ]);
    let told = y.told();
    let events = [
        AsyncEvent::QpFatal { qpn: QPN },
        AsyncEvent::RequestError { qpn: QPN },
    ];
    assert!(told.contains(&HostEvent::Qp(events[0])), "{told:?}");
    assert!(
        told.iter().all(|event| events.map(HostEvent::Qp).contains(event)),
        "{told:?}"
    );
    y.sound_packets();
    in_error(y);
}

/// The QP may be in Error before the ack leaves.
fn acknowledged_or_not(y: &mut Bench, ack: (u64, u64, u64)) {
    let answers = y.answers();
    assert!(answers.is_empty() || answers == [ack], "{answers:?}");
}

/// A Read of three packets: the second cannot be placed.
fn a_response_that_cannot_be_placed(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.post_from(1, READ, BAD - 256, 768);
    y.post_from(2, SEND, 0, 10);
    assert_eq!(y.sound_packets(), [Some((0x0C, 2000)), Some((ONLY, 2003))]);
    let responses = [(0x0D, 2000), (0x0E, 2001)].map(|(opcode, psn)| data(opcode, psn, &[7; 256]));
    y.receive(&responses.map(|r| r.encode().unwrap()));
    let flushed = (2, Status::WrFlushErr, 0);
    assert_eq!(y.completions(), [(1, Status::LocQpOpErr, 0), flushed]);
    assert_eq!(y.buffer(BAD - 256, 256), [7; 256]);
    in_error(y);
}

/// Neither carried out nor answered.
fn an_atomic_whose_target_fails(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.post_receive(1, 0, 16);
    y.receive(&[atomic(0x14, 100, BUFFER + BAD + 8, 1, 0).encode().unwrap()]);
    assert_eq!(y.sound_packets(), []);
    assert_eq!(y.buffer(BAD, 64), [UNTOUCHED; 64]);
    assert_eq!(y.completions(), [(1, Status::WrFlushErr, 0)]);
    in_error(y);
}

/// Whatever became of those before it: each has the resource that the one that failed had.
fn atomics_of_the_next_life_are_answered(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    for _ in 0..5 {
        y.receive(&[atomic(0x14, 100, BUFFER + BAD + 8, 1, 0).encode().unwrap()]);
        assert_eq!(y.sound_packets(), []);
        assert_eq!(y.state(), QpState::Error);
        y.renew(|_| ());
        y.write_buffer(0, &[7, 0, 0, 0, 0, 0, 0, 0]);
        y.receive(&[atomic(0x14, 100, BUFFER, 1, 0).encode().unwrap()]);
        let answers = y.sound_packets();
        assert_eq!(answers, [Some((0x12, 100))]);
        assert_eq!(y.buffer(0, 8), [8, 0, 0, 0, 0, 0, 0, 0]);
        y.renew(|_| ());
    }
}

fn another_queue_pair_goes_on(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    let first = QPN;
    y.connect_another(first + 1, |attributes| attributes.rq_psn = 500);
    y.post_receive(1, 0, 16);
    y.post_receive(2, 16, 16);
    let send = |psn: u32, byte: u8| {
        let mut send = crate::bench::request(ONLY, psn, &[byte; 8]);
        send.bth.dest_qp = first + 1;
        send.encode().unwrap()
    };
    let fails = remote(WRITE_ONLY, 100, BAD, 8, &[1; 8]);
    y.receive(&[send(500, 2), fails, send(501, 3)]);
    let answers = y.answers();
    let others: Vec<_> = answers.iter().filter(|a| **a != (100, 0x1F, 1)).collect();
    assert_eq!(others.last(), Some(&&(501, 0x1F, 2)), "{answers:?}");
    let success = |wr_id| (wr_id, Status::Success, 8);
    assert_eq!(y.completions(), [success(1), success(2)]);
    assert_eq!(y.state(), QpState::Rts);
    y.turn_to(first);
    in_error(y);
}

/// A fault of a QP that is destroyed meanwhile is its own, whenever it comes: the next one at its index lives.
fn the_next_at_its_index_lives(y: &mut Bench) {
    y.connect_with(|_| ());
    y.fail_buffer(BAD, 64);
    y.fail_source(BAD, 64);
    for life in 0..12 {
        y.post_receive(1, BAD, 64);
        y.post(work(2, SEND, 8));
        y.arrive(packet(ONLY, 100, &[1; 16]));
        y.arrive(remote(WRITE_ONLY, 101, BAD + 16, 8, &[1; 8]));
        y.arrive(remote(READ_REQUEST, 102, BAD + 16, 8, &[]));
        y.run_cycles(12 * life);
        assert_eq!(y.attempt(Verb::DestroyQp { qpn: QPN }), Ok(Outcome::Done));
        y.create_another(&all_rights());
        y.enter_rts();
        y.completions();
        y.sound_packets();
        assert_eq!(y.state(), QpState::Rts, "life {life}");
        y.post_receive(3, 0, 64);
        y.receive(&[packet(ONLY, 100, &[2; 16])]);
        assert_eq!(y.answers(), [(100, 0x1F, 1)]);
        assert_eq!(y.completions(), [(3, Status::Success, 16)]);
        assert_eq!(y.attempt(Verb::DestroyQp { qpn: QPN }), Ok(Outcome::Done));
        y.create_another(&all_rights());
        y.enter_rts();
    }
}
