//! Receiver not ready, on either side (`responder.md` section 5, `requester.md` section 7). Y's timer code is 12.
use crate::bench::peer::{rdma, send_with_invalidate, with_immediate};
use crate::bench::requester::{work, SEND};
use crate::bench::responder::{ack, nak, TARGET};
use crate::bench::{on_both, request, response, Bench, CYCLE_PS, QPN};
use hca_golden::verbs::{AsyncEvent, HostEvent, QpState, Status};

on_both!(
    cf106_a_send_without_a_receive_wqe_gets_an_rnr_nak,
    cf107_cf111_an_rnr_nak_leaves_everything_as_it_is,
    cf108_a_write_with_immediate_meets_the_empty_queue_at_its_immediate_packet,
    cf109_write_first_needs_no_receive_wqe,
    cf110_an_rnr_nak_carries_the_timer_code_of_the_qp,
    cf112_the_requester_waits_for_the_coded_delay,
    cf112_a_sequence_nak_during_the_wait_changes_nothing,
    an_rnr_nak_during_a_retry_is_waited_for,
    cf113_the_resend_starts_at_the_psn_of_the_rnr_nak,
    cf113_cf189_a_sequence_nak_for_the_resend_uses_a_retry,
    cf114_rnr_retry_n_gives_up_after_n_resends,
    cf115_rnr_retry_7_never_gives_up,
    cf116_a_positive_ack_reloads_the_rnr_counter,
    cf539_a_receive_queue_that_ran_dry_raises_one_event,
    cf539_a_sequence_nak_before_does_not_hide_the_event,
    cf539_without_the_event_enabled_none_comes,
);

fn cf106_a_send_without_a_receive_wqe_gets_an_rnr_nak(y: &mut Bench) {
    let packets = [
        request(0x00, 100, &[1; 256]),
        request(0x04, 100, &[1; 3]),
        request(0x05, 100, &[1; 3]),
        send_with_invalidate(100, 0x99, &[1; 3]),
    ];
    for packet in packets {
        y.responder(0);
        assert_eq!(y.replies_to(&[packet]), [nak(100, 0x2C, 0)]);
        assert_eq!(y.state(), QpState::Rts);
        y.nothing_written();
    }
}

/// Further RNR NAKs are silent until a WQE was there.
fn cf539_a_receive_queue_that_ran_dry_raises_one_event(y: &mut Bench) {
    y.responder_with(0, |a| a.dry_event = true);
    for (wr_id, psn, msn) in [(1, 100, 0), (2, 101, 1)] {
        for n in 0..3 {
            assert_eq!(
                y.replies_to(&[request(0x04, psn, &[1; 3])]),
                [nak(psn, 0x2C, msn)]
            );
            assert_eq!(
                y.told(),
                if n == 0 { vec![dry()] } else { vec![] },
                "{n}, PSN {psn}, MSN {msn}"
            );
        }
        y.post_receive(wr_id, 0, 64);
        assert_eq!(y.replies_to(&[request(0x04, psn, &[1; 3])]), [ack(psn, msn + 1)]);
        assert_eq!(y.completions(), [(wr_id, Status::Success, 3)]);
        assert_eq!(y.told(), []);
    }
}

fn cf539_a_sequence_nak_before_does_not_hide_the_event(y: &mut Bench) {
    y.responder_with(0, |a| a.dry_event = true);
    assert_eq!(y.replies_to(&[request(0x04, 105, &[1; 3])]), [nak(100, 0x60, 0)]);
    assert_eq!(y.told(), []);
    assert_eq!(y.replies_to(&[request(0x04, 100, &[1; 3])]), [nak(100, 0x2C, 0)]);
    assert_eq!(y.told(), [dry()]);
}

fn cf539_without_the_event_enabled_none_comes(y: &mut Bench) {
    y.responder(0);
    assert_eq!(y.replies_to(&[request(0x04, 100, &[1; 3])]), [nak(100, 0x2C, 0)]);
    assert_eq!(y.told(), []);
}

fn dry() -> HostEvent {
    HostEvent::Qp(AsyncEvent::ReceiveQueueDry { qpn: QPN })
}

fn cf107_cf111_an_rnr_nak_leaves_everything_as_it_is(y: &mut Bench) {
    y.responder(1);
    assert_eq!(y.replies_to(&[request(0x04, 100, &[1; 8])]), [ack(100, 1)]);
    assert_eq!(y.completions(), [(70, Status::Success, 8)]);
    y.write_buffer(0, &[0x33; 64]);
    for _ in 0..3 {
        assert_eq!(y.replies_to(&[request(0x04, 101, &[2; 16])]), [nak(101, 0x2C, 1)]);
    }
    assert_eq!(y.completions(), []);
    y.post_receive(88, 0, 64);
    assert_eq!(y.buffer(0, 64), [0x33; 64]);
    assert_eq!(y.replies_to(&[request(0x04, 101, &[6; 16])]), [ack(101, 2)]);
    assert_eq!(y.completions(), [(88, Status::Success, 16)]);
    assert_eq!(y.buffer(0, 17), [[6; 16].as_slice(), &[0x33]].concat());
}

fn cf108_a_write_with_immediate_meets_the_empty_queue_at_its_immediate_packet(y: &mut Bench) {
    y.responder(0);
    let last = request(0x09, 101, &[2; 44]);
    let packets = [rdma(0x06, 100, TARGET, 300, &[1; 256]), last.clone()];
    assert_eq!(y.replies_to(&packets), [ack(100, 0), nak(101, 0x2C, 0)]);
    assert_eq!(y.target(0, 256), [1; 256]);
    assert_ne!(y.target(256, 44), [2; 44]);
    y.post_receive(5, 0, 0);
    assert_eq!(y.replies_to(&[last]), [ack(101, 1)]);
    assert_eq!(y.target(256, 44), [2; 44]);
    assert_eq!(y.completions(), [(5, Status::Success, 300)]);
    y.responder(0);
    let only = with_immediate(rdma(0x0B, 100, TARGET, 4, &[1; 4]), [0; 4]);
    assert_eq!(y.replies_to(&[only]), [nak(100, 0x2C, 0)]);
    y.nothing_written();
}

fn cf109_write_first_needs_no_receive_wqe(y: &mut Bench) {
    y.responder(0);
    let first = rdma(0x06, 100, TARGET, 300, &[1; 256]);
    assert_eq!(y.replies_to(&[first]), [ack(100, 0)]);
    assert_eq!(y.replies_to(&[request(0x08, 101, &[2; 44])]), [ack(101, 1)]);
    assert_eq!(y.completions(), []);
}

fn cf110_an_rnr_nak_carries_the_timer_code_of_the_qp(y: &mut Bench) {
    for (code, syndrome) in [(0, 0x20), (1, 0x21), (31, 0x3F)] {
        y.responder_with(0, |a| a.min_rnr_timer = code);
        assert_eq!(y.replies_to(&[request(0x04, 100, &[])]), [nak(100, syndrome, 0)]);
    }
}

const ALL: [(u8, u32); 3] = [(0x00, 2000), (0x02, 2001), (0x04, 2002)];
/// Code 1 of `rnr_timer.csv`, 10 us, with the time that is needed to send again.
const AFTER_10_US: u64 = 10_000_000 / CYCLE_PS + 100;

/// Y, anew, with Sends of 257 and 1 bytes that were sent.
fn waiting(y: &mut Bench, rnr_retry: u8, retry_cnt: u8) {
    y.responder_with(0, |a| (a.rnr_retry, a.retry_cnt) = (rnr_retry, retry_cnt));
    y.post(work(1, SEND, 257));
    y.post(work(2, SEND, 1));
    assert_eq!(y.sent_rows(), ALL);
}

/// FB07, FB32, codes and microseconds of `rnr_timer.csv`. The ack timer of 8 us does not cut it short.
fn cf112_the_requester_waits_for_the_coded_delay(y: &mut Bench) {
    y.connect_with(|a| a.timeout = 1);
    let psns = 2000..;
    for ((code, microseconds), psn) in [(1, 10), (4, 40), (7, 120), (12, 640)].into_iter().zip(psns) {
        y.post(work(1, SEND, 8));
        assert_eq!(y.next_packet(1_000).0, (0x04, psn));
        y.arrive(response(psn, 0x20 | code, 0));
        let expected = microseconds * 1_000_000 / CYCLE_PS;
        let (row, cycles) = y.next_packet(2 * expected + 2_000);
        assert_eq!(row, (0x04, psn));
        assert!((expected..expected + 1_000).contains(&cycles), "{code}: {cycles}");
        y.receive(&[response(psn, 0x1F, 1)]);
        assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    }
}

fn cf112_a_sequence_nak_during_the_wait_changes_nothing(y: &mut Bench) {
    waiting(y, 1, 0);
    let wait = response(2000, 0x21, 0);
    for packet in [wait.clone(), response(2000, 0x60, 0), wait] {
        y.arrive(packet);
    }
    y.run_for(AFTER_10_US);
    assert_eq!(y.sent_rows(), ALL);
    y.receive(&[response(2002, 0x1F, 2)]);
    let success = [(1, Status::Success, 0), (2, Status::Success, 0)];
    assert_eq!(y.completions(), success);
}

/// FB09: of what the retry has sent again, and right behind the NAK that the retry is for, when packets of it may leave
/// before the wait.
fn an_rnr_nak_during_a_retry_is_waited_for(y: &mut Bench) {
    let sequence_nak = response(2000, 0x60, 0);
    waiting(y, 7, 1);
    y.arrive(sequence_nak.clone());
    assert_eq!(y.sent_rows(), ALL);
    assert_eq!(again(y), ALL);
    y.receive(&[response(2002, 0x1F, 2)]);
    let success = [(1, Status::Success, 0), (2, Status::Success, 0)];
    assert_eq!(y.completions(), success);

    waiting(y, 7, 1);
    y.arrive(sequence_nak);
    let sent = again(y);
    assert!(sent.ends_with(&ALL), "{sent:?}");
    y.receive(&[response(2002, 0x1F, 2)]);
    assert_eq!(y.completions(), success);
}

/// All before it counts as acknowledged.
fn cf113_the_resend_starts_at_the_psn_of_the_rnr_nak(y: &mut Bench) {
    waiting(y, 7, 0);
    y.arrive(response(2002, 0x21, 1));
    y.run_for(AFTER_10_US);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    assert_eq!(y.sent_rows(), [(0x04, 2002)]);
}

/// Only one that comes again uses none: nothing but the RNR delay was behind the resend (`requester.md` section 7).
fn cf113_cf189_a_sequence_nak_for_the_resend_uses_a_retry(y: &mut Bench) {
    for retry_cnt in [0, 1] {
        waiting(y, 7, retry_cnt);
        assert_eq!(again(y), ALL);
        y.arrive(response(2000, 0x60, 0));
        if retry_cnt == 0 {
            y.settle();
            let ended = [(1, Status::RetryExcErr, 0), (2, Status::WrFlushErr, 0)];
            assert_eq!(y.completions(), ended);
            assert_eq!(y.state(), QpState::Error);
        } else {
            y.arrive(response(2000, 0x60, 0));
            assert_eq!(y.sent_rows(), ALL);
            assert_eq!(y.completions(), []);
        }
    }
}

/// An RNR NAK for the first PSN, and what goes out after its wait.
fn again(y: &mut Bench) -> Vec<(u8, u32)> {
    y.arrive(response(2000, 0x21, 0));
    y.run_for(AFTER_10_US);
    y.sent_rows()
}

fn cf114_rnr_retry_n_gives_up_after_n_resends(y: &mut Bench) {
    for rnr_retry in [0, 1, 6] {
        waiting(y, rnr_retry, 0);
        for _ in 0..rnr_retry {
            assert_eq!(again(y), ALL);
        }
        assert_eq!(again(y), []);
        let ended = [(1, Status::RnrRetryExcErr, 0), (2, Status::WrFlushErr, 0)];
        assert_eq!(y.completions(), ended);
        assert_eq!(y.state(), QpState::Error);
    }
}

/// FB08: whatever the other counter says.
fn cf115_rnr_retry_7_never_gives_up(y: &mut Bench) {
    waiting(y, 7, 0);
    for n in 1..=20 {
        assert_eq!(again(y), ALL, "{n}");
    }
    assert_eq!(y.state(), QpState::Rts);
    assert_eq!(y.completions(), []);
}

fn cf116_a_positive_ack_reloads_the_rnr_counter(y: &mut Bench) {
    waiting(y, 1, 0);
    assert_eq!(again(y), ALL);
    y.receive(&[response(2000, 0x1F, 0)]);
    y.arrive(response(2001, 0x21, 0));
    y.run_for(AFTER_10_US);
    assert_eq!(y.sent_rows(), [(0x02, 2001), (0x04, 2002)]);
    assert_eq!(y.completions(), []);
    y.receive(&[response(2001, 0x21, 0)]);
    let ended = [(1, Status::RnrRetryExcErr, 0), (2, Status::WrFlushErr, 0)];
    assert_eq!(y.completions(), ended);
}
