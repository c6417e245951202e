//! The link's transmit side.
use super::crc_append::CrcAppend;
use super::frame_cut::FrameCut;
use super::icrc_cover::IcrcCover;
use super::packet_merge::PacketMerge;
use super::tx_header::TxHeader;
use super::{ICRC_POLYNOMIAL, VCRC_POLYNOMIAL};
use hca_hdl::prelude::*;

/// Builds packets, with all lengths, pad and CRCs, from headers and aligned payload: RoCEv2 frames without FCS if
/// `ROCE` is 1, native InfiniBand if it is 0.
///
/// `K` = `W` / 8. Each header takes ceil(payload / `K`) beats of payload, byte 0 at the most significant end; bytes
/// beyond the last may be anything. A beat leaves as soon as its bytes are there; only the beats that hold CRCs come
/// eleven clocks later. A lone packet waits that long before its last beat, a packet of a busy link does not: there, a
/// beat leaves in each clock, without a gap between packets. Between a credit and the output queues the pipeline never
/// stalls, so `m_axis_tready` reaches only these queues. A RoCEv2 frame shorter than Ethernet's 60 bytes is left to the
/// MAC to fill up.
#[derive(LogicBlock, SmartDefault)]
pub struct PacketBuilder<const W: usize, const K: usize, const ROCE: usize> {
    #[default(provided(K * 8 == W, "the generics contradict each other"))]
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
    /// The stream to the link, byte 0 of a packet in bits 7:0.
    pub m_axis: StreamSource<W, K>,
    /// High for one cycle when the last beat of a packet leaves.
    pub sent: Signal<Out, Bit>,
    merge: PacketMerge<W, ROCE>,
    #[default(IcrcCover::new(ROCE == 1))]
    cover: IcrcCover<W>,
    #[default(CrcAppend::new(ICRC_POLYNOMIAL))]
    icrc: CrcAppend<W, 32, 7>,
    #[default(CrcAppend::new(VCRC_POLYNOMIAL))]
    vcrc: CrcAppend<W, 16, 1>,
    early_cut: FrameCut<W, 6>,
    cut: FrameCut<W, 1>,
    /// All beats, without CRCs.
    beats: Fifo<Bits<W>, 4>,
    /// For each beat: it is in `tails` | last | last word 4.
    ends: Fifo<Bits<6>, 4>,
    /// Beats with CRCs.
    tails: Fifo<Bits<W>, 4>,
    lanes: ByteReverse<W>,
    #[default(Register::new(16.into()))]
    credits: Register<Bits<5>>,
    early_tag: Signal<Local, Bits<6>>,
    sealed: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    tag: Signal<Local, Bits<7>>,
    unused: Signal<Local, Bits<6>>,
    #[default(Constant::new(ROCE == 1))]
    roce: Constant<Bit>,
    #[default(Constant::new(!Bits::<K>::default()))]
    all_lanes: Constant<Bits<K>>,
    #[default(constant(K - 2))]
    most_unused: Constant<Bits<6>>,
}

#[kernel]
impl<const W: usize, const K: usize, const ROCE: usize> Logic for PacketBuilder<W, K, ROCE> {
    fn update(&mut self) {
        clock_and_reset!(self, merge, early_cut, cut, beats, ends, tails);
        clock!(self, clock, icrc, vcrc);

        OfferSink::<TxHeader>::link(&mut self.header, &mut self.merge.header);
        inputs!(self.merge, payload_data, payload_valid);
        self.payload_ready.next = self.merge.payload_ready.val();
        self.merge.credit.next = self.credits.q.val() != 0;

        // Beats at once.
        self.early_tag.next = bit_cast::<6, 4>(self.merge.early_last_word.val())
            | (bit_cast::<6, 1>(self.merge.early_last.val().into()) << 4)
            | (bit_cast::<6, 1>(self.merge.early_sealed.val().into()) << 5);
        inputs!(self.early_cut, data: merge.early_data, valid: merge.leaves, last: merge.early_last);
        self.early_cut.tag.next = self.early_tag.val();

        // Beats with CRCs, later.
        wires!(self.merge, self.cover, data, beat, long);
        self.tag.next = bit_cast::<7, 4>(self.merge.last_word.val())
            | (bit_cast::<7, 1>(self.merge.last.val().into()) << 4)
            | (bit_cast::<7, 1>(self.merge.first.val().into()) << 5)
            | (bit_cast::<7, 1>(self.merge.sealed.val().into()) << 6);
        wires!(self.merge, self.icrc, data, valid, first);
        inputs!(self.icrc, covered: cover.covered, here: merge.icrc_here, at: merge.icrc_at, tag);

        inputs!(self.vcrc, data: icrc.out_data, covered: icrc.out_data, valid: icrc.out_valid);
        self.vcrc.first.next = self.icrc.out_tag.val().get_bit(5);
        self.vcrc.here.next = self.icrc.out_tag.val().get_bit(4);
        self.vcrc.at.next = self.icrc.out_tag.val().get_bits::<4>(0);
        self.vcrc.tag.next = self.icrc.out_tag.val().get_bits::<1>(6);

        inputs!(self.cut, data: icrc.out_data, valid: icrc.out_valid);
        self.cut.last.next = self.icrc.out_tag.val().get_bit(4);
        self.cut.tag.next = self.icrc.out_tag.val().get_bits::<1>(6);

        if self.roce.val() {
            inputs!(self.beats.write, item: early_cut.out_data, valid: early_cut.out_valid);
            inputs!(self.ends.write, item: early_cut.out_tag, valid: early_cut.out_valid);
            self.tails.write.item.next = self.cut.out_data.val();
            self.tails.write.valid.next = self.cut.out_valid.val() && self.cut.out_tag.val().get_bit(0);
        } else {
            inputs!(self.beats.write, item: merge.early_data, valid: merge.leaves);
            inputs!(self.ends.write, item: early_tag, valid: merge.leaves);
            self.tails.write.item.next = self.vcrc.out_data.val();
            self.tails.write.valid.next = self.vcrc.out_valid.val() && self.vcrc.out_tag.val().get_bit(0);
        }

        // A credit is a free place in the output queues that no beat is under way to.
        self.sealed.next = self.ends.read.item.val().get_bit(5);
        self.whole.next = self.beats.read.valid.val() && (!self.sealed.val() || self.tails.read.valid.val());
        self.pop.next = self.whole.val() && self.m_axis.tready.val();
        self.beats.read.ready.next = self.pop.val();
        self.ends.read.ready.next = self.pop.val();
        self.tails.read.ready.next = self.pop.val() && self.sealed.val();
        if self.merge.leaves.val() && !self.pop.val() {
            self.credits.d.next = self.credits.q.val() - 1;
        }
        if self.pop.val() && !self.merge.leaves.val() {
            self.credits.d.next = self.credits.q.val() + 1;
        }
        if self.reset.val() {
            self.credits.d.next = 16.into();
        }

        self.lanes.i.next = self.beats.read.item.val();
        if self.sealed.val() {
            self.lanes.i.next = self.tails.read.item.val();
        }
        inputs!(self.m_axis, tdata: lanes.o, tvalid: whole);
        self.m_axis.tlast.next = self.ends.read.item.val().get_bit(4);
        // The last word is two bytes: the VCRC, or what is left of the ICRC's word behind the cut.
        self.unused.next =
            self.most_unused.val() - (bit_cast::<6, 4>(self.ends.read.item.val().get_bits::<4>(0)) << 2);
        self.m_axis.tkeep.next = self.all_lanes.val();
        if self.ends.read.item.val().get_bit(4) {
            self.m_axis.tkeep.next = self.all_lanes.val() >> self.unused.val();
        }
        self.sent.next = self.pop.val() && self.ends.read.item.val().get_bit(4);
    }
}
