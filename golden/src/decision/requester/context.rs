//! The state of the sending side of a QP (`requester.md`).
use super::super::timer::AckTimer;
use super::credits::Credits;
use super::message::Message;
use super::rewind::Rewind;
use crate::event::LATE_REQUESTS;
use crate::psn;
use crate::verbs::{Service, Status};
use std::collections::VecDeque;

/// Most PSNs outstanding (section 1, CF286).
pub const WINDOW: u64 = 1 << 23;
/// Value of rnr_retry for unlimited retries (section 7, CF115).
pub(super) const FOREVER: u8 = 7;

/// Settings of the requester that do not change while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub service: Service,
    /// Payload bytes of a full packet.
    pub pmtu: usize,
    /// Code of `ack_timeout.csv`.
    pub timeout: u8,
    pub retry_cnt: u8,
    pub rnr_retry: u8,
    pub max_rd_atomic: u8,
    /// A message requests an ack at least every this many packets.
    pub ack_interval: Option<u32>,
    /// Reads and atomics are supported.
    pub reads: bool,
    /// Requests are sent again; if not, a cause to do so ends the WQE as an exhausted counter does.
    pub retransmits: bool,
    /// The peer announces its receive WQEs, and this requester respects the limit.
    pub credits: bool,
}

/// State of the sending side of a QP.
///
/// PSNs are kept as positions: they continue past 2^24, and [`psn_of`] gives the value on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub limits: Limits,
    /// nPSN: the first position never sent.
    pub next: u64,
    /// Position of the next request packet; below `next` while packets are sent again.
    pub cursor: u64,
    /// Oldest position that is not acknowledged. Equal to `next` when everything sent is acknowledged.
    pub unacknowledged: u64,
    /// The first position.
    pub start: u64,
    /// WQEs taken and not completed, oldest first.
    pub messages: VecDeque<Message>,
    /// Retries left until progress is made.
    pub retries: u8,
    /// Retries after RNR NAKs left until a positive ack.
    pub rnr_retries: u8,
    /// Position of a retry since which nothing was acknowledged: another NAK for it burns no further retry
    /// (section 7).
    pub retrying: Option<u64>,
    /// The requester has to go back.
    pub rewind: Option<Rewind>,
    /// Runs while requests are outstanding and none has to be sent again.
    pub timer: Option<AckTimer>,
    /// Packets that were to be sent again when they were answered.
    pub late: Option<Late>,
    /// Completed messages of those packets.
    pub answered: VecDeque<Message>,
    pub credits: Credits,
    /// WQE index of the first message of an unreliable service whose data host memory failed to return: neither this
    /// message nor a later one completes with success.
    pub broken: Option<u16>,
}

/// A device may have decided to send these packets again before it took the answer: they may still leave, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// The next of them.
    pub position: u64,
    /// Most of them that may still leave.
    pub left: u32,
}

/// An action that a response or a timer causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The payload of a read response goes to WQE `index`, at this offset in bytes.
    Place { index: u16, offset: u64 },
    /// The original value of an atomic goes to WQE `index`.
    PlaceOriginal { index: u16, original: u64 },
    /// The oldest WQE completes. Another status may replace this one if it describes a second fault of the same
    /// response.
    Complete {
        index: u16,
        status: Status,
        other: Option<Status>,
    },
    /// The QP moves to Error.
    Fail,
}

/// 24 bits of a position.
pub fn psn_of(position: u64) -> u32 {
    position as u32 & psn::MASK
}

impl Context {
    /// A requester that has sent nothing and starts at this PSN.
    pub fn new(limits: Limits, sq_psn: u32) -> Context {
        // One round up, so that PSNs before the first are positions too.
        let start = (1 << 24) + u64::from(sq_psn);
        Context {
            limits,
            next: start,
            cursor: start,
            unacknowledged: start,
            start,
            retries: limits.retry_cnt,
            rnr_retries: limits.rnr_retry,
            ..Context::default()
        }
    }

    /// A WQE is taken; it gets its SSN.
    pub fn push(&mut self, message: Message) {
        let ssn = self.credits.number();
        self.messages.push_back(Message { ssn, ..message });
    }

    /// SSNs up to this one may be sent; `None` if nothing is limited.
    pub fn lsn(&self) -> Option<u32> {
        self.credits.lsn().filter(|_| self.limits.credits)
    }

    /// Number of PSNs sent and not acknowledged.
    pub fn outstanding(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// The position of a PSN in a response: the one nearest to the oldest unacknowledged position.
    pub(super) fn position(&self, response_psn: u32) -> u64 {
        let distance = psn::difference(response_psn, psn_of(self.unacknowledged));
        self.unacknowledged.saturating_add_signed(distance.into())
    }

    /// The started WQE that holds this position.
    pub(super) fn holding(&self, position: u64) -> Option<&Message> {
        self.messages.iter().find(|m| m.holds(position, self.limits.pmtu))
    }

    /// Packets that may leave although they are answered, with their messages. A device may skip those that were
    /// answered before it decided.
    pub(super) fn late(&self) -> impl Iterator<Item = (&Message, u64)> {
        let from = self.late.map_or(self.unacknowledged, |l| l.position);
        let pmtu = self.limits.pmtu;
        (from..self.unacknowledged)
            .take(LATE_REQUESTS as usize)
            .filter_map(move |position| {
                let mut messages = self.answered.iter().chain(&self.messages);
                Some((messages.find(|m| m.holds(position, pmtu))?, position))
            })
    }

    /// The oldest unanswered Read or atomic, and the position of the response that it waits for.
    pub(super) fn unanswered(&self) -> Option<(&Message, u64)> {
        let pmtu = self.limits.pmtu;
        let message = self.messages.iter().find(|m| {
            m.operation.is_read_or_atomic() && m.end(pmtu).is_some_and(|end| end > self.unacknowledged)
        })?;
        Some((message, message.first?.max(self.unacknowledged)))
    }
}
