//! The buffers of the VLs at a port's receive side.
use super::arrival_check::ArrivalCheck;
use super::beat_store::BeatStore;
use super::vl_credit::VlCredit;
use super::vl_room::VlRoom;
use crate::bundle::CreditUpdateSink;
use crate::wire::Ingress;
use hca_hdl::prelude::*;

/// Blocks of 64 bytes for VL 15: two SMPs of 5 blocks.
const MANAGEMENT_QUOTA: usize = 10;

/// Blocks that no VL has: room for stubs, one beat each.
const SPARE: usize = 14;

/// Number of beats of the store, of addresses of `bits` bits: three quarters of what they reach. That is room for two
/// largest packets of each data VL and the way there and back, without which the link waits for credits.
const fn beats(bits: usize) -> usize {
    3 << bits >> 2
}

/// Number of blocks of each of `vls` data VLs, in a buffer of `bytes` bytes.
const fn vl_blocks(bytes: usize, vls: usize) -> usize {
    let share = (bytes / 64 - MANAGEMENT_QUOTA - SPARE) / vls;
    if share > 255 {
        255
    } else {
        share
    }
}

/// Takes packets in whether those behind are ready or not, in as much room as each VL has, and passes them on in the
/// order in which they came (`protocol/link.md` sections 3 and 5).
///
/// The packets share one store of 3/4 2^`A` beats and are counted in blocks of 64 bytes. A packet without room, or
/// longer than the largest, leaves a stub of one beat with its VL, so that it is reported in its place. A data VL that
/// is not among the `NV` of the port uses the room of one that is; the packet is discarded later.
///
/// Without flow control, packets pass by the store and nothing is counted: `s_axis` waits for `m_axis`. `W`: stream
/// bits; `K` = `W` / 8; `D` = `W` + 8.
#[derive(LogicBlock, SmartDefault)]
pub struct ReceiveBuffer<const W: usize, const K: usize, const D: usize, const A: usize, const NV: usize> {
    #[default(provided(
        K * 8 == W && K <= 64 && D == W + 8 && NV.is_power_of_two() && NV <= 8,
        "the generics contradict each other"
    ))]
    pub clock: Signal<In, Clock>,
    #[default(provided(vl_blocks(K * beats(A), NV) >= 66, "each data VL must hold the largest packet"))]
    pub reset: Signal<In, Bit>,
    /// Packets from the link, without link packets. With flow control, `s_axis_tready` is low only while packets
    /// without room wait untaken: more than a hundred of them in `small`, some 20 in `mid`, 6 in `line`.
    pub s_axis: StreamSink<W, K>,
    /// High with the last beat of a packet that ended as bad.
    pub s_axis_bad: Signal<In, Bit>,
    /// High while data packets need credits.
    pub flow_control: Signal<In, Bit>,
    /// High while the port is Down.
    pub down: Signal<In, Bit>,
    /// A link packet was taken, two clocks after its beat.
    pub credit_update: CreditUpdateSink,
    /// Packets in the order in which they came.
    pub m_axis: StreamSource<W, K>,
    /// High with the last beat of a packet that ended as bad.
    pub m_axis_bad: Signal<Out, Bit>,
    /// High with the only beat of the stub of a packet that found no room.
    pub m_axis_overran: Signal<Out, Bit>,
    /// FCCL of data VL `n` at bits `12 * n + 11 : 12 * n`, modulo 4096. It is 0 for other VLs and in Down, and has no
    /// meaning while `flow_control` is low.
    pub fccl: Signal<Out, Bits<96>>,
    /// Number of blocks by which FCCL of data VL `n` must be ahead of the last one sent for a flow-control packet to be
    /// due, at bits `8 * n + 7 : 8 * n`; 0 for other VLs.
    pub fccl_step: Signal<Out, Bits<64>>,

    ingress: Ingress<W, K, 1, 0>,
    check: ArrivalCheck<W>,
    #[default(BeatStore::new(beats(A)))]
    store: BeatStore<D, A>,
    #[default(array_init::array_init(|_| VlRoom::new(vl_blocks(K * beats(A), NV))))]
    rooms: [VlRoom; NV],
    #[default(VlRoom::new(MANAGEMENT_QUOTA))]
    management_room: VlRoom,
    #[default(array_init::array_init(|_| VlCredit::new(vl_blocks(K * beats(A), NV))))]
    credits: [VlCredit; NV],
    reversed: ByteReverse<W>,
    limits: Concat<12, 8, 96>,
    steps: Concat<8, 8, 64>,
    /// High while packets go through the store.
    stores: Register<Bit>,
    /// High while a packet has begun and not ended at `s_axis`.
    inside: Register<Bit>,
    // The packet that arrives.
    ends_bad: Register<Bit>,
    vl: Register<Bits<4>>,
    refused: Register<Bit>,
    // A link packet takes as many clocks as the check of a data packet.
    update_first: Register<Bits<17>>,
    update_second: Register<Bits<17>>,
    update_third: Register<Bits<17>>,
    // The packet that leaves, and the block that has left.
    out_beat: Register<Bits<11>>,
    out_vl: Register<Bits<4>>,
    left: Register<Bit>,
    left_vl: Register<Bits<4>>,
    ready: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    current_vl: Signal<Local, Bits<4>>,
    blocks: Signal<Local, Bits<11>>,
    room: Signal<Local, Bits<8>>,
    overlong: Signal<Local, Bit>,
    lacks: Signal<Local, Bit>,
    stub: Signal<Local, Bit>,
    tag: Signal<Local, Bits<8>>,
    word: Signal<Local, Bits<W>>,
    ends: Signal<Local, Bit>,
    out_tag: Signal<Local, Bits<8>>,
    out_word: Signal<Local, Bits<W>>,
    out_keep: Signal<Local, Bits<K>>,
    ends_block: Signal<Local, Bit>,
    front_vl: Signal<Local, Bits<4>>,
    out_stub: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    #[default(constant((64 / K).trailing_zeros()))]
    block_shift: Constant<Bits<3>>,
    /// Number of a block's last beat within it.
    #[default(constant(64 / K - 1))]
    within_block: Constant<Bits<11>>,
    #[default(constant(W - 4))]
    to_vl: Constant<Bits<10>>,
    #[default(constant(NV - 1))]
    vl_mask: Constant<Bits<4>>,
    /// Blocks of the largest packet.
    #[default(constant(66))]
    longest: Constant<Bits<11>>,
}

#[kernel]
impl<const W: usize, const K: usize, const D: usize, const A: usize, const NV: usize> Logic
    for ReceiveBuffer<W, K, D, A, NV>
{
    fn update(&mut self) {
        clock_and_reset!(self, ingress, check, store, management_room);

        // Through the store or past it, which changes between two packets, and only while the store is empty.
        self.ready.next = self.m_axis.tready.val();
        if self.stores.q.val() {
            self.ready.next = (self.flow_control.val() || self.inside.q.val()) && !self.store.full.val();
        }
        self.s_axis.tready.next = self.ready.val();
        self.goes_on.next = self.inside.q.val();
        if self.s_axis.tvalid.val() && self.ready.val() {
            self.goes_on.next = !self.s_axis.tlast.val();
        }
        self.inside.d.next = self.goes_on.val();
        if !self.goes_on.val() {
            self.stores.d.next = self.flow_control.val();
            if self.stores.q.val()
                && ((self.s_axis.tvalid.val() && self.ready.val())
                    || self.ingress.valid.val()
                    || !self.store.empty.val())
            {
                self.stores.d.next = true;
            }
        }

        // The beat that arrives, a clock late.
        inputs!(self.ingress.s_axis, tdata: s_axis.tdata, tkeep: s_axis.tkeep, tlast: s_axis.tlast);
        self.ingress.s_axis.tvalid.next = self.s_axis.tvalid.val() && self.stores.q.val() && self.ready.val();
        self.ingress.open.next = true;
        self.ingress.own.next = false;
        self.ends_bad.d.next = self.s_axis_bad.val();
        self.current_vl.next = self.vl.q.val();
        if self.ingress.first.val() {
            self.current_vl.next = (self.ingress.data.val() >> self.to_vl.val()).get_bits::<4>(0);
        }
        self.blocks.next = (self.ingress.beat.val() >> self.block_shift.val()) + 1;
        self.overlong.next = self.blocks.val() > self.longest.val();
        self.room.next = self.management_room.room.val();
        for i in 0..NV {
            if !self.current_vl.val().all()
                && ((self.current_vl.val() & self.vl_mask.val()) == i.to_bits::<4>())
            {
                self.room.next = self.rooms[i].room.val();
            }
        }
        self.lacks.next = (self.blocks.val() > bit_cast::<11, 8>(self.room.val()))
            || (self.refused.q.val() && !self.ingress.first.val());
        if self.ingress.valid.val() {
            self.vl.d.next = self.current_vl.val();
            self.refused.d.next = self.lacks.val();
        }

        // The store keeps each beat with a tag of 8 bits. Bits 7:6 are 0 within a packet; in a last beat they are 1, 2
        // if the packet ended as bad, or 3 for the stub of a packet without room. Bits 5:0 are the number of its bytes
        // modulo 64. A stub is one word: the VL, and a 1 in the lowest bit.
        self.stub.next = self.lacks.val() || self.overlong.val();
        self.tag.next = bits::<8>(0);
        self.word.next = self.ingress.data.val();
        if self.ingress.last.val() {
            self.tag.next = bits::<8>(0x40) | bit_cast::<8, 6>(self.ingress.count.val().get_bits::<6>(0));
            if self.stub.val() {
                self.tag.next = bits::<8>(0xC4);
                if self.overlong.val() {
                    self.tag.next = bits::<8>(0x44);
                }
                self.word.next = (bit_cast::<W, 4>(self.current_vl.val()) << self.to_vl.val()) | bits::<W>(1);
            }
            if self.ends_bad.q.val() {
                self.tag.next = bits::<8>(0x80) | bit_cast::<8, 6>(self.ingress.count.val().get_bits::<6>(0));
                if self.stub.val() {
                    self.tag.next = bits::<8>(0x84);
                }
            }
        }
        self.store.write_valid.next =
            self.ingress.valid.val() && (self.ingress.last.val() || !self.stub.val());
        self.store.write_anew.next = self.ingress.last.val() && self.stub.val();
        self.store.write_last.next = self.ingress.last.val();
        self.store.write_data.next =
            (bit_cast::<D, W>(self.word.val()) << 8) | bit_cast::<D, 8>(self.tag.val());
        self.ends.next = self.ingress.valid.val() && self.ingress.last.val() && !self.stub.val();

        // Whether it counts.
        wires!(self.ingress, self.check, valid, first, last, data, end_word, count, beat);
        inputs!(self.check, ends_bad: ends_bad.q, vl: current_vl);
        self.check.blocks.next = self.blocks.val().get_bits::<7>(0);
        // FCTBS 12, VL 4, valid 1.
        self.update_first.d.next = (bit_cast::<17, 12>(self.credit_update.fctbs.val()) << 5)
            | (bit_cast::<17, 4>(self.credit_update.vl.val()) << 1)
            | bit_cast::<17, 1>(self.credit_update.valid.val().into());
        self.update_second.d.next = self.update_first.q.val();
        self.update_third.d.next = self.update_second.q.val();

        // Out.
        self.out_tag.next = self.store.read_data.val().get_bits::<8>(0);
        self.out_word.next = (self.store.read_data.val() >> 8).get_bits::<W>(0);
        self.reversed.i.next = self.out_word.val();
        self.out_keep.next = !bits::<K>(0);
        if self.out_tag.val().get_bits::<2>(6).any() && self.out_tag.val().get_bits::<6>(0).any() {
            self.out_keep.next = !(!bits::<K>(0) << self.out_tag.val().get_bits::<6>(0));
        }
        inputs!(self.m_axis, tdata: s_axis.tdata, tkeep: s_axis.tkeep, tlast: s_axis.tlast);
        self.m_axis.tvalid.next = self.s_axis.tvalid.val();
        self.m_axis_bad.next = self.s_axis_bad.val();
        self.m_axis_overran.next = false;
        if self.stores.q.val() {
            inputs!(self.m_axis, tdata: reversed.o, tkeep: out_keep);
            self.m_axis.tlast.next = self.out_tag.val().get_bits::<2>(6).any();
            self.m_axis.tvalid.next = self.store.read_valid.val();
            self.m_axis_bad.next = self.out_tag.val().get_bits::<2>(6) == 2;
            self.m_axis_overran.next = self.out_tag.val().get_bits::<2>(6) == 3;
        }
        self.store.read_ready.next = self.stores.q.val() && self.m_axis.tready.val();
        self.leaves.next = self.stores.q.val() && self.store.read_valid.val() && self.m_axis.tready.val();
        // A block is free once it has left, so that a long packet makes room while it leaves.
        self.ends_block.next = self.out_tag.val().get_bits::<2>(6).any()
            || (self.out_beat.q.val() & self.within_block.val()) == self.within_block.val();
        self.out_stub.next = !self.out_beat.q.val().any()
            && (self.out_tag.val().get_bits::<6>(0) == 4)
            && self.out_word.val().get_bit(0);
        self.left.d.next = self.leaves.val() && self.ends_block.val() && !self.out_stub.val();
        self.front_vl.next = self.out_vl.q.val();
        if !self.out_beat.q.val().any() {
            self.front_vl.next = (self.out_word.val() >> self.to_vl.val()).get_bits::<4>(0);
        }
        self.left_vl.d.next = self.front_vl.val();
        if self.leaves.val() {
            self.out_vl.d.next = self.front_vl.val();
            self.out_beat.d.next = self.out_beat.q.val() + 1;
            if self.out_tag.val().get_bits::<2>(6).any() {
                self.out_beat.d.next = 0.into();
            }
        }

        // Room and credits.
        self.management_room.stores.next = self.ends.val() && self.current_vl.val().all();
        self.management_room.stored.next = self.blocks.val().get_bits::<7>(0);
        self.management_room.frees.next = self.left.q.val() && self.left_vl.q.val().all();
        for i in 0..8 {
            self.limits.i[i].next = bits::<12>(0);
        }
        for i in NV..8 {
            self.steps.i[7 - i].next = bits::<8>(0);
        }
        for i in 0..NV {
            inputs!(self.rooms[i], clock, reset);
            self.rooms[i].stores.next = self.ends.val()
                && !self.current_vl.val().all()
                && ((self.current_vl.val() & self.vl_mask.val()) == i.to_bits::<4>());
            self.rooms[i].stored.next = self.blocks.val().get_bits::<7>(0);
            self.rooms[i].frees.next = self.left.q.val()
                && !self.left_vl.q.val().all()
                && ((self.left_vl.q.val() & self.vl_mask.val()) == i.to_bits::<4>());
            inputs!(self.credits[i], clock, reset, down, room: rooms[i].room);
            self.credits[i].received.next =
                self.check.received.val() && (self.check.received_vl.val() == i.to_bits::<4>());
            self.credits[i].blocks.next = self.check.received_blocks.val();
            self.credits[i].updated.next = self.update_third.q.val().get_bit(0)
                && (self.update_third.q.val().get_bits::<4>(1) == i.to_bits::<4>());
            self.credits[i].fctbs.next = self.update_third.q.val().get_bits::<12>(5);
            self.steps.i[7 - i].next = self.credits[i].step.val();
            if !self.down.val() {
                self.limits.i[7 - i].next = self.credits[i].fccl.val();
            }
        }
        self.fccl.next = self.limits.o.val();
        self.fccl_step.next = self.steps.o.val();
        if self.reset.val() {
            self.out_beat.d.next = 0.into();
            clear!(self, stores, inside, update_first, update_second, update_third, left);
        }
    }
}
