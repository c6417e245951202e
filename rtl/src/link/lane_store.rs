//! The bytes of packets that wait for the link, by VL.
use crate::wire::KeepCount;
use hca_hdl::prelude::*;

/// Keeps the beats of each VL in their order: 2^`A` beats of each of the `NV` data VLs, 128 beats of VL 15. A packet
/// may leave while its end is still to come. `W`: stream bits; `K` = `W` / 8; `D` = `W` + 8.
#[derive(LogicBlock, SmartDefault)]
pub struct LaneStore<const W: usize, const K: usize, const D: usize, const A: usize, const NV: usize> {
    #[default(provided(K * 8 == W && D == W + 8 && NV <= 8, "the generics contradict each other"))]
    pub clock: Signal<In, Clock>,
    #[default(provided(K << A >= 66 * 64, "each data VL must hold the largest packet"))]
    pub reset: Signal<In, Bit>,
    /// Packets, AXI4-Stream: byte 0 of the packet in bits 7:0. A packet on a VL that is neither 15 nor one of the data
    /// VLs never comes.
    pub s_axis: StreamSink<W, K>,
    /// High with the beats of a packet that has a mark ([`super::RateSources`]).
    pub s_axis_marked: Signal<In, Bit>,
    /// Bit `n`: high if the beat at the head of the queue of VL `n` belongs to a packet with a mark.
    pub marked: Signal<Out, Bits<16>>,
    /// Bit `n`: high while a beat of VL `n` waits at the head of its queue.
    pub stands: Signal<Out, Bits<16>>,
    /// Bit `n`: high while the beat at the head of the queue of VL `n` is the last of its packet; without meaning for
    /// VL 15.
    pub ends: Signal<Out, Bits<8>>,
    /// Bit `n`: high to discard the beat at the head of the queue of VL `n`.
    pub discards: Signal<In, Bits<8>>,
    /// The VL whose oldest beat is at `m_axis`.
    pub vl: Signal<In, Bits<4>>,
    /// The oldest beat of that VL.
    pub m_axis: StreamSource<W, K>,

    /// Beat `D` - 1 : 8 | last 7 | has a mark 6 | bytes of a last beat, modulo 64, 5:0.
    #[default(array_init::array_init(|_| Default::default()))]
    data: [BlockFifo<Bits<D>, A>; NV],
    /// Beats of VL 15, laid out like those of `data`.
    management: BlockFifo<Bits<D>, 7>,
    count: KeepCount<K>,
    filled: Concat<1, 16, 16>,
    last: Concat<1, 8, 8>,
    mark: Concat<1, 16, 16>,
    /// High inside a packet at `s_axis`.
    inside: Register<Bit>,
    inside_vl: Register<Bits<4>>,
    enters: Signal<Local, Bits<4>>,
    ready: Signal<Local, Bit>,
    word: Signal<Local, Bits<D>>,
    oldest: Signal<Local, Bits<D>>,
    valid: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<6>>,
}

#[kernel]
impl<const W: usize, const K: usize, const D: usize, const A: usize, const NV: usize> Logic
    for LaneStore<W, K, D, A, NV>
{
    fn update(&mut self) {
        clock!(self, clock, management);
        self.management.reset.next = self.reset.val();

        self.enters.next = self.inside_vl.q.val();
        if !self.inside.q.val() {
            self.enters.next = self.s_axis.tdata.val().get_bits::<4>(4);
        }
        self.count.keep.next = self.s_axis.tkeep.val();
        self.word.next = (bit_cast::<D, W>(self.s_axis.tdata.val()) << 8)
            | (bit_cast::<D, 1>(self.s_axis.tlast.val().into()) << 7)
            | (bit_cast::<D, 1>(self.s_axis_marked.val().into()) << 6)
            | bit_cast::<D, 6>(self.count.count.val().get_bits::<6>(0));

        self.ready.next = self.management.write.ready.val();
        self.management.write.valid.next = self.s_axis.tvalid.val() && self.enters.val().all();
        self.management.write.item.next = self.word.val();
        self.management.read.ready.next = self.m_axis.tready.val() && self.vl.val().all();
        outputs!(self.management.read, oldest: item, valid);
        for i in NV..15 {
            self.filled.i[15 - i].next = bits::<1>(0);
            self.mark.i[15 - i].next = bits::<1>(0);
        }
        for i in NV..8 {
            self.last.i[7 - i].next = bits::<1>(0);
        }
        self.filled.i[0].next = self.management.read.valid.val().into();
        self.mark.i[0].next = self.management.read.item.val().get_bit(6).into();
        for i in 0..NV {
            inputs!(self.data[i], clock, reset);
            self.filled.i[15 - i].next = self.data[i].read.valid.val().into();
            self.last.i[7 - i].next = self.data[i].read.item.val().get_bit(7).into();
            self.mark.i[15 - i].next = self.data[i].read.item.val().get_bit(6).into();
            self.data[i].write.item.next = self.word.val();
            self.data[i].write.valid.next =
                self.s_axis.tvalid.val() && (self.enters.val() == i.to_bits::<4>());
            self.data[i].read.ready.next = (self.m_axis.tready.val() && (self.vl.val() == i.to_bits::<4>()))
                || self.discards.val().get_bit(i);
            if self.enters.val() == i.to_bits::<4>() {
                self.ready.next = self.data[i].write.ready.val();
            }
            if self.vl.val() == i.to_bits::<4>() {
                outputs!(self.data[i].read, oldest: item, valid);
            }
        }
        self.s_axis.tready.next = self.ready.val();
        if self.s_axis.tvalid.val() && self.ready.val() {
            self.inside.d.next = !self.s_axis.tlast.val();
            self.inside_vl.d.next = self.enters.val();
        }

        self.bytes.next = self.oldest.val().get_bits::<6>(0);
        self.m_axis.tdata.next = (self.oldest.val() >> 8).get_bits::<W>(0);
        self.m_axis.tlast.next = self.oldest.val().get_bit(7);
        self.m_axis.tkeep.next = !bits::<K>(0);
        if self.bytes.val().any() {
            self.m_axis.tkeep.next = !(!bits::<K>(0) << self.bytes.val());
        }
        self.m_axis.tvalid.next = self.valid.val();
        self.stands.next = self.filled.o.val();
        self.ends.next = self.last.o.val();
        self.marked.next = self.mark.o.val();
        if self.reset.val() {
            self.inside.d.next = false;
        }
    }
}
