//! Responses to Sends of several WQEs (`requester.md` sections 5 to 7).
use super::bench::{on_both, packet, response, Bench};
use hca_golden::verbs::{QpState, Status};

on_both!(
    cf177_a_sequence_nak_sends_again,
    cf178_cf182_an_invalid_request_nak_ends_its_wqe,
    cf112_cf113_an_rnr_nak_sends_again_after_its_time,
    cf178_cf181_a_nak_of_the_first_packet,
    cf181_a_nak_while_requests_leave,
    cf171_a_duplicate_ack,
    cf172_a_ghost_ack,
    cf170_an_ack_of_several_wqes,
    cf168_cf169_an_ack_of_a_middle_psn,
);

/// WQE 1: PSN 2000. WQE 2: 2001 to 2003. WQE 3: 2004.
fn three_wqes(y: &mut Bench) {
    y.connect(100);
    y.post_send(1, 10);
    y.post_send(2, 600);
    y.post_send(3, 0);
    let sent = [
        (0x04, 2000, 10),
        (0x00, 2001, 256),
        (0x01, 2002, 256),
        (0x02, 2003, 88),
        (0x04, 2004, 0),
    ];
    assert_eq!(y.requests(), sent);
    assert_eq!(y.completions(), []);
}

/// The WQE before the NAK is done, its holder fails, the one behind is flushed.
fn nak_within(y: &mut Bench, syndrome: u8, status: Status) {
    three_wqes(y);
    y.receive(&[response(2002, syndrome, 1)]);
    let flushed = (3, Status::WrFlushErr, 0);
    assert_eq!(
        y.completions(),
        [(1, Status::Success, 0), (2, status, 0), flushed]
    );
    assert_eq!(y.state(), QpState::Error);
    y.receive(&[response(2004, 0x1F, 3), packet(0x04, 100, &[1; 4])]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.answers(), []);
}

/// What the second WQE has left, and the third.
fn sent_again(y: &mut Bench) {
    let again = [(0x01, 2002, 256), (0x02, 2003, 88), (0x04, 2004, 0)];
    assert_eq!(y.requests(), again);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    y.receive(&[response(2004, 0x1F, 3)]);
    let success = |wr_id| (wr_id, Status::Success, 0);
    assert_eq!(y.completions(), [success(2), success(3)]);
    assert_eq!(y.state(), QpState::Rts);
}

fn cf177_a_sequence_nak_sends_again(y: &mut Bench) {
    three_wqes(y);
    y.receive(&[response(2002, 0x60, 1)]);
    sent_again(y);
}

fn cf178_cf182_an_invalid_request_nak_ends_its_wqe(y: &mut Bench) {
    nak_within(y, 0x61, Status::RemInvReqErr);
}

/// Timer code 12 is 640 us.
fn cf112_cf113_an_rnr_nak_sends_again_after_its_time(y: &mut Bench) {
    three_wqes(y);
    y.receive(&[response(2002, 0x2C, 1)]);
    assert_eq!(y.requests(), []);
    y.run_for(640_000_000_000 / 8_000_000);
    sent_again(y);
}

fn cf178_cf181_a_nak_of_the_first_packet(y: &mut Bench) {
    three_wqes(y);
    y.receive(&[response(2000, 0x61, 0)]);
    let flushed = |wr_id| (wr_id, Status::WrFlushErr, 0);
    let first = (1, Status::RemInvReqErr, 0);
    assert_eq!(y.completions(), [first, flushed(2), flushed(3)]);
    assert_eq!(y.state(), QpState::Error);
}

/// `qp_cq.md` section 1: what was decided before may still leave, in order; the message is not sent to its end.
fn cf181_a_nak_while_requests_leave(y: &mut Bench) {
    y.connect(100);
    y.interrupt_send(1, 200 * 256, 3, response(2001, 0x61, 0));
    let sent = y.requests();
    assert!((3..200).contains(&sent.len()), "{} packets", sent.len());
    for (n, request) in (0..).zip(sent) {
        let opcode = if n == 0 { 0x00 } else { 0x01 };
        assert_eq!(request, (opcode, 2000 + n, 256));
    }
    assert_eq!(y.completions(), [(1, Status::RemInvReqErr, 0)]);
    assert_eq!(y.state(), QpState::Error);
}

fn cf171_a_duplicate_ack(y: &mut Bench) {
    three_wqes(y);
    let ack = response(2000, 0x1F, 1);
    y.receive(&[ack.clone(), ack.clone()]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    y.receive(&[ack]);
    assert_eq!(y.completions(), []);
    y.receive(&[response(2004, 0x1F, 3)]);
    assert_eq!(
        y.completions(),
        [(2, Status::Success, 0), (3, Status::Success, 0)]
    );
    assert_eq!(y.state(), QpState::Rts);
}

/// PSNs that were not sent, as acks and as a NAK.
fn cf172_a_ghost_ack(y: &mut Bench) {
    three_wqes(y);
    for psn in [2005, 3000, 1999] {
        y.receive(&[response(psn, 0x1F, 3), response(psn, 0x61, 3)]);
    }
    assert_eq!(y.completions(), []);
    assert_eq!(y.state(), QpState::Rts);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

fn cf170_an_ack_of_several_wqes(y: &mut Bench) {
    three_wqes(y);
    y.receive(&[response(2004, 0x1F, 3)]);
    let success = |wr_id| (wr_id, Status::Success, 0);
    assert_eq!(y.completions(), [success(1), success(2), success(3)]);
    assert_eq!(y.state(), QpState::Rts);
}

fn cf168_cf169_an_ack_of_a_middle_psn(y: &mut Bench) {
    three_wqes(y);
    y.receive(&[response(2000, 0x1F, 1)]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    y.receive(&[response(2001, 0x1F, 1)]);
    y.receive(&[response(2002, 0x1F, 1)]);
    assert_eq!(y.completions(), []);
    y.receive(&[response(2003, 0x1F, 2)]);
    assert_eq!(y.completions(), [(2, Status::Success, 0)]);
}
