//! The count of answers between a responder that accepts, and a link on which answers and their replays leave.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::responder::AnswerCount;
use std::collections::VecDeque;

const QPS: usize = 16;
/// Operations that a QP owes at most.
const OWED: usize = 16;
/// Answers that may wait to be counted.
const WAITING: u64 = 16;
/// Clocks to count one.
const EACH: u64 = 3;

#[derive(Clone, Default)]
struct Qp {
    taken: u64,
    answered: u64,
    owed: VecDeque<u64>,
    /// The last that was answered.
    before: Option<u64>,
}

/// Of the QP in hand an operation is accepted, the count is looked at, or both begin anew; meanwhile answers of any QP
/// leave. PSNs of different QPs are often the same.
#[test]
fn answers_are_counted_oldest_first_and_replays_are_not() {
    let mut bench = Bench::new(&library::<AnswerCount<4, 8>>("answer_count"), 1);
    let mut rng = Rng::with_seed(0xA5);
    let mut qps = vec![Qp::default(); QPS];
    let (mut waiting, mut counted, mut looked) = (0, 0, 0);
    for clock in 0..60_000 {
        let starts = clock < QPS;
        let hand = if starts { clock } else { rng.usize(..QPS) };
        let accepts = !starts && qps[hand].owed.len() < OWED && rng.u8(..8) == 0;
        // What stands where nothing is accepted means nothing.
        let taken = if accepts { qps[hand].taken } else { rng.u64(..) };
        let last_psn = rng.u64(..64) << 12 | rng.u64(..64);
        bench.set("accept_valid", accepts.into());
        bench.set("accept_taken", taken % 32);
        bench.set("accept_last_psn", last_psn);
        for port in ["accept_index", "clear_index", "lookup_index"] {
            bench.set(port, hand as u64);
        }

        let index = rng.usize(..QPS);
        let psn = if rng.u8(..4) == 0 {
            qps[index].before
        } else {
            qps[index].owed.front().copied()
        };
        let answer = psn.filter(|_| waiting < EACH * (WAITING - 2) && rng.u8(..3) == 0);
        bench.set("answered_valid", answer.is_some().into());
        bench.set("answered_index", index as u64);
        bench.set("answered_psn", answer.unwrap_or_else(|| rng.u64(..1 << 24)));

        // At times of a QP that is owed much.
        let quiet = waiting == 0 && answer.is_none() && !accepts;
        let clears = starts || (quiet && rng.u8(..200) == 0);
        bench.set("clear_valid", clears.into());
        bench.settle();
        if !starts && bench.is_set("settled") {
            let expected = qps[hand].answered % 32;
            assert_eq!(bench.get("lookup"), expected, "clock {clock}: QP {hand}");
            looked += 1;
        }
        assert!(starts || waiting > 0 || bench.is_set("settled"), "clock {clock}");
        bench.tick();

        waiting = waiting.saturating_sub(1);
        if let Some(psn) = answer {
            waiting += EACH + 2;
            let qp = &mut qps[index];
            if qp.owed.front() == Some(&psn) {
                qp.owed.pop_front();
                (qp.answered, qp.before) = (qp.answered + 1, Some(psn));
                counted += 1;
            }
        }
        if accepts {
            qps[hand].owed.push_back(last_psn);
            qps[hand].taken += 1;
        }
        if clears {
            qps[hand] = Qp::default();
        }
    }
    assert!(
        counted > 3_000 && looked > 5_000,
        "{counted} counted, {looked} looked at"
    );
}
