//! Pieces of host memory to bursts of writes.
use super::BURST_BYTES;
use crate::primitive::{comment, dff_setup, Register};
use rust_hdl_core::prelude::*;

/// Announces the bursts of each piece, and to the count of what is written each burst and each packet without any.
///
/// A burst a clock. `M`: bus bits.
#[derive(LogicBlock)]
pub struct WriteSplit<const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub piece_valid: Signal<In, Bit>,
    pub piece_ready: Signal<Out, Bit>,
    pub piece_address: Signal<In, Bits<64>>,
    /// Bytes, 0 to 4096; 0: nothing is written.
    pub piece_length: Signal<In, Bits<13>>,
    /// Of the requester, not of the responder.
    pub piece_requester: Signal<In, Bit>,
    /// Ends a packet.
    pub piece_last: Signal<In, Bit>,

    pub burst_valid: Signal<Out, Bit>,
    pub burst_ready: Signal<In, Bit>,
    /// Aligned to the bus.
    pub burst_address: Signal<Out, Bits<64>>,
    /// One less than the beats.
    pub burst_beats: Signal<Out, Bits<8>>,
    pub requester: Signal<Out, Bit>,

    /// One pulse: to be counted.
    pub count_valid: Signal<Out, Bit>,
    pub count_ready: Signal<In, Bit>,
    /// When this burst is acknowledged; else at once.
    pub count_burst: Signal<Out, Bit>,
    /// A packet.
    pub count_last: Signal<Out, Bit>,

    pub idle: Signal<Out, Bit>,

    active: Register<Bit>,
    nothing: Register<Bit>,
    address: Register<Bits<64>>,
    beats_left: Register<Bits<13>>,
    of_requester: Register<Bit>,
    last: Register<Bit>,

    offset: Signal<Local, Bits<13>>,
    to_boundary: Signal<Local, Bits<13>>,
    ends: Signal<Local, Bit>,
    burst: Signal<Local, Bits<13>>,
    issue: Signal<Local, Bit>,
    pass: Signal<Local, Bit>,
    load: Signal<Local, Bit>,

    round_up: Constant<Bits<13>>,
    beat_shift: Constant<Bits<4>>,
    offset_mask: Constant<Bits<13>>,
    align_mask: Constant<Bits<64>>,
    burst_bytes: Constant<Bits<13>>,
    burst_mask: Constant<Bits<13>>,
}

impl<const M: usize> Default for WriteSplit<M> {
    fn default() -> Self {
        let bytes = M / 8;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            piece_valid: Default::default(),
            piece_ready: Default::default(),
            piece_address: Default::default(),
            piece_length: Default::default(),
            piece_requester: Default::default(),
            piece_last: Default::default(),
            burst_valid: Default::default(),
            burst_ready: Default::default(),
            burst_address: Default::default(),
            burst_beats: Default::default(),
            requester: Default::default(),
            count_valid: Default::default(),
            count_ready: Default::default(),
            count_burst: Default::default(),
            count_last: Default::default(),
            idle: Default::default(),
            active: Default::default(),
            nothing: Default::default(),
            address: Default::default(),
            beats_left: Default::default(),
            of_requester: Default::default(),
            last: Default::default(),
            offset: Default::default(),
            to_boundary: Default::default(),
            ends: Default::default(),
            burst: Default::default(),
            issue: Default::default(),
            pass: Default::default(),
            load: Default::default(),
            round_up: Constant::new((bytes - 1).to_bits()),
            beat_shift: Constant::new((bytes.trailing_zeros() as usize).to_bits()),
            offset_mask: Constant::new((bytes - 1).to_bits()),
            align_mask: Constant::new(!Bits::<64>::from((bytes - 1) as u64)),
            burst_bytes: Constant::new(BURST_BYTES.to_bits()),
            burst_mask: Constant::new((BURST_BYTES - 1).to_bits()),
        }
    }
}

impl<const M: usize> Logic for WriteSplit<M> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module write_split");
        dff_setup!(
            self,
            clock,
            active,
            nothing,
            address,
            beats_left,
            of_requester,
            last
        );
        self.to_boundary.next = (self.burst_bytes.val()
            - (self.address.q.val().get_bits::<13>(0) & self.burst_mask.val()))
            >> self.beat_shift.val();
        self.ends.next = self.beats_left.q.val() <= self.to_boundary.val();
        self.burst.next = self.to_boundary.val();
        if self.ends.val() {
            self.burst.next = self.beats_left.q.val();
        }
        self.burst_valid.next = self.active.q.val() && !self.nothing.q.val() && self.count_ready.val();
        self.burst_address.next = self.address.q.val();
        self.burst_beats.next = bit_cast::<8, 13>(self.burst.val() - 1);
        self.requester.next = self.of_requester.q.val();
        self.issue.next =
            self.active.q.val() && !self.nothing.q.val() && self.count_ready.val() && self.burst_ready.val();
        self.pass.next = self.active.q.val() && self.nothing.q.val() && self.count_ready.val();
        if self.issue.val() {
            self.address.d.next =
                self.address.q.val() + (bit_cast::<64, 13>(self.burst.val()) << self.beat_shift.val());
            self.beats_left.d.next = self.beats_left.q.val() - self.burst.val();
        }
        self.count_valid.next = self.issue.val() || self.pass.val();
        self.count_burst.next = !self.nothing.q.val();
        self.count_last.next = self.last.q.val() && (self.nothing.q.val() || self.ends.val());

        self.load.next = !self.active.q.val() || self.pass.val() || (self.issue.val() && self.ends.val());
        self.piece_ready.next = self.load.val();
        self.offset.next = bit_cast::<13, 64>(self.piece_address.val()) & self.offset_mask.val();
        if self.load.val() {
            self.active.d.next = self.piece_valid.val();
            self.nothing.d.next = !self.piece_length.val().any();
            self.address.d.next = self.piece_address.val() & self.align_mask.val();
            self.beats_left.d.next = ((self.piece_length.val() + self.offset.val()) + self.round_up.val())
                >> self.beat_shift.val();
            self.of_requester.d.next = self.piece_requester.val();
            self.last.d.next = self.piece_last.val();
        }
        self.idle.next = !self.active.q.val();

        if self.reset.val() {
            self.active.d.next = false;
        }
    }
}
