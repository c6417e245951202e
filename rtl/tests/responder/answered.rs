//! The count of answers between a responder that accepts, and a link on which answers and their replays leave.
use crate::bench::{library, Bench};
use fastrand::Rng;
use hca_rtl::responder::AnswerCount;
use std::collections::VecDeque;

const QPS: usize = 16;
/// Operations that a QP owes at most, and of which it can replay.
const OWED: u64 = 16;
/// Answers that may wait to be counted.
const WAITING: u64 = 16;
/// Clocks in which one is counted.
const EACH: u64 = 2;

#[derive(Clone, Default)]
struct Qp {
    taken: u64,
    answered: u64,
    owed: VecDeque<u64>,
    /// Answered before, or owed when the QP was cleared.
    past: VecDeque<u64>,
}

impl Qp {
    fn passes(&mut self, psn: u64) {
        self.past.push_front(psn);
        self.past.truncate(OWED as usize);
    }

    fn clear(&mut self) {
        for psn in std::mem::take(&mut self.owed) {
            self.passes(psn);
        }
        (self.taken, self.answered) = (0, 0);
    }
}

/// Of the QP in hand an operation is accepted, the count is looked at, or both begin anew; meanwhile answers of any QP
/// leave, as fast as they can be counted while the link takes them. PSNs of different QPs are often the same.
#[test]
fn answers_are_counted_oldest_first_and_replays_are_not() {
    let mut bench = Bench::new(&library::<AnswerCount<4, 8>>("answer_count"), 1);
    let mut rng = Rng::with_seed(0xA5);
    let mut qps = vec![Qp::default(); QPS];
    let (mut waiting, mut counted, mut at_once, mut looked) = (0_u64, 0, 0, 0);
    let (mut link_takes, mut leaving) = (true, 0);
    let mut cleared_before = false;
    // The QP of the last answer, if that counted.
    let mut last = None;
    for clock in 0..60_000 {
        let starts = clock < QPS;
        let hand = if starts { clock } else { rng.usize(..QPS) };
        for port in ["accept_index", "clear_index", "lookup_index"] {
            bench.set(port, hand as u64);
        }
        bench.settle();
        // What has left but is not counted has its slot still.
        let owes = (qps[hand].taken % 32 + 32 - bench.get("lookup")) % 32;
        let accepts = !starts && owes < OWED && rng.u8(..4) == 0;
        // What stands where nothing is accepted means nothing.
        let taken = if accepts { qps[hand].taken } else { rng.u64(..) };
        let last_psn = rng.u64(..64) << 12 | rng.u64(..64);
        bench.set("accept_valid", accepts.into());
        bench.set("accept_taken", taken % 32);
        bench.set("accept_last_psn", last_psn);

        link_takes ^= rng.u16(..400) == 0;
        if rng.bool() {
            leaving = rng.usize(..QPS);
        }
        let psn = if rng.u8(..4) == 0 {
            qps[leaving].past.get(rng.usize(..OWED as usize)).copied()
        } else {
            qps[leaving].owed.front().copied()
        };
        let answer = psn.filter(|_| link_takes && waiting < EACH * (WAITING - 1) && rng.u8(..8) != 0);
        bench.set("answered_valid", answer.is_some().into());
        bench.set("answered_index", leaving as u64);
        bench.set("answered_psn", answer.unwrap_or_else(|| rng.u64(..1 << 24)));

        let clears = starts || (!accepts && !cleared_before && rng.u8(..200) == 0);
        cleared_before = clears;
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
            let qp = &mut qps[leaving];
            let counts = qp.owed.front() == Some(&psn);
            if counts {
                qp.owed.pop_front();
                qp.answered += 1;
                qp.passes(psn);
                counted += 1;
                at_once += u64::from(waiting > 0 && last == Some(leaving));
            }
            last = counts.then_some(leaving);
            waiting = waiting.max(1) + EACH;
        }
        if accepts {
            qps[hand].owed.push_back(last_psn);
            qps[hand].taken += 1;
        }
        if clears {
            qps[hand].clear();
            waiting = waiting.max(EACH);
        }
    }
    assert!(
        counted > 5_000 && at_once > 500 && looked > 5_000,
        "{counted} counted, {at_once} of them right behind one of the same QP, {looked} looked at"
    );
}
