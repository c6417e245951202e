//! The local ack timer and the retry counter (`requester.md` section 7, `aeth.md` section 6). T of code 3 is 32.768 us,
//! 4096 cycles of either device; the timer expires between T and 4T.
use crate::bench::peer::{acknowledge, data};
use crate::bench::requester::{work, READ, SEND};
use crate::bench::{on_both, Bench};
use hca_golden::verbs::{QpState, Status};

on_both!(
    cf186_a_timeout_resends_from_the_oldest_unacknowledged_psn,
    cf186_a_timeout_in_the_middle_of_read_responses,
    cf187_the_timer_expires_not_before_t,
    cf188_code_0_disables_the_timer,
    cf189_retry_cnt_bounds_the_resends,
    cf189_retry_cnt_0_sends_nothing_again,
    cf190_progress_reloads_the_retry_counter,
);

const T: u64 = 4096;
/// Clock cycles for what is under way beside the timer.
const MARGIN: u64 = 500;

fn cf186_a_timeout_resends_from_the_oldest_unacknowledged_psn(y: &mut Bench) {
    y.connect_with(|a| a.timeout = 3);
    for (wr_id, length) in [(1, 1), (2, 300), (3, 1)] {
        y.post(work(wr_id, SEND, length));
    }
    let rest = [(0x00, 2001), (0x02, 2002), (0x04, 2003)];
    assert_eq!(y.sent_rows(), [&[(0x04, 2000)], &rest[..]].concat());
    assert_eq!(y.sent_after(&[acknowledge(2000, 0x1F)]), []);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    assert_eq!(y.rows_within(4 * T + MARGIN, 3), rest);
    assert_eq!(y.sent_after(&[acknowledge(2003, 0x1F)]), []);
    let success = |id| (id, Status::Success, 0);
    assert_eq!(y.completions(), [success(2), success(3)]);
    assert_eq!(y.rows_within(8 * T, 1), [], "nothing is outstanding");
}

/// What is left of the Read is asked for.
fn cf186_a_timeout_in_the_middle_of_read_responses(y: &mut Bench) {
    y.connect_with(|a| a.timeout = 3);
    y.post(work(1, READ, 600));
    assert_eq!(y.sent_rows(), [(0x0C, 2000)]);
    assert_eq!(y.sent_after(&[data(0x0D, 2000, &[1; 256])]), []);
    assert_eq!(y.rows_within(4 * T + MARGIN, 1), [(0x0C, 2001)]);
    let rest = [data(0x0D, 2001, &[2; 256]), data(0x0F, 2002, &[3; 88])];
    assert_eq!(y.sent_after(&rest), []);
    assert_eq!(y.completions(), [(1, Status::Success, 600)]);
    assert_eq!(
        y.buffer(0, 600),
        [vec![1; 256], vec![2; 256], vec![3; 88]].concat()
    );
}

/// From the moment when the request is on the wire; less what it took to get there.
fn cf187_the_timer_expires_not_before_t(y: &mut Bench) {
    y.connect_with(|a| a.timeout = 3);
    y.post(work(1, SEND, 1));
    assert_eq!(y.rows_within(MARGIN, 1), [(0x04, 2000)]);
    assert_eq!(y.rows_within(T - MARGIN, 1), []);
    assert_eq!(y.rows_within(3 * T + 2 * MARGIN, 1), [(0x04, 2000)]);
    assert_eq!(y.sent_after(&[acknowledge(2000, 0x1F)]), []);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

/// 16 of the T of code 3.
fn cf188_code_0_disables_the_timer(y: &mut Bench) {
    y.connect_with(|a| a.timeout = 0);
    y.post(work(1, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    assert_eq!(y.rows_within(16 * T, 1), []);
    assert_eq!(y.sent_after(&[acknowledge(2000, 0x1F)]), []);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
}

/// The first time and twice again, then the error; what is behind is flushed.
fn cf189_retry_cnt_bounds_the_resends(y: &mut Bench) {
    y.connect_with(|a| (a.timeout, a.retry_cnt) = (3, 2));
    y.post(work(1, SEND, 1));
    y.post(work(2, SEND, 1));
    let both = [(0x04, 2000), (0x04, 2001)];
    assert_eq!(y.sent_rows(), both);
    assert_eq!(y.rows_within(4 * T + MARGIN, 2), both);
    assert_eq!(y.completions(), []);
    assert_eq!(y.rows_within(4 * T + MARGIN, 2), both);
    assert_eq!(y.completions(), []);
    assert_eq!(y.rows_within(4 * T + MARGIN, 1), []);
    let expected = [(1, Status::RetryExcErr, 0), (2, Status::WrFlushErr, 0)];
    assert_eq!(y.completions(), expected);
    assert_eq!(y.state(), QpState::Error);
}

fn cf189_retry_cnt_0_sends_nothing_again(y: &mut Bench) {
    y.connect_with(|a| (a.timeout, a.retry_cnt) = (3, 0));
    y.post(work(1, SEND, 1));
    assert_eq!(y.sent_rows(), [(0x04, 2000)]);
    assert_eq!(y.rows_within(4 * T + MARGIN, 1), []);
    assert_eq!(y.completions(), [(1, Status::RetryExcErr, 0)]);
}

/// One retry for each of three packets of two requests.
fn cf190_progress_reloads_the_retry_counter(y: &mut Bench) {
    y.connect_with(|a| (a.timeout, a.retry_cnt) = (3, 1));
    y.post(work(1, SEND, 257));
    y.post(work(2, SEND, 1));
    let all = [(0x00, 2000), (0x02, 2001), (0x04, 2002)];
    assert_eq!(y.sent_rows(), all);
    assert_eq!(y.rows_within(4 * T + MARGIN, 3), all);
    assert_eq!(y.sent_after(&[acknowledge(2000, 0x1F)]), []);
    assert_eq!(y.rows_within(4 * T + MARGIN, 2), all[1..]);
    assert_eq!(y.completions(), []);
    assert_eq!(y.sent_after(&[acknowledge(2001, 0x1F)]), []);
    assert_eq!(y.rows_within(4 * T + MARGIN, 1), all[2..]);
    assert_eq!(y.completions(), [(1, Status::Success, 0)]);
    assert_eq!(y.rows_within(4 * T + MARGIN, 1), []);
    assert_eq!(y.completions(), [(2, Status::RetryExcErr, 0)]);
}
