//! Splits pieces of host memory into write bursts and atomics, in an order that keeps overlapping ones apart.
use super::blocks_under_way::BlocksUnderWay;
use super::{AnnouncedPiece, WriteBurst, BURST_BYTES};
use hca_hdl::prelude::*;

/// Announces the bursts of each piece, and passes each burst, and each packet without a burst, to the counters of
/// writes.
///
/// Takes a burst every second cycle, and pieces of one burst every third. An atomic begins when the earlier writes of
/// the responder to its block are in memory; a burst of the responder to a block where atomics are under way waits for
/// their end. The requester's bursts neither wait nor are waited for: no rule orders them against requests
/// (`protocol/responder.md` section 4). `M`: bus bits.
#[derive(LogicBlock, SmartDefault)]
pub struct WriteSplit<const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The pieces; of one of length 0 nothing is written.
    pub piece: OfferSink<AnnouncedPiece>,

    /// Bursts, aligned to the bus.
    pub bursts: OfferSource<WriteBurst>,
    /// High for one cycle when the oldest burst of the responder is in memory.
    pub responder_acknowledged: Signal<In, Bit>,

    /// Byte addresses of atomics that may begin, not aligned to the bus.
    pub target: OfferSource<Bits<64>>,
    /// High for one cycle when the oldest atomic has ended.
    pub atomic_done: Signal<In, Bit>,

    /// High for one cycle when an entry is passed to the counters: a burst, an atomic, or a packet without either.
    pub count_valid: Signal<Out, Bit>,
    /// High while the counters can take an entry.
    pub count_ready: Signal<In, Bit>,
    /// High if the entry is complete when its burst is acknowledged.
    pub count_burst: Signal<Out, Bit>,
    /// High if the entry is complete when its atomic is done. With `count_burst` low too, it is complete at once.
    pub count_atomic: Signal<Out, Bit>,
    /// High if the entry is the last one of its packet.
    pub count_last: Signal<Out, Bit>,

    writes: BlocksUnderWay<10>,
    atomics: BlocksUnderWay<10>,
    active: Register<Bit>,
    nothing: Register<Bit>,
    atomic: Register<Bit>,
    /// Number of cycles for which `address` has been stable, up to 5.
    stands: Register<Bits<3>>,
    address: Register<Bits<64>>,
    beats_left: Register<Bits<13>>,
    of_requester: Register<Bit>,
    last: Register<Bit>,
    /// Beats of the next burst, valid from the clock after the address on.
    burst: Register<Bits<13>>,
    /// High if that burst ends the piece.
    ends: Register<Bit>,

    aligned: Signal<Local, Bits<64>>,
    offset: Signal<Local, Bits<13>>,
    to_boundary: Signal<Local, Bits<13>>,
    clear: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    pass: Signal<Local, Bit>,
    load: Signal<Local, Bit>,

    #[default(constant((M / 8) - 1))]
    round_up: Constant<Bits<13>>,
    #[default(constant((M / 8).trailing_zeros() as usize))]
    beat_shift: Constant<Bits<4>>,
    #[default(constant((M / 8) - 1))]
    offset_mask: Constant<Bits<13>>,
    #[default(Constant::new(!Bits::<64>::from(((M / 8) - 1) as u64)))]
    align_mask: Constant<Bits<64>>,
    #[default(constant(BURST_BYTES))]
    burst_bytes: Constant<Bits<13>>,
    #[default(constant(BURST_BYTES - 1))]
    burst_mask: Constant<Bits<13>>,
}

#[kernel]
impl<const M: usize> Logic for WriteSplit<M> {
    fn update(&mut self) {
        clock_and_reset!(self, writes, atomics);
        self.aligned.next = self.address.q.val() & self.align_mask.val();
        self.to_boundary.next = (self.burst_bytes.val()
            - (self.aligned.val().get_bits::<13>(0) & self.burst_mask.val()))
            >> self.beat_shift.val();
        self.ends.d.next = false;
        self.burst.d.next = self.to_boundary.val();
        if self.beats_left.q.val() <= self.to_boundary.val() {
            self.ends.d.next = true;
            self.burst.d.next = self.beats_left.q.val();
        }

        // Bursts.
        self.writes.address.next = self.address.q.val();
        self.atomics.address.next = self.address.q.val();
        self.clear.next = self.of_requester.q.val()
            || self.atomics.idle.val()
            || ((self.stands.q.val() >= 3) && !self.atomics.busy.val());
        self.offers.next = self.active.q.val()
            && !self.nothing.q.val()
            && !self.atomic.q.val()
            && self.stands.q.val().any()
            && self.clear.val()
            && self.count_ready.val();
        self.bursts.valid.next = self.offers.val();
        self.bursts.item.next.address = self.aligned.val();
        self.bursts.item.next.beats = bit_cast::<8, 13>(self.burst.q.val() - 1);
        self.bursts.item.next.requester = self.of_requester.q.val();
        self.issue.next = self.offers.val() && self.bursts.ready.val();
        self.writes.begins.next = self.issue.val() && !self.of_requester.q.val();
        self.writes.ends.next = self.responder_acknowledged.val();

        // Atomics.
        self.target.valid.next = self.active.q.val()
            && self.atomic.q.val()
            && self.count_ready.val()
            && (self.stands.q.val() >= 5)
            && !self.writes.busy.val();
        self.target.item.next = self.address.q.val();
        self.begins.next = self.active.q.val()
            && self.atomic.q.val()
            && self.count_ready.val()
            && (self.stands.q.val() >= 5)
            && !self.writes.busy.val()
            && self.target.ready.val();
        inputs!(self.atomics, begins, ends: atomic_done);

        self.pass.next = self.active.q.val() && self.nothing.q.val() && self.count_ready.val();
        if self.stands.q.val() < 5 {
            self.stands.d.next = self.stands.q.val() + 1;
        }
        if self.issue.val() {
            self.stands.d.next = bits::<3>(0);
            self.address.d.next =
                self.aligned.val() + (bit_cast::<64, 13>(self.burst.q.val()) << self.beat_shift.val());
            self.beats_left.d.next = self.beats_left.q.val() - self.burst.q.val();
        }
        self.count_valid.next = self.issue.val() || self.pass.val() || self.begins.val();
        self.count_burst.next = !self.nothing.q.val() && !self.atomic.q.val();
        self.count_atomic.next = self.atomic.q.val();
        self.count_last.next =
            self.last.q.val() && (self.nothing.q.val() || self.atomic.q.val() || self.ends.q.val());

        // No piece is taken in the clock of a piece's last burst: which burst is the last settles late in the clock.
        self.load.next = !self.active.q.val() || self.pass.val() || self.begins.val();
        self.piece.ready.next = self.load.val();
        if self.issue.val() && self.ends.q.val() {
            self.active.d.next = false;
        }
        self.offset.next = bit_cast::<13, 64>(self.piece.item.val().address) & self.offset_mask.val();
        if self.load.val() {
            self.active.d.next = self.piece.valid.val();
            self.nothing.d.next = !self.piece.item.val().length.any();
            self.atomic.d.next = self.piece.item.val().atomic;
            self.stands.d.next = bits::<3>(0);
            self.address.d.next = self.piece.item.val().address;
            self.beats_left.d.next = ((self.piece.item.val().length + self.offset.val())
                + self.round_up.val())
                >> self.beat_shift.val();
            self.of_requester.d.next = self.piece.item.val().requester;
            self.last.d.next = self.piece.item.val().last;
        }

        if self.reset.val() {
            self.active.d.next = false;
        }
    }
}
