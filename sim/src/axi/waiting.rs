//! Bursts that wait for their answer.
use super::burst::Burst;
use std::collections::VecDeque;

/// Number of IDs: AxID has four bits.
const IDS: usize = 16;

/// Write data and strobes of a burst.
#[derive(Default)]
pub(super) struct Data {
    pub bytes: Vec<u8>,
    pub strobes: Vec<u8>,
}

/// A burst on its way to an answer.
pub(super) struct Pending {
    pub burst: Burst,
    /// Clock cycle from which on the burst may be answered.
    pub due: u64,
    /// Write data; empty for a read.
    pub data: Data,
}

/// Bursts that wait for their answer, those of each ID in order.
#[derive(Default)]
pub(super) struct Waiting {
    of_id: [VecDeque<Pending>; IDS],
    pub count: usize,
}

impl Waiting {
    pub fn push(&mut self, pending: Pending) {
        self.of_id[pending.burst.id as usize % IDS].push_back(pending);
        self.count += 1;
    }

    /// Returns the burst to answer next: the earliest one due, but never before an earlier one of its ID.
    pub fn take(&mut self, cycle: u64) -> Option<Pending> {
        if self.count == 0 {
            return None;
        }
        let fronts = self.of_id.iter_mut().filter_map(|queue| {
            let due = queue.front()?.due;
            (due <= cycle).then_some((due, queue))
        });
        let pending = fronts.min_by_key(|(due, _)| *due)?.1.pop_front()?;
        self.count -= 1;
        Some(pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(id: u64, addr: u64, due: u64) -> Pending {
        let beats = 1;
        Pending {
            burst: Burst { id, addr, beats },
            due,
            data: Data::default(),
        }
    }

    #[test]
    fn ids_pass_each_other_and_bursts_of_one_do_not() {
        let mut waiting = Waiting::default();
        for (id, addr, due) in [(0, 1, 50), (0, 2, 10), (6, 3, 20), (5, 4, 60), (6, 5, 20)] {
            waiting.push(pending(id, addr, due));
        }
        let mut order = Vec::new();
        for cycle in 0..100 {
            while let Some(next) = waiting.take(cycle) {
                assert!(cycle >= next.due);
                order.push((cycle, next.burst.addr));
            }
        }
        assert_eq!(order, [(20, 3), (20, 5), (50, 1), (50, 2), (60, 4)]);
        assert_eq!(waiting.count, 0);
    }
}
