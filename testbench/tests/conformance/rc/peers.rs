//! What known peers do and the rules leave open: soft-RoCE, met in live sessions. Y takes it.
use crate::bench::peer::data;
use crate::bench::requester::{work, READ, SEND};
use crate::bench::responder::{ack, nak};
use crate::bench::{on_both, request, response, Bench, CYCLE_PS};
use hca_golden::verbs::{QpState, Status};

on_both!(
    a_read_asked_again_from_its_middle_may_be_answered_with_middle_and_last,
    a_read_asked_again_for_its_end_may_be_answered_with_a_last,
    a_sequence_nak_behind_an_rnr_nak_is_waited_out,
    a_requester_that_takes_retry_count_7_for_ever_is_answered_every_time,
    a_retry_count_of_7_is_seven_retries,
);

/// `requester.md` section 5. The rules want a first, which carries an AETH.
fn a_read_asked_again_from_its_middle_may_be_answered_with_middle_and_last(y: &mut Bench) {
    y.renew(|_| {});
    y.post(work(1, READ, 1000));
    assert_eq!(y.sent_rows(), [(0x0C, 2000)]);
    let lost = [data(0x0D, 2000, &[1; 256]), data(0x0E, 2002, &[9; 256])];
    assert_eq!(y.sent_after(&lost), [(0x0C, 2001)]);
    let answers = [
        data(0x0E, 2001, &[2; 256]),
        data(0x0E, 2002, &[3; 256]),
        data(0x0F, 2003, &[4; 232]),
    ];
    assert_eq!(y.sent_after(&answers), []);
    assert_eq!(y.completions(), [(1, Status::Success, 1000)]);
    let placed = [vec![1; 256], vec![2; 256], vec![3; 256], vec![4; 232]].concat();
    assert_eq!(y.buffer(0, 1000), placed);
}

/// The rules want an only.
fn a_read_asked_again_for_its_end_may_be_answered_with_a_last(y: &mut Bench) {
    y.renew(|a| a.timeout = 3);
    y.post(work(1, READ, 300));
    assert_eq!(y.sent_rows(), [(0x0C, 2000)]);
    assert_eq!(y.sent_after(&[data(0x0D, 2000, &[1; 256])]), []);
    assert_eq!(y.rows_within(AFTER_TIMEOUT, 1), [(0x0C, 2001)]);
    assert_eq!(y.sent_after(&[data(0x0F, 2001, &[2; 44])]), []);
    assert_eq!(y.completions(), [(1, Status::Success, 300)]);
    assert_eq!(y.buffer(0, 300), [vec![1; 256], vec![2; 44]].concat());
}

/// Both are for the same PSN: the packet behind the one that found no WQE was on its way already. Nothing leaves before
/// the delay of the RNR NAK, and then once.
fn a_sequence_nak_behind_an_rnr_nak_is_waited_out(y: &mut Bench) {
    y.responder_with(0, |a| (a.rnr_retry, a.retry_cnt) = (7, 7));
    let all = [(0x04, 2000), (0x04, 2001), (0x04, 2002)];
    for wr_id in 1..=3 {
        y.post(work(wr_id, SEND, 8));
    }
    assert_eq!(y.sent_rows(), all);
    // Code 12 of `rnr_timer.csv`: 640 us.
    let delay = 640_000_000 / CYCLE_PS;
    y.arrive(response(2000, 0x2C, 0));
    y.arrive(response(2000, 0x60, 0));
    assert_eq!(y.rows_within(delay - 500, 1), []);
    y.run_for(1_500);
    assert_eq!(y.sent_rows(), all);
    y.receive(&[response(2002, 0x1F, 3)]);
    assert_eq!(
        y.completions(),
        [1, 2, 3].map(|wr_id| (wr_id, Status::Success, 0))
    );
}

/// `requester.md` section 7: 7 would be seven. A responder has no count of its own.
fn a_requester_that_takes_retry_count_7_for_ever_is_answered_every_time(y: &mut Bench) {
    y.responder(1);
    let send = [request(0x04, 100, &[1; 3])];
    for n in 0..20 {
        assert_eq!(y.replies_to(&send), [ack(100, 1)], "{n}");
    }
    assert_eq!(y.completions(), [(70, Status::Success, 3)]);
    let next = [request(0x04, 101, &[1; 3])];
    for n in 0..20 {
        assert_eq!(y.replies_to(&next), [nak(101, 0x2C, 1)], "{n}");
    }
    assert_eq!(y.state(), QpState::Rts);
}

fn a_retry_count_of_7_is_seven_retries(y: &mut Bench) {
    y.renew(|a| (a.retry_cnt, a.timeout) = (7, 3));
    y.post(work(1, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    for n in 1..=7 {
        assert_eq!(y.rows_within(AFTER_TIMEOUT, 1), [(0x04, 2000)], "{n}");
    }
    assert_eq!(y.rows_within(AFTER_TIMEOUT, 1), []);
    assert_eq!(y.completions(), [(1, Status::RetryExcErr, 0)]);
    assert_eq!(y.state(), QpState::Error);
}

/// Clock cycles until a timer of code 3, 32.768 us, has expired: at most four times that, and what the way out takes.
const AFTER_TIMEOUT: u64 = 4 * 4096 + 500;
