//! Joins headers and payload to one run of beats.
use super::header_format::HeaderFormat;
use super::tx_header::TxHeader;
use hca_hdl::prelude::*;

/// Emits the beats of whole packets, with zeros in the places of pad, ICRC and VCRC: one a cycle while `credit` is
/// high, without a gap between packets.
///
/// `leaves` and `early_*` belong to the cycle in which a beat leaves; all later outputs are registers and belong to the
/// next cycle. `ROCE` is 1 for RoCEv2, and 0 for native InfiniBand.
#[derive(LogicBlock, SmartDefault)]
pub struct PacketMerge<const W: usize, const ROCE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Descriptions of packets to send.
    pub header: OfferSink<TxHeader>,
    /// A beat of payload, byte 0 at the most significant end.
    pub payload_data: Signal<In, Bits<W>>,
    /// High while a beat of payload is offered.
    pub payload_valid: Signal<In, Bit>,
    /// High in a cycle in which an offered beat is taken.
    pub payload_ready: Signal<Out, Bit>,
    /// High while a beat may leave.
    pub credit: Signal<In, Bit>,
    /// High for each cycle in which a beat leaves.
    pub leaves: Signal<Out, Bit>,
    /// The beat that leaves, byte 0 at the most significant end.
    pub early_data: Signal<Out, Bits<W>>,
    /// High if the beat is the packet's last.
    pub early_last: Signal<Out, Bit>,
    /// `last_word` of the beat.
    pub early_last_word: Signal<Out, Bits<4>>,
    /// High if the beat is complete only with its CRCs: ICRC or VCRC have a place in it or, if a frame loses its first
    /// two bytes, in the two bytes that move up into it.
    pub early_sealed: Signal<Out, Bit>,
    /// High if a beat left one cycle earlier.
    pub valid: Signal<Out, Bit>,
    /// The beat that left one cycle earlier, byte 0 at the most significant end.
    pub data: Signal<Out, Bits<W>>,
    /// High if that beat is the packet's first.
    pub first: Signal<Out, Bit>,
    /// Number of the beat in its packet, from 0; 15 for all later beats.
    pub beat: Signal<Out, Bits<4>>,
    /// High if the packet has a GRH (native) or IPv6 (RoCEv2).
    pub long: Signal<Out, Bit>,
    /// High if that beat is the packet's last.
    pub last: Signal<Out, Bit>,
    /// `early_sealed` of the beat.
    pub sealed: Signal<Out, Bit>,
    /// Index, in the last beat, of the packet's last word: VCRC (native) or ICRC (RoCEv2).
    pub last_word: Signal<Out, Bits<4>>,
    /// High with the beat that the ICRC belongs in.
    pub icrc_here: Signal<Out, Bit>,
    /// Index of the ICRC's word in that beat.
    pub icrc_at: Signal<Out, Bits<4>>,
    format: HeaderFormat<W, ROCE>,
    active: Register<Bit>,
    head: Register<Bits<1024>>,
    head_left: Register<Bits<4>>,
    payload_left: Register<Bits<11>>,
    take: Register<Bit>,
    tail: Register<Bits<W>>,
    right_shift: Register<Bits<9>>,
    left_shift: Register<Bits<9>>,
    beats_left: Register<Bits<11>>,
    final_word: Register<Bits<4>>,
    at_last: Register<Bit>,
    at_beat: Register<Bits<4>>,
    at_long: Register<Bit>,
    out_valid: Register<Bit>,
    out_data: Register<Bits<W>>,
    out_first: Register<Bit>,
    out_beat: Register<Bits<4>>,
    out_long: Register<Bit>,
    out_last: Register<Bit>,
    out_sealed: Register<Bit>,
    out_last_word: Register<Bits<4>>,
    out_icrc_here: Register<Bit>,
    out_icrc_at: Register<Bits<4>>,
    issue: Signal<Local, Bit>,
    final_issue: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    masked: Signal<Local, Bits<W>>,
    top: Signal<Local, Bits<W>>,
    carried: Signal<Local, Bits<W>>,
    whole: Signal<Local, Bits<W>>,
    is_sealed: Signal<Local, Bit>,
    #[default(Constant::new(ROCE == 1))]
    icrc_ends: Constant<Bit>,
    #[default(constant(W))]
    width: Constant<Bits<10>>,
    #[default(constant(1024 - W))]
    below_top: Constant<Bits<10>>,
    #[default(constant(W / 32 - 1))]
    word_mask: Constant<Bits<4>>,
}

#[kernel]
impl<const W: usize, const ROCE: usize> Logic for PacketMerge<W, ROCE> {
    fn update(&mut self) {
        clock!(self, clock, format);
        self.format.reset.next = self.reset.val();
        OfferSink::<TxHeader>::link(&mut self.header, &mut self.format.header);

        self.issue.next =
            self.active.q.val() && self.credit.val() && (!self.take.q.val() || self.payload_valid.val());
        self.payload_ready.next = self.active.q.val() && self.credit.val() && self.take.q.val();
        self.leaves.next = self.issue.val();
        self.final_issue.next = self.issue.val() && self.at_last.q.val();

        self.masked.next = self.payload_data.val();
        if self.payload_left.q.val() == 1 {
            self.masked.next = self.payload_data.val() & self.tail.q.val();
        }
        self.top.next = bit_cast::<W, 1024>(self.head.q.val() >> self.below_top.val());
        self.carried.next = 0.into();
        if self.left_shift.q.val() != 0 {
            self.carried.next = self.masked.val() << self.left_shift.q.val();
        }
        self.out_valid.d.next = self.issue.val();
        self.whole.next = self.top.val();
        if self.take.q.val() {
            self.whole.next = self.top.val() | (self.masked.val() >> self.right_shift.q.val());
        }
        self.is_sealed.next =
            self.at_last.q.val() || ((self.final_word.q.val() == 0) && (self.beats_left.q.val() == 1));
        self.early_data.next = self.whole.val();
        self.early_last.next = self.at_last.q.val();
        self.early_last_word.next = self.final_word.q.val();
        self.early_sealed.next = self.is_sealed.val();
        self.out_data.d.next = self.whole.val();
        self.out_first.d.next = self.at_beat.q.val() == 0;
        self.out_beat.d.next = self.at_beat.q.val();
        self.out_long.d.next = self.at_long.q.val();
        self.out_last.d.next = self.at_last.q.val();
        self.out_sealed.d.next = self.is_sealed.val();
        self.out_last_word.d.next = self.final_word.q.val();
        if self.icrc_ends.val() {
            self.out_icrc_at.d.next = self.final_word.q.val();
            self.out_icrc_here.d.next = self.at_last.q.val();
        } else {
            // The VCRC's word follows.
            self.out_icrc_at.d.next = (self.final_word.q.val() - 1) & self.word_mask.val();
            self.out_icrc_here.d.next = self.at_last.q.val();
            if self.final_word.q.val() == 0 {
                self.out_icrc_here.d.next = self.beats_left.q.val() == 1;
            }
        }
        if self.issue.val() {
            if self.at_beat.q.val() != 15 {
                self.at_beat.d.next = self.at_beat.q.val() + 1;
            }
            self.beats_left.d.next = self.beats_left.q.val() - 1;
            self.at_last.d.next = self.beats_left.q.val() == 1;
            self.head.d.next = self.head.q.val() << self.width.val();
            if self.take.q.val() {
                // What did not fit into this beat opens the next.
                self.head.d.next = bit_cast::<1024, W>(self.carried.val()) << self.below_top.val();
                self.payload_left.d.next = self.payload_left.q.val() - 1;
            }
            if self.head_left.q.val() != 0 {
                self.head_left.d.next = self.head_left.q.val() - 1;
            }
            // The next beat takes payload once only a part of a beat is left of the headers.
            self.take.d.next = (self.head_left.q.val() == 1) && (self.payload_left.q.val() != 0);
            if self.take.q.val() {
                self.take.d.next = self.payload_left.q.val() != 1;
            }
        }

        self.load.next =
            self.format.formatted_valid.val() && (!self.active.q.val() || self.final_issue.val());
        self.format.formatted_ready.next = self.load.val();
        if self.final_issue.val() {
            self.active.d.next = false;
        }
        if self.load.val() {
            self.active.d.next = true;
            self.head.d.next = self.format.flat.val();
            self.head_left.d.next = self.format.head_beats.val();
            self.payload_left.d.next = self.format.payload_beats.val();
            self.take.d.next = (self.format.head_beats.val() == 0) && (self.format.payload_beats.val() != 0);
            self.tail.d.next = self.format.tail.val();
            self.right_shift.d.next = bit_cast::<9, 4>(self.format.head_rest.val()) << 5;
            self.left_shift.d.next =
                bit_cast::<9, 4>((bits::<4>(0) - self.format.head_rest.val()) & self.word_mask.val()) << 5;
            self.beats_left.d.next = self.format.final_beat.val();
            self.at_last.d.next = self.format.final_beat.val() == 0;
            self.final_word.d.next = self.format.final_word.val();
            self.at_beat.d.next = 0.into();
            self.at_long.d.next = self.format.long.val();
        }
        if self.reset.val() {
            clear!(self, active, out_valid);
        }
        self.valid.next = self.out_valid.q.val();
        self.data.next = self.out_data.q.val();
        self.first.next = self.out_first.q.val();
        self.beat.next = self.out_beat.q.val();
        self.long.next = self.out_long.q.val();
        self.last.next = self.out_last.q.val();
        self.sealed.next = self.out_sealed.q.val();
        self.last_word.next = self.out_last_word.q.val();
        self.icrc_here.next = self.out_icrc_here.q.val();
        self.icrc_at.next = self.out_icrc_at.q.val();
    }
}
