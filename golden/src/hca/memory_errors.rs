//! Failed accesses of a QP to host memory.
use super::response::{Body, Response};
use crate::event::MemoryFault;
use crate::ring_part::RingPart;
use crate::verbs::{Completion, QueueSide, Status};
use crate::wire::aeth::NAK_REMOTE_OPERATIONAL;
use std::collections::VecDeque;

/// Number of read responses that are remembered after they left, because their data may still be on its way from
/// memory.
const REMEMBERED: usize = 64;

/// A QP's failed accesses to host memory.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryErrors {
    /// Errors that are not reported yet, in the order of the decisions that met them.
    pub due: Vec<MemoryFault>,
    /// An error other than one of a WQE was reported: no completion is a success any more, and later errors change
    /// nothing.
    pub seen: bool,
    /// The oldest send WQE without a completion has to end with the error.
    pub send_bears: bool,
    /// The QP has to move to Error.
    pub fatal: bool,
    /// Read responses that left, newest last.
    sent: VecDeque<Response>,
    /// NAKs that replace read responses.
    pub naks: VecDeque<Response>,
    /// For each side: an unreadable WQE was reported.
    reported: [bool; 2],
    /// WQEs that host memory fails to read.
    pub lost: Vec<(QueueSide, u16)>,
    /// Side, WQE and first of four SGEs of a list that it fails to read.
    pub lost_sges: Vec<(QueueSide, u16, u8)>,
    /// Send WQE, and offset of its inline data that host memory fails to read.
    pub lost_inline: Vec<(u16, u16)>,
}

impl MemoryErrors {
    /// Notes that a read response leaves.
    pub fn sends(&mut self, response: &Response) {
        if self.sent.len() == REMEMBERED {
            self.sent.pop_front();
        }
        self.sent.push_back(response.clone());
    }

    /// Notes that the device knows of the WQEs from `first` up to, but not including, `end`, and reads them. The first
    /// failing one of a queue is reported.
    pub fn reads(&mut self, side: QueueSide, first: u16, end: u16) {
        let place = |index: u16| index.wrapping_sub(first);
        let of_queue = self
            .lost
            .iter()
            .filter(|(s, _)| *s == side)
            .map(|(_, index)| *index);
        let unread = of_queue.filter(|index| place(*index) < place(end));
        if let Some(index) = unread
            .min_by_key(|index| place(*index))
            .filter(|_| !self.reported[side as usize])
        {
            self.reported[side as usize] = true;
            self.due.push(match side {
                QueueSide::Send => MemoryFault::SendWqe { index },
                QueueSide::Receive => MemoryFault::ReceiveWqe { index },
            });
        }
    }

    /// Returns true if this WQE could not be read.
    pub fn unread(&self, side: QueueSide, index: u16) -> bool {
        self.lost.contains(&(side, index))
    }

    /// Returns the number of SGEs of this WQE that are known: those before the first that could not be read.
    pub fn known_sges(&self, side: QueueSide, index: u16) -> Option<usize> {
        let of_wqe = self
            .lost_sges
            .iter()
            .filter(|(s, i, _)| (*s, *i) == (side, index));
        of_wqe.map(|(_, _, first)| usize::from(*first)).min()
    }

    /// Returns true if host memory can read these bytes of the inline data of a send WQE.
    pub fn gives_inline(&self, index: u16, offset: u64, length: usize) -> bool {
        let meets = |&at: &u16| {
            let (at, end) = (u64::from(at), u64::from(at + RingPart::INLINE_LINE));
            at < offset + length as u64 && offset < end
        };
        !self.lost_inline.iter().any(|(i, at)| *i == index && meets(at))
    }

    /// Schedules NAK 63h in place of a read response that left with bad data.
    pub fn refuse(&mut self, psn: u32) {
        let body = Body::Acknowledge {
            syndrome: NAK_REMOTE_OPERATIONAL,
            required: true,
        };
        let sent = self.sent.iter().rfind(|r| r.psn == psn).cloned();
        self.naks
            .extend(sent.map(|response| Response { body, ..response }));
    }

    /// Takes the NAK with this PSN and syndrome, which leaves.
    pub fn emit_nak(&mut self, psn: u32, syndrome: u8) -> Option<Response> {
        let at = self.place_of_nak(psn, syndrome)?;
        self.naks.remove(at)
    }

    /// Returns true if such a NAK is due.
    pub fn has_nak(&self, psn: u32, syndrome: u8) -> bool {
        self.place_of_nak(psn, syndrome).is_some()
    }

    fn place_of_nak(&self, psn: u32, syndrome: u8) -> Option<usize> {
        let is_it = |r: &Response| r.psn == psn && r.syndrome() == Some(syndrome);
        self.naks.iter().position(is_it)
    }

    /// Adapts a completion that is written after the errors reported so far.
    pub fn mark(&mut self, side: QueueSide, completion: &mut Completion) {
        let first = side == QueueSide::Send && std::mem::take(&mut self.send_bears);
        let hit = match completion.status {
            Status::Success => self.seen,
            Status::WrFlushErr => first,
            _ => false,
        };
        if hit {
            completion.status = Status::LocQpOpErr;
            completion.byte_count = 0;
            completion.immediate = None;
            completion.invalidated = None;
            completion.p_key_index = None;
            completion.datagram = None;
        }
    }
}
