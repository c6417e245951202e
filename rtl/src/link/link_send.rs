//! The send side of the link layer: decides which packet starts when, and puts link packets between packets.
use super::{
    FlowControlSend, LaneHolds, LaneRoom, LaneStore, LinkInsert, PacketBlocks, PacketWatch, RatePace,
    VlArbiter, VlQueue,
};
use crate::bundle::{LaneShareSink, VlArbitrationSink};
use hca_hdl::prelude::*;

/// Keeps the packets of each VL until they may start by credits and it is their turn, and sends flow-control packets
/// between them (`protocol/link.md` sections 4 to 6). A packet that has started is not interrupted.
///
/// A packet that departs while no credits are needed, and while no packet is kept, goes straight to the link. `W`:
/// stream bits; `K` = `W` / 8; `D` = `W` + 8; `A`: log2 of the beats that are kept of each data VL; `NV`: data VLs, up
/// to 8.
#[derive(LogicBlock, SmartDefault)]
pub struct LinkSend<const W: usize, const K: usize, const D: usize, const A: usize, const NV: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High while packets need credits, and flow-control packets are sent.
    pub flow_control: Signal<In, Bit>,
    /// High for one cycle when the port enters Init.
    pub init: Signal<In, Bit>,
    /// High while the port is in Init.
    pub initialises: Signal<In, Bit>,
    /// High while the port is in Armed or Active.
    pub runs: Signal<In, Bit>,
    /// High while packets on data VLs are sent.
    pub sends_data: Signal<In, Bit>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// The tables of VL arbitration.
    pub arbitration: VlArbitrationSink,

    /// High for one cycle when a flow-control packet is taken.
    pub limit_valid: Signal<In, Bit>,
    /// With `limit_valid`: VL of that packet.
    pub limit_vl: Signal<In, Bits<4>>,
    /// With `limit_valid`: FCCL of that packet, in blocks, modulo 4096.
    pub limit: Signal<In, Bits<12>>,
    /// FCCL to send for VL `n` at bits `12 * n + 11 : 12 * n`, in blocks, modulo 4096.
    pub fccl: Signal<In, Bits<96>>,
    /// Number of blocks by which FCCL of VL `n` must be ahead of the last one sent for a flow-control packet to be due,
    /// at bits `8 * n + 7 : 8 * n`.
    pub fccl_step: Signal<In, Bits<64>>,

    /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
    pub sl_to_vl: Signal<In, Bits<64>>,
    /// Room for requests, by VL.
    pub request_hold: Signal<Out, LaneHolds>,
    /// Room for responses, by VL.
    pub response_hold: Signal<Out, LaneHolds>,
    /// Valid for one cycle when a request is made: it takes room on its VL.
    pub request: LaneShareSink,
    /// Valid for one cycle when a response is made: it takes room on its VL.
    pub response: LaneShareSink,
    /// Valid for one cycle when a request ends before it departs: it gives its room back.
    pub request_back: LaneShareSink,
    /// Valid for one cycle when a response ends before it departs: it gives its room back.
    pub response_back: LaneShareSink,
    /// High while the response engine is busy.
    pub responds: Signal<In, Bit>,

    /// Valid for one cycle when a packet departs. None departs before the last one has begun to be built.
    pub departs: LaneShareSink,
    /// With `departs`: mark of the packet, 0 if it is not paced ([`super::RateSources`]).
    pub departs_mark: Signal<In, Bits<3>>,
    /// High while one more packet may begin to be built.
    pub room: Signal<Out, Bit>,
    /// High for one cycle when the packet that departed last begins to be built; at most every other clock. Meanwhile
    /// `discards`, `vl`, `opcode`, `has_grh`, `payload` and `delay` describe it.
    pub builds: Signal<In, Bit>,
    /// High if the packet is discarded: it never comes to `s_axis`.
    pub discards: Signal<In, Bit>,
    /// VL that the packet leaves on.
    pub vl: Signal<In, Bits<4>>,
    /// Opcode of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// High if the packet has a GRH.
    pub has_grh: Signal<In, Bit>,
    /// Bytes of payload of the packet, without pad.
    pub payload: Signal<In, Bits<13>>,
    /// IPD of the packet's source.
    pub delay: Signal<In, Bits<6>>,
    /// Bit `n`: high for one cycle when the packet of mark `n` is discarded, or the pause behind it is over.
    pub freed: Signal<Out, Bits<8>>,

    /// High for one cycle for each packet that is given up: the port has ceased to send it.
    pub gives_up: Signal<Out, Bit>,
    /// High to let no packet be given up in this clock.
    pub gives_up_hold: Signal<In, Bit>,
    /// High while packets wait for credits or for arbitration, and none is under way.
    pub waits: Signal<Out, Bit>,

    /// Packets that are built, AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// Packets and link packets to the link.
    pub m_axis: StreamSource<W, K>,
    /// High with the beat of a link packet.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// High for one cycle for each packet that has left, link packets not counted.
    pub packet_left: Signal<Out, Bit>,
    /// With `packet_left`: 32-bit words of that packet, from the LRH to the ICRC.
    pub packet_words: Signal<Out, Bits<11>>,
    /// With `packet_left`: high for a multicast packet, by its DLID.
    pub packet_multicast: Signal<Out, Bit>,

    size: PacketBlocks,
    #[default(array_init::array_init(|_| Default::default()))]
    queues: [VlQueue; NV],
    #[default(LaneRoom::new(K << A))]
    lane_room: LaneRoom<NV>,
    store: LaneStore<W, K, D, A, NV>,
    arbiter: VlArbiter,
    send: FlowControlSend<NV, K>,
    insert: LinkInsert<W, K>,
    watch: PacketWatch<W>,
    pace: RatePace<NV>,
    /// One entry for each packet that is built and has not come to `s_axis`: its mark (3:1), and whether it goes
    /// straight to the link (0).
    ways: Fifo<Bits<4>, 6>,
    /// High if the packet that departed last needs no credits: none were needed when it departed, or since then.
    exempt: Register<Bit>,
    /// SMPs that are kept, from the time at which they begin to be built: up to 32, and what the store holds.
    smps: Register<Bits<7>>,
    // The packet that joins a queue, a clock late.
    joins: Register<Bit>,
    joining_vl: Register<Bits<4>>,
    joining_blocks: Register<Bits<7>>,
    joining_exempt: Register<Bit>,
    /// High while a packet from the store is under way.
    open: Register<Bit>,
    open_vl: Register<Bits<4>>,
    /// Bit `n`: high while a packet of VL `n` is given up: its beats are discarded.
    drops: Register<Bits<8>>,

    eligible: Concat<1, 16, 16>,
    rooms: Concat<1, 8, 8>,
    waiting: Concat<1, 8, 8>,
    stale: Concat<1, 8, 8>,
    empty: Concat<1, 8, 8>,
    is_kept: Signal<Local, Bit>,
    straight: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    smp_kept: Signal<Local, Bit>,
    smp_leaves: Signal<Local, Bit>,
    /// Bit `n`: high if a packet of VL `n` begins to be discarded in this clock.
    gone: Signal<Local, Bits<8>>,
    discarding: Signal<Local, Bits<8>>,
    /// Bit `n`: high if a packet leaves the queue of VL `n` in this clock.
    started: Signal<Local, Bits<8>>,
    smp: Signal<Local, Bit>,
    begins_data: Signal<Local, Bit>,
    /// High if a packet from the store starts in this clock.
    begins: Signal<Local, Bit>,
    /// High if a packet from the store starts in this clock, or is under way.
    active: Signal<Local, Bit>,
    out_vl: Signal<Local, Bits<4>>,
    takes: Signal<Local, Bit>,
    blocks: Signal<Local, Bits<7>>,
    /// Packets that go to the link.
    offered: Signal<Local, Bit>,
    passing: Signal<Local, Bits<W>>,
    passing_last: Signal<Local, Bit>,
    #[default(constant(15))]
    management: Constant<Bits<4>>,
    #[default(constant(1))]
    one: Constant<Bits<8>>,
}

#[kernel]
impl<const W: usize, const K: usize, const D: usize, const A: usize, const NV: usize> Logic
    for LinkSend<W, K, D, A, NV>
{
    fn update(&mut self) {
        clock_and_reset!(self, store, lane_room, arbiter, send, insert, watch, pace, ways);

        // A packet begins to be built.
        if self.departs.valid.val() {
            self.exempt.d.next = false;
        }
        if !self.flow_control.val() {
            self.exempt.d.next = true;
        }
        self.straight.next = !self.flow_control.val()
            && self.empty.o.val().all()
            && !self.open.q.val()
            && !self.smps.q.val().any();
        self.is_kept.next = self.builds.val() && !self.discards.val() && !self.straight.val();
        self.ways.write.valid.next = self.builds.val() && !self.discards.val();
        self.ways.write.item.next = (bit_cast::<4, 3>(self.pace.built_mark.val()) << 1)
            | bit_cast::<4, 1>(self.straight.val().into());
        inputs!(self.size, opcode, has_grh, payload);
        self.joins.d.next = self.is_kept.val() && (self.vl.val() != self.management.val());
        self.joining_vl.d.next = self.vl.val();
        self.joining_blocks.d.next = self.size.blocks.val();
        self.joining_exempt.d.next = self.exempt.q.val() || !self.flow_control.val();

        // The queues.
        for i in NV..16 {
            self.eligible.i[15 - i].next = bits::<1>(0);
        }
        for i in NV..8 {
            self.rooms.i[7 - i].next = bits::<1>(1);
            self.waiting.i[7 - i].next = bits::<1>(0);
            self.stale.i[7 - i].next = bits::<1>(0);
            self.empty.i[7 - i].next = bits::<1>(1);
        }
        self.blocks.next = bits::<7>(0);
        for i in 0..NV {
            inputs!(self.queues[i], clock, reset, flow_control, init, limit);
            self.queues[i].sends.next = self.sends_data.val() && (i.to_bits::<4>() < self.data_vls.val());
            self.queues[i].limit_valid.next =
                self.limit_valid.val() && (self.limit_vl.val() == i.to_bits::<4>());
            self.queues[i].joins.next = self.joins.q.val() && (self.joining_vl.q.val() == i.to_bits::<4>());
            inputs!(self.queues[i], blocks: joining_blocks.q, exempt: joining_exempt.q);
            self.rooms.i[7 - i].next = self.queues[i].room.val().into();
            self.waiting.i[7 - i].next = self.queues[i].waits.val().into();
            self.empty.i[7 - i].next = self.queues[i].empty.val().into();
            // The head of the queue is a beat of an earlier packet while that packet is under way or discarded.
            self.stale.i[7 - i].next = (self.queues[i].gives_up.val()
                && self.store.stands.val().get_bit(i)
                && !self.drops.q.val().get_bit(i)
                && !(self.open.q.val() && (self.open_vl.q.val() == i.to_bits::<4>())))
            .into();
            self.eligible.i[15 - i].next = (self.queues[i].ready.val()
                && self.store.stands.val().get_bit(i)
                && !self.drops.q.val().get_bit(i))
            .into();
            self.lane_room.sizes[i].next = self.queues[i].size.val();
            self.send.fctbs[i].next = self.queues[i].sent.val();
            self.send.fccl[i].next = self.fccl.val().get_bits::<12>(i * 12);
            self.send.fccl_step[i].next = self.fccl_step.val().get_bits::<8>(i * 8);
            if self.arbiter.vl.val() == i.to_bits::<4>() {
                self.blocks.next = self.queues[i].size.val().get_bits::<7>(0);
            }
        }
        self.room.next = self.rooms.o.val().all() && self.ways.write.ready.val();

        // What is given up does not pass the link; one packet a clock begins to be discarded.
        self.gone.next = bits::<8>(0);
        if !self.gives_up_hold.val() {
            self.gone.next = self.stale.o.val() & (!self.stale.o.val() + 1);
        }
        self.gives_up.next = self.gone.val().any();
        self.discarding.next = self.drops.q.val() | self.gone.val();
        self.store.discards.next = self.discarding.val();
        self.drops.d.next =
            self.discarding.val() & !(self.store.stands.val().get_bits::<8>(0) & self.store.ends.val());

        // Whose turn it is: SMPs first (CF282), then what the tables say.
        VlArbitrationSink::link(&mut self.arbitration, &mut self.arbiter.arbitration);
        inputs!(self.arbiter, eligible: eligible.o, blocks);
        self.smp.next = self.store.stands.val().get_bit(15);
        self.begins_data.next = !self.smp.val()
            && self.arbiter.valid.val()
            && self.eligible.o.val().get_bit(self.arbiter.vl.val().index())
            && !self.send.hold.val();
        self.begins.next = (self.smp.val() || self.begins_data.val()) && !self.open.q.val();
        self.active.next = self.begins.val() || self.open.q.val();
        self.out_vl.next = self.arbiter.vl.val();
        if self.smp.val() {
            self.out_vl.next = self.management.val();
        }
        if self.open.q.val() {
            self.out_vl.next = self.open_vl.q.val();
        }
        self.started.next = self.gone.val();
        if self.begins.val() && !self.smp.val() {
            self.started.next = self.gone.val() | (self.one.val() << self.out_vl.val());
        }
        for i in 0..NV {
            self.queues[i].starts.next = self.started.val().get_bit(i);
        }
        // The room of the queues.
        inputs!(self.lane_room, sl_to_vl, data_vls, builds, responds, active: flow_control, leaves: started);
        inputs!(self.lane_room, joins: joins.q, joining_vl: joining_vl.q, joining_blocks: joining_blocks.q);
        outputs!(self.lane_room, request_hold, response_hold);
        LaneShareSink::link(&mut self.request, &mut self.lane_room.request);
        LaneShareSink::link(&mut self.response, &mut self.lane_room.response);
        LaneShareSink::link(&mut self.request_back, &mut self.lane_room.request_back);
        LaneShareSink::link(&mut self.response_back, &mut self.lane_room.response_back);
        LaneShareSink::link(&mut self.departs, &mut self.lane_room.departs);
        self.arbiter.starts.next = self.begins_data.val() && !self.open.q.val();
        self.waits.next = (self.waiting.o.val().any() || self.eligible.o.val().any()) && !self.active.val();

        // From the store, or straight, to the link.
        self.store.vl.next = self.out_vl.val();
        self.takes.next = self.active.val() && self.insert.s_axis.tready.val();
        self.store.m_axis.tready.next = self.takes.val();
        self.leaves.next =
            self.store.m_axis.tvalid.val() && self.takes.val() && self.store.m_axis.tlast.val();
        self.open.d.next = self.active.val() && !self.leaves.val();
        self.open_vl.d.next = self.out_vl.val();

        self.enters.next = self.ways.read.valid.val() && self.ways.read.item.val().get_bit(0);
        inputs!(self.store.s_axis, tdata: s_axis.tdata, tkeep: s_axis.tkeep, tlast: s_axis.tlast);
        self.store.s_axis.tvalid.next =
            self.s_axis.tvalid.val() && self.ways.read.valid.val() && !self.enters.val();
        self.s_axis.tready.next = self.ways.read.valid.val() && self.store.s_axis.tready.val();
        outputs!(self.store.m_axis, passing: tdata, passing_last: tlast);
        self.insert.s_axis.tkeep.next = self.store.m_axis.tkeep.val();
        self.offered.next = self.active.val() && self.store.m_axis.tvalid.val();
        // A packet from the store starts only when it may.
        self.insert.urgent.next = true;
        if self.enters.val() {
            self.s_axis.tready.next = self.insert.s_axis.tready.val();
            outputs!(self.s_axis, passing: tdata, passing_last: tlast);
            self.insert.s_axis.tkeep.next = self.s_axis.tkeep.val();
            self.offered.next = self.s_axis.tvalid.val();
            // An SMP goes before flow control (CF451).
            self.insert.urgent.next = self.s_axis.tdata.val().get_bits::<4>(4) == self.management.val();
        }
        inputs!(self.insert.s_axis, tdata: passing, tlast: passing_last, tvalid: offered);
        self.ways.read.ready.next =
            self.s_axis.tvalid.val() && self.s_axis.tready.val() && self.s_axis.tlast.val();
        self.smp_kept.next = self.is_kept.val() && (self.vl.val() == self.management.val());
        self.smp_leaves.next = self.leaves.val() && (self.out_vl.val() == self.management.val());
        if self.smp_kept.val() && !self.smp_leaves.val() {
            self.smps.d.next = self.smps.q.val() + 1;
        }
        if self.smp_leaves.val() && !self.smp_kept.val() {
            self.smps.d.next = self.smps.q.val() - 1;
        }

        // Packets that are paced.
        inputs!(self.pace, builds, discards, delay, departs_mark);
        outputs!(self.pace, freed);
        self.pace.departs.next = self.departs.valid.val();
        self.pace.comes.next = self.s_axis.tvalid.val() && self.s_axis.tready.val();
        self.pace.comes_last.next = self.s_axis.tlast.val();
        self.pace.comes_mark.next = self.ways.read.item.val().get_bits::<3>(1);
        self.pace.straight.next = self.enters.val();
        self.pace.vl.next = self.s_axis.tdata.val().get_bits::<4>(4);
        self.store.s_axis_marked.next = self.ways.read.item.val().get_bits::<3>(1).any();
        self.pace.marked.next = self.store.marked.val();
        self.pace.starts.next = bits::<16>(0);
        if self.begins.val() {
            self.pace.starts.next = bits::<16>(1) << self.out_vl.val();
        }
        inputs!(self.pace, drops: gone, beat: insert.taken, last: passing_last);

        inputs!(self.watch, taken: insert.taken, data: passing, last: passing_last);
        outputs!(self.watch, packet_left: ends, packet_words: words, packet_multicast: multicast);

        inputs!(self.send, flow_control, initialises, runs, data_vls);
        wires!(self.insert, self.send, packet_offered, packet_taken);
        wires!(self.send, self.insert, hold, packet, packet_valid);
        StreamSource::<W, K>::link(&mut self.m_axis, &mut self.insert.m_axis);
        self.m_axis_tuser.next = self.insert.m_axis_tuser.val();
        if self.reset.val() {
            clear!(self, smps, joins, open, drops);
        }
    }
}
