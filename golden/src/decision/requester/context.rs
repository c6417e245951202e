//! The state of the sending side of a QP (`requester.md`).
use super::super::timer::AckTimer;
use super::credits::Credits;
use super::message::Message;
use super::rewind::Rewind;
use crate::psn;
use crate::verbs::{Service, Status};
use std::collections::VecDeque;

/// Largest number of PSNs outstanding (section 1, CF286).
pub const WINDOW: u64 = 1 << 23;
/// Value of rnr_retry for unlimited retries (section 7, CF115).
pub(super) const FOREVER: u8 = 7;

/// Settings of the requester that do not change while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub service: Service,
    /// Payload of a full packet, in bytes.
    pub pmtu: usize,
    /// Local ack timeout, a code of `ack_timeout.csv`.
    pub timeout: u8,
    pub retry_cnt: u8,
    pub rnr_retry: u8,
    pub max_rd_atomic: u8,
    /// A message requests an ack at least every this many packets.
    pub ack_interval: Option<u32>,
    /// The device supports Reads and atomics.
    pub reads: bool,
    /// The device sends requests again. If false, a cause to send again ends the WQE as an exhausted counter does.
    pub retransmits: bool,
    /// The peer announces its receive WQEs, and this requester respects that limit.
    pub credits: bool,
}

/// The state of the sending side of a QP.
///
/// PSNs are kept as positions, which continue past 2^24; [`psn_of`] gives the value on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub limits: Limits,
    /// nPSN: the first position that was never sent.
    pub next: u64,
    /// Position of the next request packet. It is below `next` while packets are sent again.
    pub cursor: u64,
    /// Oldest position that is not acknowledged. It equals `next` when everything sent is acknowledged.
    pub unacknowledged: u64,
    /// Position of the first PSN.
    pub start: u64,
    /// WQEs that were taken and are not complete, oldest first.
    pub messages: VecDeque<Message>,
    /// Number of retries left. Progress restores it.
    pub retries: u8,
    /// Number of retries after RNR NAKs left. A positive ack restores it.
    pub rnr_retries: u8,
    /// Position of a retry since which nothing was acknowledged. Another NAK for this position uses up no further retry
    /// (section 7).
    pub retrying: Option<u64>,
    /// Set while the requester has to go back.
    pub rewind: Option<Rewind>,
    /// The ack timer. It runs while requests are outstanding and none has to be sent again.
    pub timer: Option<AckTimer>,
    /// Packets that were answered while they waited to be sent again.
    pub late: Option<Late>,
    /// Completed messages of the packets in `late`.
    pub answered: VecDeque<Message>,
    pub credits: Credits,
    /// WQE index of the first message of an unreliable service whose data host memory failed to return: neither this
    /// message nor a later one completes with success.
    pub broken: Option<u16>,
}

/// Packets that a device may still send again, in order, after they were answered, because it may have decided to do so
/// before it took the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// Position of the next such packet.
    pub position: u64,
    /// Largest number of such packets that may still leave.
    pub left: u32,
}

/// An action that a response or a timer causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Writes the payload of a read response to the SGEs of WQE `index`, at this offset in bytes.
    Place { index: u16, offset: u64 },
    /// Writes the original value of an atomic to the SGEs of WQE `index`.
    PlaceOriginal { index: u16, original: u64 },
    /// Completes the oldest WQE. Status `other` may replace `status` if it describes a second fault of the same
    /// response.
    Complete {
        index: u16,
        status: Status,
        other: Option<Status>,
    },
    /// Moves the QP to Error.
    Fail,
}

/// Returns the PSN of a position: its low 24 bits.
pub fn psn_of(position: u64) -> u32 {
    position as u32 & psn::MASK
}

impl Context {
    /// Makes a requester that has sent nothing and starts at PSN `sq_psn`.
    pub fn new(limits: Limits, sq_psn: u32) -> Context {
        // Positions start one round up, so that PSNs before the first have positions, too.
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

    /// Takes a WQE and gives it the next SSN.
    pub fn push(&mut self, message: Message) {
        let ssn = self.credits.number();
        self.messages.push_back(Message { ssn, ..message });
    }

    /// Returns the last SSN that may be sent; `None` if the peer sets no limit.
    pub fn lsn(&self) -> Option<u32> {
        self.credits.lsn().filter(|_| self.limits.credits)
    }

    /// Returns the number of PSNs that are sent and not acknowledged.
    pub fn outstanding(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// Returns the position of a response's PSN: the one nearest to the oldest unacknowledged position.
    pub(super) fn position(&self, response_psn: u32) -> u64 {
        let distance = psn::difference(response_psn, psn_of(self.unacknowledged));
        self.unacknowledged.saturating_add_signed(distance.into())
    }

    /// Returns the started WQE that contains this position.
    pub(super) fn holding(&self, position: u64) -> Option<&Message> {
        self.messages.iter().find(|m| m.holds(position, self.limits.pmtu))
    }

    /// Returns the packets that may leave although they are answered, each with its message. A device may skip those
    /// that were answered before it decided, however many they are.
    pub(super) fn late(&self) -> impl Iterator<Item = (&Message, u64)> {
        let from = self.late.map_or(self.unacknowledged, |l| l.position);
        let pmtu = self.limits.pmtu;
        (from..self.unacknowledged).filter_map(move |position| {
            let mut messages = self.answered.iter().chain(&self.messages);
            Some((messages.find(|m| m.holds(position, pmtu))?, position))
        })
    }

    /// Returns the oldest unanswered Read or atomic, and the position of the response that it waits for.
    pub(super) fn unanswered(&self) -> Option<(&Message, u64)> {
        let pmtu = self.limits.pmtu;
        let message = self.messages.iter().find(|m| {
            m.operation.is_read_or_atomic() && m.end(pmtu).is_some_and(|end| end > self.unacknowledged)
        })?;
        Some((message, message.first?.max(self.unacknowledged)))
    }
}
