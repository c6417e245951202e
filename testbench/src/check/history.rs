//! The request packets of one direction, as they were when first seen.
use super::observed::{Body, Observed, Own};
use hca_golden::psn;
use hca_golden::wire::opcode::{Header, Opcode, Operation};
use hca_golden::wire::reth::Reth;
use std::collections::VecDeque;

/// Largest number of request packets remembered for all directions together, and the smallest and largest for one
/// direction. They exceed any window in use.
const REMEMBERED: usize = 1 << 20;
const REMEMBERED_OF_ONE: std::ops::RangeInclusive<usize> = 1 << 8..=1 << 14;

/// Largest number of acknowledged packets, which may be sent again, remembered for all directions together, and the
/// smallest and largest for one direction.
const ACKNOWLEDGED: usize = 1 << 18;
const ACKNOWLEDGED_OF_ONE: std::ops::RangeInclusive<usize> = 1 << 7..=1 << 11;

/// Number of request packets that each direction remembers, so that memory does not grow with their number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    open: usize,
    acknowledged: usize,
}

impl Room {
    /// Number of directions that share the room.
    pub fn among(directions: usize) -> Room {
        let share = |all: usize, one: &std::ops::RangeInclusive<usize>| {
            (all / directions.max(1)).clamp(*one.start(), *one.end())
        };
        Room {
            open: share(REMEMBERED, &REMEMBERED_OF_ONE),
            acknowledged: share(ACKNOWLEDGED, &ACKNOWLEDGED_OF_ONE),
        }
    }
}

/// A request packet by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub psn: u32,
    /// The opcode on the wire.
    pub code: u8,
    /// BTH.A.
    pub asks: bool,
    pub own: Own,
    pub body: Body,
}

impl Request {
    pub fn of(packet: &Observed) -> Request {
        Request {
            psn: packet.psn,
            code: packet.opcode,
            asks: packet.asks,
            own: packet.own,
            body: packet.body,
        }
    }

    pub fn reth(&self) -> Option<Reth> {
        match self.own {
            Own::Reth(reth) => Some(reth),
            _ => None,
        }
    }
}

/// A request packet with its place in the connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub request: Request,
    pub psn: u32,
    /// Number of PSNs that it takes, including those of a Read's responses.
    pub psns: u32,
    pub opcode: &'static Opcode,
    /// Number of messages that had ended with it, counted from the first that was seen whole.
    pub messages: u32,
    /// Number of receive WQEs that these messages and the open one had taken.
    pub taken: u32,
    /// The capture shows where its message began.
    pub whole: bool,
    /// Number of times that it was sent.
    pub times: u32,
    /// True for a Read if all or the rest of its data was requested again.
    pub is_asked_again: bool,
    /// When it was last sent, in nanoseconds since 1970.
    pub time: u64,
}

/// Number of PSNs from the first to the last.
pub(super) fn psns(first: u32, last: u32) -> u64 {
    u64::from(psn::difference(last, first).unsigned_abs()) + 1
}

/// Returns the number of PSNs that a Read takes (`requester.md` section 1).
pub(super) fn read_psns(bytes: u32, pmtu: u32) -> u32 {
    bytes.div_ceil(pmtu).max(1)
}

/// Returns true if a packet of this opcode takes a receive WQE of the peer (`aeth.md` section 5).
pub(super) fn takes_receive_wqe(opcode: &Opcode) -> bool {
    match opcode.operation {
        Operation::Send => opcode.begins(),
        Operation::Write => opcode.headers.contains(&Header::ImmDt),
        _ => false,
    }
}

impl Sent {
    /// Returns true if the packet has its own opcode, not that of another one in whose place it is judged
    /// (`Judge::newer`).
    pub fn is_known(&self) -> bool {
        self.request.code == self.opcode.value
    }

    pub fn is_read(&self) -> bool {
        self.opcode.operation == Operation::Read
    }

    pub fn is_atomic(&self) -> bool {
        matches!(
            self.opcode.operation,
            Operation::CompareSwap | Operation::FetchAdd
        )
    }

    /// Returns true if it takes a receive WQE of the peer.
    pub fn takes_receive_wqe(&self) -> bool {
        takes_receive_wqe(self.opcode)
    }

    /// Returns the last PSN that it takes.
    pub fn last_psn(&self) -> u32 {
        psn::add(self.psn, self.psns - 1)
    }

    /// Returns the number of bytes that a Read asks for.
    pub fn read_bytes(&self) -> u32 {
        self.request.reth().map_or(0, |reth| reth.dma_len)
    }
}

/// Request packets by ascending PSN. A gap exists only where one was found.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    sent: VecDeque<Sent>,
}

impl History {
    pub fn push(&mut self, sent: Sent, room: Room) {
        while self.sent.len() >= room.open {
            self.sent.pop_front();
        }
        self.sent.push_back(sent);
    }

    /// Records that everything up to this PSN is acknowledged. Some of it stays remembered.
    pub fn acknowledged(&mut self, psn: u32, room: Room) {
        while self.sent.len() > room.acknowledged
            && self
                .sent
                .front()
                .is_some_and(|sent| psn::difference(sent.last_psn(), psn) <= 0)
        {
            self.sent.pop_front();
        }
    }

    /// Sets the number of bytes of a full packet, and from it the number of PSNs of each Read.
    pub fn set_pmtu(&mut self, pmtu: u32) {
        for sent in self.sent.iter_mut().filter(|sent| sent.is_read()) {
            sent.psns = read_psns(sent.read_bytes(), pmtu);
        }
    }

    /// Extends a Read at the end of the history to the PSNs before this one.
    pub fn end_read_before(&mut self, psn: u32) {
        if let Some(read) = self.sent.back_mut().filter(|sent| sent.is_read()) {
            read.psns = psn::difference(psn, read.psn).max(1) as u32;
        }
    }

    /// Records how often and when the latest packet was sent.
    pub fn was_sent(&mut self, times: u32, time: u64) {
        if let Some(sent) = self.sent.back_mut() {
            (sent.times, sent.time) = (times, time);
        }
    }

    /// Removes the packets from this PSN on.
    pub fn split_off(&mut self, psn: u32) -> VecDeque<Sent> {
        let at = self
            .sent
            .partition_point(|sent| psn::difference(sent.psn, psn) < 0);
        self.sent.split_off(at)
    }

    /// Returns the packet with this PSN.
    pub fn at(&mut self, psn: u32) -> Option<&mut Sent> {
        let at = self
            .sent
            .partition_point(|sent| psn::difference(sent.psn, psn) < 0);
        self.sent.get_mut(at).filter(|sent| sent.psn == psn)
    }

    /// Returns the packet to which this PSN belongs: its own, or that of a Read's response.
    pub fn of(&self, wanted: u32) -> Option<&Sent> {
        let after = self
            .sent
            .partition_point(|sent| psn::difference(sent.psn, wanted) <= 0);
        let sent = self.sent.get(after.checked_sub(1)?)?;
        (psn::difference(wanted, sent.last_psn()) <= 0).then_some(sent)
    }

    /// Records that the Read that contains this PSN is requested again, from this PSN on.
    pub fn asks_again(&mut self, psn: u32) {
        let after = self
            .sent
            .partition_point(|sent| psn::difference(sent.psn, psn) <= 0);
        let sent = after.checked_sub(1).and_then(|at| self.sent.get_mut(at));
        if let Some(sent) = sent.filter(|sent| sent.is_read()) {
            sent.is_asked_again |= psn::difference(psn, sent.last_psn()) <= 0;
        }
    }

    /// Returns the number of these PSNs that belong to no remembered packet.
    pub fn missing(&self, first: u32, last: u32) -> u64 {
        let from = self
            .sent
            .partition_point(|sent| psn::difference(sent.last_psn(), first) < 0);
        let within = self.sent.range(from..);
        let within = within.take_while(|sent| psn::difference(sent.psn, last) <= 0);
        let held = within.map(|sent| {
            let begin = if psn::difference(sent.psn, first) > 0 {
                sent.psn
            } else {
                first
            };
            let end = sent.last_psn();
            psns(begin, if psn::difference(end, last) > 0 { last } else { end })
        });
        psns(first, last).saturating_sub(held.sum())
    }

    pub fn first_psn(&self) -> Option<u32> {
        self.sent.front().map(|sent| sent.psn)
    }

    /// Returns the highest PSN taken.
    pub fn last_psn(&self) -> Option<u32> {
        self.sent.back().map(Sent::last_psn)
    }

    pub fn back(&self) -> Option<&Sent> {
        self.sent.back()
    }

    /// Returns the number of receive WQEs that the first `messages` messages took, as far as they are remembered.
    pub fn taken_by(&self, messages: u32) -> u32 {
        let end = self.sent.partition_point(|sent| sent.messages < messages);
        match (messages, self.sent.get(end).or(self.sent.back())) {
            (0, _) | (_, None) => 0,
            (_, Some(sent)) => sent.taken,
        }
    }

    /// Returns the Reads and atomics with PSNs above `after` and below `before`.
    pub fn with_own_response(&self, after: u32, before: u32) -> impl Iterator<Item = &Sent> + '_ {
        let from = self
            .sent
            .partition_point(|sent| psn::difference(sent.psn, after) <= 0);
        self.sent
            .range(from..)
            .take_while(move |sent| psn::difference(sent.psn, before) < 0)
            .filter(|sent| sent.is_known() && (sent.is_read() || sent.is_atomic()))
    }
}
