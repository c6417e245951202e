//! Counters of the discarded packets of all three sources, in total and by reason.
use super::recent_drops::RecentDrops;
use crate::bundle::DropSink;
use hca_hdl::prelude::*;

/// Counts up to one drop of each source a cycle. `total` is correct two cycles after a drop; `count`, two cycles after
/// `reads`, includes the drops of two cycles before `reads`.
///
/// The sources count modulo 512. Their sum differs from a reason's count by what came since the count was written,
/// which is less than 512: the reasons have turns, one for each clock that brings drops. Software reads in one clock of
/// four at most, and takes that clock from them, so a round of 64 turns sees at most 3 * 86 drops.
#[derive(LogicBlock, SmartDefault)]
pub struct Drops {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets that the link drops.
    pub by_link: DropSink,
    /// Packets that the responder drops.
    pub by_responder: DropSink,
    /// Packets that the requester drops.
    pub by_requester: DropSink,
    /// High for one cycle to read a count.
    pub reads: Signal<In, Bit>,
    /// Reason whose count is read.
    pub read_reason: Signal<In, Bits<6>>,
    /// Number of packets dropped.
    pub total: Signal<Out, Bits<32>>,
    /// Number of packets dropped for a reason, two cycles after `reads`.
    pub count: Signal<Out, Bits<32>>,

    link: RecentDrops,
    responder: RecentDrops,
    requester: RecentDrops,
    /// The counts by reason.
    counts: BlockRam<Bits<32>, 6>,
    /// The reason that has its turn next.
    place: Register<Bits<6>>,
    /// High if a clock brought drops after the last turn.
    due: Register<Bit>,
    /// High until each reason has had its turn since reset. The memory keeps older counts.
    first: Register<Bit>,
    /// Number of drops for the reason that was looked up one clock ago, modulo 512.
    recent: Register<Bits<9>>,
    /// Count of the reason that was looked up two clocks ago.
    sum: Register<Bits<32>>,
    /// The reason that was looked up one clock ago.
    looked_up: Register<Bits<6>>,
    /// High if that reason had its turn.
    had_turn: Register<Bit>,
    /// The reason that was looked up two clocks ago, whose count is `sum`.
    summed: Register<Bits<6>>,
    /// High if that reason had its turn, and `sum` is written.
    is_written: Register<Bit>,
    /// High if the last count of a round was written one clock ago.
    round_ended: Register<Bit>,
    dropped: Register<Bits<32>>,
    now: Register<Bits<2>>,

    reason: Signal<Local, Bits<6>>,
    has_turn: Signal<Local, Bit>,
    written: Signal<Local, Bits<32>>,
    came: Signal<Local, Bits<9>>,
    #[default(constant(63))]
    last: Constant<Bits<6>>,
}

#[kernel]
impl Logic for Drops {
    fn update(&mut self) {
        clock!(self, clock, counts);
        clock_and_reset!(self, link, responder, requester);
        DropSink::link(&mut self.by_link, &mut self.link.drop);
        DropSink::link(&mut self.by_responder, &mut self.responder.drop);
        DropSink::link(&mut self.by_requester, &mut self.requester.drop);

        self.has_turn.next = self.due.q.val() && !self.reads.val();
        self.reason.next = self.place.q.val();
        if self.reads.val() {
            self.reason.next = self.read_reason.val();
        }
        if self.has_turn.val() {
            self.place.d.next = self.place.q.val() + 1;
            self.due.d.next = false;
        }
        if self.link.counts.val() || self.responder.counts.val() || self.requester.counts.val() {
            self.due.d.next = true;
        }
        self.link.reason.next = self.reason.val();
        self.responder.reason.next = self.reason.val();
        self.requester.reason.next = self.reason.val();
        self.counts.read_address.next = self.reason.val();
        self.recent.d.next = self.link.count.val() + self.responder.count.val() + self.requester.count.val();
        self.looked_up.d.next = self.reason.val();
        self.had_turn.d.next = self.has_turn.val();

        self.written.next = self.counts.read_data.val();
        if self.first.q.val() {
            self.written.next = bits::<32>(0);
        }
        self.came.next = self.recent.q.val() - self.written.val().get_bits::<9>(0);
        self.sum.d.next = self.written.val() + bit_cast::<32, 9>(self.came.val());
        self.summed.d.next = self.looked_up.q.val();
        self.is_written.d.next = self.had_turn.q.val();
        // A count that was looked up before it was written is from before the reset, too.
        self.round_ended.d.next = self.is_written.q.val() && (self.summed.q.val() == self.last.val());
        if self.round_ended.q.val() {
            self.first.d.next = false;
        }
        inputs!(self.counts, write_enable: is_written.q, write_address: summed.q, write_data: sum.q);
        self.count.next = self.sum.q.val();

        self.now.d.next = bit_cast::<2, 1>(self.by_link.valid.val().into())
            + bit_cast::<2, 1>(self.by_responder.valid.val().into())
            + bit_cast::<2, 1>(self.by_requester.valid.val().into());
        self.dropped.d.next = self.dropped.q.val() + bit_cast::<32, 2>(self.now.q.val());
        self.total.next = self.dropped.q.val();
        if self.reset.val() {
            self.first.d.next = true;
            clear!(self, place, due, had_turn, is_written, round_ended, now, dropped);
        }
    }
}
