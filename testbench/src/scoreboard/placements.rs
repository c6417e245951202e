//! The data that decisions place in host memory, and from when on it must be there.
//!
//! A decision is reported first, and its data is written to host memory some clock cycles later. Two moments end this
//! delay. When software polls the CQE of a receive request, the data of that message, and of all earlier requests of
//! the QP, is in memory (`responder.md` section 4, `requester.md` section 8). When a command has taken a region or a QP
//! away, the data that was placed in the region, or by the QP, is in memory.
use hca_golden::event::Event;
use hca_golden::verbs::QueueSide;
use rangemap::RangeMap;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Number of placements of a QP that are remembered. What more of them cover was placed long ago.
const REMEMBERED: usize = 1024;

/// The placements that software does not know to be in memory.
#[derive(Default)]
pub struct Placements {
    /// By byte, the number of the decision that wrote it last.
    latest: RangeMap<u64, u64>,
    /// By QP, oldest first.
    of_qp: HashMap<u32, VecDeque<Placement>>,
    /// By QP, the decisions that ended the messages of receive requests whose CQEs are not written, oldest first.
    ends: HashMap<u32, VecDeque<u64>>,
    /// By L_Key, the memory of the regions.
    regions: HashMap<u32, Range<u64>>,
    /// Number of the latest decision.
    number: u64,
}

struct Placement {
    number: u64,
    range: Range<u64>,
    /// True for data of a request, false for data of a response.
    is_request: bool,
}

impl Placements {
    /// Notes what software has written, which no longer is as a decision wrote it.
    pub fn overwrite(&mut self, written: Vec<Range<u64>>) {
        written.into_iter().for_each(|range| self.latest.remove(range));
    }

    /// Notes the memory that a decision about a packet of this QP has written. `ends_receive` says whether it ended the
    /// message of a receive request.
    pub fn place(&mut self, qpn: u32, is_request: bool, written: Vec<Range<u64>>, ends_receive: bool) {
        self.number += 1;
        let number = self.number;
        let of_qp = self.of_qp.entry(qpn).or_default();
        for range in written {
            self.latest.insert(range.clone(), number);
            of_qp.push_back(Placement {
                number,
                range,
                is_request,
            });
        }
        while of_qp.len() > REMEMBERED {
            let oldest = of_qp.pop_front();
            oldest.map(|placement| take(&mut self.latest, &placement));
        }
        if ends_receive {
            self.ends.entry(qpn).or_default().push_back(number);
        }
    }

    /// Returns the decision that ended the message of the QP's next receive request, whose CQE is written or lost; 0 if
    /// no message ended.
    pub fn completed(&mut self, qpn: u32) -> u64 {
        self.ends
            .get_mut(&qpn)
            .and_then(VecDeque::pop_front)
            .unwrap_or_default()
    }

    /// Forgets the receive requests of a QP that went to Reset or was destroyed.
    pub fn forget(&mut self, qpn: u32) {
        self.ends.remove(&qpn);
    }

    /// Notes a region that was registered.
    pub fn register(&mut self, l_key: u32, memory: Range<u64>) {
        self.regions.insert(l_key, memory);
    }

    /// Returns the number of the latest decision.
    pub fn now(&self) -> u64 {
        self.number
    }

    /// Takes what requests of a QP have placed up to this decision.
    pub fn of_requests(&mut self, qpn: u32, until: u64) -> Vec<Range<u64>> {
        self.of(qpn, |placement| placement.is_request && placement.number <= until)
    }

    /// Takes all that was placed for a QP.
    pub fn of_queue_pair(&mut self, qpn: u32) -> Vec<Range<u64>> {
        self.of(qpn, |_| true)
    }

    /// Takes what was placed in a region up to this decision.
    pub fn of_region(&mut self, l_key: u32, until: u64) -> Vec<Range<u64>> {
        let Some(memory) = self.regions.remove(&l_key) else {
            return Vec::new();
        };
        let overlap = |(range, number): (&Range<u64>, &u64)| {
            let part = range.start.max(memory.start)..range.end.min(memory.end);
            (*number <= until).then_some(part)
        };
        let placed: Vec<_> = self.latest.overlapping(&memory).filter_map(overlap).collect();
        placed.iter().for_each(|range| self.latest.remove(range.clone()));
        placed
    }

    fn of(&mut self, qpn: u32, is_due: impl Fn(&Placement) -> bool) -> Vec<Range<u64>> {
        let Some(of_qp) = self.of_qp.get_mut(&qpn) else {
            return Vec::new();
        };
        let (due, later) = std::mem::take(of_qp).into_iter().partition::<Vec<_>, _>(is_due);
        of_qp.extend(later);
        due.iter()
            .flat_map(|placement| take(&mut self.latest, placement))
            .collect()
    }
}

/// Takes the bytes of a placement that nothing has written since.
fn take(latest: &mut RangeMap<u64, u64>, placement: &Placement) -> Vec<Range<u64>> {
    let range = &placement.range;
    let left = latest
        .overlapping(range)
        .filter(|(_, number)| **number == placement.number)
        .map(|(part, _)| part.start.max(range.start)..part.end.min(range.end));
    let left: Vec<_> = left.collect();
    left.iter().for_each(|part| latest.remove(part.clone()));
    left
}

/// Returns the QP whose receive request this event completes, with a CQE or without one.
pub(super) fn completes_receive(event: &Event) -> Option<u32> {
    match *event {
        Event::CompletionWritten {
            qpn,
            side: QueueSide::Receive,
            ..
        }
        | Event::CompletionLost {
            qpn,
            side: QueueSide::Receive,
            ..
        } => Some(qpn),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QPN: u32 = 7;

    fn is_data(written: Range<u64>) -> Vec<Range<u64>> {
        vec![written]
    }

    #[test]
    fn a_receive_waits_for_its_own_message_and_those_before_it() {
        let mut placements = Placements::default();
        placements.place(QPN, true, is_data(0x100..0x140), false);
        placements.place(QPN, true, is_data(0x200..0x240), true);
        placements.place(QPN, true, is_data(0x300..0x340), true);
        placements.place(QPN + 1, true, is_data(0x400..0x440), false);
        placements.place(QPN, false, is_data(0x500..0x540), false);
        let first = placements.completed(QPN);
        assert_eq!(placements.of_requests(QPN, first), [0x100..0x140, 0x200..0x240]);
        let second = placements.completed(QPN);
        assert_eq!(placements.of_requests(QPN, second), is_data(0x300..0x340));
        assert_eq!(placements.completed(QPN), 0);
        assert_eq!(placements.of_queue_pair(QPN), is_data(0x500..0x540));
        assert_eq!(placements.of_queue_pair(QPN), []);
    }

    #[test]
    fn bytes_that_were_written_again_are_left_out() {
        let mut placements = Placements::default();
        placements.place(QPN, true, is_data(0x100..0x140), false);
        placements.place(QPN + 1, true, is_data(0x110..0x120), false);
        placements.overwrite(is_data(0x138..0x180));
        assert_eq!(placements.of_queue_pair(QPN), [0x100..0x110, 0x120..0x138]);
        assert_eq!(placements.of_queue_pair(QPN + 1), is_data(0x110..0x120));
    }

    #[test]
    fn a_region_waits_for_what_was_placed_in_it_before() {
        let mut placements = Placements::default();
        placements.register(1, 0x120..0x200);
        placements.place(QPN, false, is_data(0x100..0x140), false);
        let end = placements.now();
        placements.place(QPN, true, is_data(0x180..0x190), false);
        assert_eq!(placements.of_region(1, end), is_data(0x120..0x140));
        assert_eq!(placements.of_region(1, end), []);
        assert_eq!(placements.of_queue_pair(QPN), [0x100..0x120, 0x180..0x190]);
    }

    #[test]
    fn the_receives_of_a_reset_queue_pair_are_forgotten() {
        let mut placements = Placements::default();
        placements.place(QPN, true, is_data(0x100..0x140), true);
        placements.forget(QPN);
        assert_eq!(placements.completed(QPN), 0);
        assert_eq!(placements.of_queue_pair(QPN), is_data(0x100..0x140));
    }

    #[test]
    fn only_the_latest_placements_are_remembered() {
        let mut placements = Placements::default();
        for n in 0..REMEMBERED as u64 + 1 {
            placements.place(QPN, true, is_data(n * 64..n * 64 + 8), false);
        }
        let left = placements.of_queue_pair(QPN);
        assert_eq!((left.len(), left[0].clone()), (REMEMBERED, 64..72));
        assert_eq!(placements.latest.len(), 0);
    }
}
