//! A completion queue of the model (`protocol/qp_cq.md` section 6 and 7).
use crate::event::LATE_COMPLETIONS;
use crate::verbs::{Arming, Completion};
use std::collections::VecDeque;

/// The entries, consumer doorbells and armings of a CQ. CQEs are counted modulo 2^16.
#[derive(Clone, Debug)]
pub(super) struct CompletionQueue {
    /// Completions that software has not polled.
    entries: VecDeque<Completion>,
    /// Number of entries that the queue has room for.
    pub capacity: u32,
    /// Number of CQEs written.
    producer: u16,
    /// Number of CQEs that software has polled.
    polled: u16,
    /// Number of CQEs that software has polled according to its doorbells.
    consumer: u16,
    /// The queue had no room for a completion and is unusable.
    pub failed: bool,
    /// The event about the failure is due.
    pub error_due: bool,
    /// The arming in effect.
    armed: Option<Armed>,
    /// Armings that have not taken effect; true for those that wait for solicited completions only.
    pub arming: VecDeque<bool>,
    /// The newest CQEs, the newest last: true for each that is solicited.
    newest: VecDeque<bool>,
}

/// An arming in effect.
#[derive(Clone, Copy, Debug)]
struct Armed {
    /// Only a solicited CQE raises an event.
    solicited: bool,
    /// An event is permitted: a fitting CQE may have been on its way to memory when the arming came.
    permitted: bool,
    /// An event is due: a fitting CQE was written.
    due: bool,
}

impl CompletionQueue {
    /// Makes an empty queue.
    pub fn of(capacity: u32) -> CompletionQueue {
        CompletionQueue {
            entries: VecDeque::new(),
            capacity,
            producer: 0,
            polled: 0,
            consumer: 0,
            failed: false,
            error_due: false,
            armed: None,
            arming: VecDeque::new(),
            newest: VecDeque::new(),
        }
    }

    /// Returns the number of CQEs that software has not polled according to its doorbells.
    pub fn unpolled(&self) -> u16 {
        self.producer.wrapping_sub(self.consumer)
    }

    /// Returns true if there is no room for another CQE.
    pub fn is_full(&self) -> bool {
        u32::from(self.unpolled()) >= self.capacity
    }

    /// Writes a CQE.
    pub fn write(&mut self, completion: Completion, solicited: bool) {
        self.entries.push_back(completion);
        self.producer = self.producer.wrapping_add(1);
        if self.newest.len() == LATE_COMPLETIONS {
            self.newest.pop_front();
        }
        self.newest.push_back(solicited);
        if let Some(armed) = self.armed.as_mut().filter(|a| solicited || !a.solicited) {
            armed.due = true;
        }
    }

    /// Takes the oldest CQE, as software does when it polls (CF250, CF251).
    pub fn poll(&mut self) -> Option<Completion> {
        let completion = self.entries.pop_front()?;
        self.polled = self.polled.wrapping_add(1);
        Some(completion)
    }

    /// Returns the consumer index that software has not yet reported, if there is one.
    pub fn unreported(&self) -> Option<u16> {
        (self.polled != self.consumer).then_some(self.polled)
    }

    /// Takes a consumer doorbell. Returns false if the doorbell goes back, or beyond the CQEs that are written.
    pub fn consume(&mut self, consumer: u16) -> bool {
        let legal = consumer.wrapping_sub(self.consumer) <= self.unpolled();
        if legal {
            self.consumer = consumer;
        }
        legal
    }

    /// Arms the queue for one event, at the next completion or at the next solicited one (section 7). Of two armings
    /// the wider one holds.
    pub fn arm(&mut self, solicited: bool) {
        let on_their_way = usize::from(self.unpolled()).min(self.newest.len());
        let mut late = self.newest.iter().rev().take(on_their_way);
        let permitted = late.any(|&was| was || !solicited);
        let before = self.armed;
        self.armed = Some(Armed {
            solicited: solicited && before.is_none_or(|a| a.solicited),
            permitted: permitted || before.is_some_and(|a| a.permitted),
            due: before.is_some_and(|a| a.due),
        });
    }

    /// Returns for what the queue is armed.
    pub fn armed_for(&self) -> Arming {
        match self.armed {
            None => Arming::No,
            Some(Armed { solicited: true, .. }) => Arming::Solicited,
            Some(_) => Arming::Next,
        }
    }

    /// Returns true if a fitting completion was written since the arming.
    pub fn event_is_due(&self) -> bool {
        self.armed.is_some_and(|a| a.due)
    }

    /// Notes that the event is written. Returns false if no event may be.
    pub fn notify(&mut self) -> bool {
        let permitted = self.event_is_permitted();
        if permitted {
            self.armed = None;
        }
        permitted
    }

    /// Returns true if a completion event may be raised.
    pub fn event_is_permitted(&self) -> bool {
        self.armed.is_some_and(|a| a.due || a.permitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::{CompletedOperation, Status};

    fn completion() -> Completion {
        Completion {
            wr_id: 1,
            status: Status::Success,
            qpn: 2,
            operation: CompletedOperation::Send,
            byte_count: 0,
            immediate: None,
            invalidated: None,
            p_key_index: None,
            datagram: None,
        }
    }

    #[test]
    fn room_is_what_the_device_was_told_of() {
        let mut cq = CompletionQueue::of(2);
        cq.write(completion(), false);
        cq.write(completion(), false);
        assert!(cq.is_full() && cq.poll().is_some() && cq.is_full());
        assert_eq!(cq.unreported(), Some(1));
        assert!(!cq.consume(3) && cq.consume(1) && !cq.is_full());
        assert!(!cq.consume(0), "it never goes back");
    }

    #[test]
    fn the_count_wraps() {
        let mut cq = CompletionQueue::of(1);
        for n in 1..=70_000_u32 {
            cq.write(completion(), false);
            assert!(cq.is_full() && cq.poll().is_some());
            assert!(cq.consume(n as u16) && !cq.is_full());
        }
    }

    #[test]
    fn what_was_polled_before_the_arming_brings_no_event() {
        let mut cq = CompletionQueue::of(4);
        cq.write(completion(), true);
        assert!(cq.poll().is_some() && cq.consume(1));
        cq.arm(false);
        assert!(!cq.notify());
        cq.write(completion(), false);
        assert!(cq.event_is_due() && cq.notify() && !cq.notify());
    }

    /// The CQE of an unpolled completion may be on its way to memory when the arming comes.
    #[test]
    fn what_was_not_polled_may_bring_one() {
        let mut cq = CompletionQueue::of(4);
        cq.write(completion(), false);
        cq.arm(true);
        assert!(!cq.notify(), "it is not solicited");
        cq.arm(false);
        assert!(!cq.event_is_due() && cq.notify());
    }

    #[test]
    fn the_wider_arming_holds() {
        for (first, second) in [(false, true), (true, false)] {
            let mut cq = CompletionQueue::of(4);
            cq.arm(first);
            cq.arm(second);
            cq.write(completion(), false);
            assert!(cq.event_is_due());
        }
    }
}
