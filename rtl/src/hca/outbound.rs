//! From the packets of the engines to the stream port.
use crate::bundle::{
    CopiedBeatSource, DataFaultSource, EmittedPacketSource, HandleUpdateSink, LaneHoldSource, LaneShareSink,
    PieceSource, PlannedPieceSink, ReadBeatSink, ReportSource, RouteModifySink, SendCountSource,
    SendStateSink, VlArbitrationSink, WqeReadSource,
};
use crate::link::{GidChoice, LinkSend, VlChoice};
use crate::memory::Gather;
use crate::retire::RetireRecord;
use crate::transmit::{LinkDrain, RequestsRead, Routing, Spoil, TransmitPacket, TransmitPath, Withhold};
use crate::wire::PacketBuilder;
use hca_hdl::bundle::{OfferSink, StreamSource};
use hca_hdl::primitive::{clock, comment, dff_setup, kernel, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Merges requests, read responses and acks, gathers their payload, and builds packets of them.
///
/// `W`: stream bits; `K` = `W` / 8; `M`: bits of the memory bus; `A` = `W` + `M`; `PA`: log2 of the payload buffer's
/// beats; `QB`, `AB`, `TA`: the widths of [`Routing`]; `D`, `LB`, `NV`: those of [`LinkSend`], of a native port. One of
/// `IB` and `ROCE` is 1: native InfiniBand, or RoCEv2.
#[derive(LogicBlock, SmartDefault)]
pub struct Outbound<
    const W: usize,
    const K: usize,
    const M: usize,
    const A: usize,
    const PA: usize,
    const QB: usize,
    const AB: usize,
    const TA: usize,
    const D: usize,
    const LB: usize,
    const NV: usize,
    const IB: usize,
    const ROCE: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Request packets.
    pub request: OfferSink<TransmitPacket>,
    /// Pieces of the payload of requests.
    pub request_piece: PlannedPieceSink,
    /// Read responses and atomic acks.
    pub response: OfferSink<TransmitPacket>,
    /// Pieces of the payload of responses.
    pub response_piece: PlannedPieceSink,
    /// ACKs, NAKs and RNR NAKs: without payload; they overtake requests and responses.
    pub ack: OfferSink<TransmitPacket>,
    /// Which VLs have room for requests ([`crate::link::LaneRoom`]); over Ethernet no packet waits for room.
    pub request_hold: LaneHoldSource,
    /// A request is made, and takes room; without meaning over Ethernet, like the following four.
    pub request_share: LaneShareSink,
    /// A request ends before it departs, and gives its room back.
    pub request_back: LaneShareSink,
    /// Which VLs have room for responses and acks.
    pub response_hold: LaneHoldSource,
    /// A response is made, and takes room.
    pub response_share: LaneShareSink,
    /// A response ends before it departs, and gives its room back.
    pub response_back: LaneShareSink,
    /// High while a response is being made.
    pub responds: Signal<In, Bit>,
    /// High for one cycle when the payload of the oldest departed request has been read ([`RequestsRead`]).
    pub request_read: Signal<Out, Bit>,
    /// High for one cycle when the last beat of a request of an unreliable service leaves.
    pub handed_valid: Signal<Out, Bit>,
    /// With `handed_valid`: high if the request left spoiled.
    pub handed_spoiled: Signal<Out, Bit>,
    /// Beats of multicast datagrams that the link takes.
    pub copy: CopiedBeatSource<W, K>,
    /// High for one cycle when the last beat of a multicast datagram is discarded in place of leaving. The port makes
    /// no copy of this datagram, so the requester that waits for the copy may go on.
    pub own_discarded: Signal<Out, Bit>,
    /// The state of the port ([`crate::control::PortState`]); without meaning over Ethernet.
    pub sends: SendStateSink,
    /// High while no packet may depart; the input must come from registers.
    pub send_hold: Signal<In, Bit>,
    /// Number of data VLs that are operational; without meaning over Ethernet.
    pub data_vls: Signal<In, Bits<4>>,
    /// VL of SL `n` at bits `4 * n + 3 : 4 * n`; without meaning over Ethernet.
    pub sl_to_vl: Signal<In, Bits<64>>,
    /// High while packets need credits and flow-control packets are sent; without meaning over Ethernet.
    pub flow_control: Signal<In, Bit>,
    /// The tables of VL arbitration; without meaning over Ethernet.
    pub arbitration: VlArbitrationSink,
    /// High for one cycle when a flow-control packet of the neighbour is taken; without meaning over Ethernet.
    pub limit_valid: Signal<In, Bit>,
    /// With `limit_valid`: VL of that packet.
    pub limit_vl: Signal<In, Bits<4>>,
    /// With `limit_valid`: FCCL of that packet, in blocks, modulo 4096.
    pub limit: Signal<In, Bits<12>>,
    /// FCCL to send for VL `n` at bits `12 * n + 11 : 12 * n`, in blocks, modulo 4096; without meaning over Ethernet.
    pub fccl: Signal<In, Bits<96>>,
    /// Number of blocks by which FCCL grows until a flow-control packet is due: a quarter of a VL's buffer, at least 1;
    /// without meaning over Ethernet.
    pub fccl_step: Signal<In, Bits<12>>,
    /// What a native port counts; low over Ethernet.
    pub departures: SendCountSource,
    /// Each packet, one cycle after it enters the routing (registered for timing). Its retire record follows one cycle
    /// later, together with its effect on the requester's QP ([`crate::requester::Emissions`]).
    pub emitted: EmittedPacketSource<QB>,
    /// PSN of the packet.
    pub emitted_psn: Signal<Out, Bits<24>>,
    /// High for the last packet of a read response.
    pub emitted_last: Signal<Out, Bit>,
    /// High if the packet is not sent.
    pub emitted_discard: Signal<Out, Bit>,
    /// Retire records of packets that depart.
    pub retire: ReportSource,
    /// Reads of payload.
    pub read: WqeReadSource,
    /// The beat of payload, when `read.valid` is high.
    pub read_data: ReadBeatSink<M>,
    /// Offers a packet that leaves spoiled because its data could not be read ([`Spoil`]).
    pub fault: DataFaultSource,
    /// New route of a QP, as `MODIFY_QP` sets it.
    pub modify: RouteModifySink<QB>,
    /// High for one cycle when an address handle changes.
    pub handle: HandleUpdateSink<AB>,
    /// The port's P_Key table: entry `n` at bits `16 * n + 15 : 16 * n`.
    pub port_p_keys: Signal<In, Bits<64>>,
    /// Entry 0 of the GID table: prefix and GUID; over Ethernet the IP address.
    pub port_gid: Signal<In, Bits<128>>,
    /// GUIDs of entries 1 to 3 of the GID table ([`crate::control::GuidTable`]); without meaning over
    /// Ethernet.
    pub port_guids: Signal<In, Bits<192>>,
    /// MAC address of the port, for RoCEv2 frames.
    pub port_mac: Signal<In, Bits<48>>,
    /// AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub m_axis: StreamSource<W, K>,
    /// High for one cycle for each packet that has left, link packets not counted.
    pub sent: Signal<Out, Bit>,
    /// High with the beat of a link packet on `m_axis`.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// High for one cycle when the wait for departed packets starts ([`LinkDrain`]).
    pub drain_mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until these packets have left.
    pub drain_passed: Signal<Out, Bit>,

    emits: Register<Bit>,
    index: Register<Bits<QB>>,
    kind: Register<Bits<2>>,
    psn: Register<Bits<24>>,
    last: Register<Bit>,
    discards: Register<Bit>,
    carries: Register<Bit>,
    departure: Register<Bit>,
    departure_record: Register<RetireRecord>,
    retires: Register<Bit>,
    record: Register<RetireRecord>,

    path: TransmitPath<QB, TA>,
    gather: Gather<W, M, A, PA>,
    routing: Routing<QB, AB, TA>,
    builder: PacketBuilder<W, K, ROCE>,
    spoil: Spoil<W, K>,
    #[default(array_init::array_init(|_| Default::default()))]
    choice: [VlChoice; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    source_gid: [GidChoice; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    withhold: [Withhold<W, K>; IB],
    #[default(array_init::array_init(|_| Default::default()))]
    link: [LinkSend<W, K, D, LB, NV>; IB],
    starts: Signal<Local, Bit>,
    requests_read: RequestsRead,
    drain: LinkDrain,
}

impl<
        const W: usize,
        const K: usize,
        const M: usize,
        const A: usize,
        const PA: usize,
        const QB: usize,
        const AB: usize,
        const TA: usize,
        const D: usize,
        const LB: usize,
        const NV: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic for Outbound<W, K, M, A, PA, QB, AB, TA, D, LB, NV, IB, ROCE>
{
    #[kernel]
    fn update(&mut self) {
        comment!("@module outbound");
        dff_setup!(
            self, clock, emits, index, kind, psn, last, discards, carries, departure, departure_record,
            retires, record
        );
        clock!(self, clock, path, gather, routing, builder, spoil, requests_read, drain);
        reset!(self, reset, path, gather, routing, builder, spoil, requests_read, drain);
        self.path.port_p_keys.next = self.port_p_keys.val();
        OfferSink::<TransmitPacket>::link(&mut self.request, &mut self.path.request);
        PlannedPieceSink::link(&mut self.request_piece, &mut self.path.request_piece);
        OfferSink::<TransmitPacket>::link(&mut self.response, &mut self.path.response);
        PlannedPieceSink::link(&mut self.response_piece, &mut self.path.response_piece);
        // A NAK that replaces a spoiled read response goes first; the engine has not sent it.
        self.path.ack.item.next = self.ack.item.val();
        self.path.ack.valid.next = self.ack.valid.val() || self.spoil.nak.valid.val();
        self.ack.ready.next = self.path.ack.ready.val() && !self.spoil.nak.valid.val();
        self.spoil.nak.ready.next = self.path.ack.ready.val();
        if self.spoil.nak.valid.val() {
            self.path.ack.item.next = self.spoil.nak.item.val();
        }
        PieceSource::join(&mut self.path.piece, &mut self.gather.piece);
        self.path.packet_begins.next = self.gather.packet_begins.val();
        self.path.header.ready.next =
            self.routing.header.ready.val() && self.spoil.room.val() && !self.send_hold.val();
        self.emits.d.next =
            self.path.emitted.valid.val() && !(self.spoil.nak.valid.val() && self.path.ack.ready.val());
        self.index.d.next = self.path.emitted.index.val();
        self.kind.d.next = self.path.emitted.kind.val();
        self.psn.d.next = self.path.emitted_psn.val();
        self.last.d.next = self.path.emitted_last.val();
        self.discards.d.next = self.path.emitted_discard.val();
        self.carries.d.next = self.path.header.item.val().payload.any();
        self.departure.d.next = self.path.retire.valid.val();
        self.departure_record.d.next = self.path.retire.record.val();
        self.retires.d.next = self.departure.q.val();
        self.record.d.next = self.departure_record.q.val();
        self.emitted.valid.next = self.emits.q.val();
        self.emitted.index.next = self.index.q.val();
        self.emitted.kind.next = self.kind.q.val();
        self.emitted_psn.next = self.psn.q.val();
        self.emitted_last.next = self.last.q.val();
        self.emitted_discard.next = self.discards.q.val();
        self.retire.valid.next = self.retires.q.val();
        self.retire.record.next = self.record.q.val();
        self.gather.payload_ready.next = self.builder.payload_ready.val();
        self.read.request.next = self.gather.request.val();
        self.gather.request_ready.next = self.read.ready.val();
        self.read.address.next = self.gather.request_address.val();
        self.read.beats.next = self.gather.request_beats.val();
        self.gather.beat_valid.next = self.read.valid.val();
        ReadBeatSink::<M>::link(&mut self.read_data, &mut self.gather.beat);
        RouteModifySink::<QB>::link(&mut self.modify, &mut self.routing.modify);
        HandleUpdateSink::<AB>::link(&mut self.handle, &mut self.routing.handle);
        inputs!(self.routing, port_mac);
        self.routing.header.item.next = self.path.header.item.val();
        self.routing.header_route.next = self.path.header_route.val();
        self.routing.header.valid.next =
            self.path.header.valid.val() && self.spoil.room.val() && !self.send_hold.val();
        self.builder.header.item.next = self.routing.routed.item.val();
        wires!(self.gather, self.builder, payload_data, payload_valid);
        self.spoil.departed_valid.next = self.path.emitted.valid.val() && !self.path.emitted_discard.val();
        self.spoil.header.next = self.path.header.item.val();
        self.spoil.p_key_index.next = self.path.header_p_key_index.val();
        self.spoil.kind.next = self.path.emitted.kind.val();
        self.spoil.qpn.next = self.path.emitted_qpn.val();
        wires!(self.gather, self.spoil, ended_valid, ended_error);
        DataFaultSource::link(&mut self.fault, &mut self.spoil.fault);
        outputs!(self.spoil, handed_valid, handed_spoiled);
        self.copy.data.next = self.spoil.copy.data.val();
        self.copy.keep.next = self.spoil.copy.keep.val();
        self.copy.last.next = self.spoil.copy.last.val();
        StreamSource::<W, K>::join(&mut self.builder.m_axis, &mut self.spoil.s_axis);
        for i in 0..IB {
            self.starts.next =
                self.routing.routed.valid.val() && self.builder.header.ready.val() && self.link[i].room.val();
            inputs!(self.withhold[i], clock, reset, starts, flow_control);
            self.withhold[i].sends_management.next = self.sends.management.val();
            self.withhold[i].sends_data.next = self.sends.data.val();
            self.withhold[i].departed_valid.next =
                self.path.emitted.valid.val() && !self.path.emitted_discard.val();
            self.withhold[i].management.next = self.path.header.item.val().vl.all();
            self.withhold[i].unusable.next = self.choice[i].unusable.val();
            inputs!(self.source_gid[i], port_gid, port_guids);
            self.source_gid[i].index.next = self.routing.sgid_index.val();
            self.routing.sgid.next = self.source_gid[i].gid.val();
            inputs!(self.choice[i], sl_to_vl, data_vls);
            self.choice[i].sl.next = self.path.header.item.val().sl;
            self.choice[i].management.next = self.path.header.item.val().vl.all();
            self.routing.header.item.next.vl = self.choice[i].vl.val();
            self.departures.discarded.next = self.withhold[i].discarded.val() || self.link[i].gives_up.val();
            self.link[i].gives_up_hold.next = self.withhold[i].discarded.val();
            self.routing.routed.ready.next = self.builder.header.ready.val() && self.link[i].room.val();
            self.builder.header.valid.next = self.routing.routed.valid.val() && self.link[i].room.val();
            StreamSource::<W, K>::join(&mut self.spoil.m_axis, &mut self.withhold[i].s_axis);
            inputs!(
                self.link[i], clock, reset, flow_control, data_vls, limit_valid, limit_vl, limit, fccl,
                fccl_step
            );
            VlArbitrationSink::link(&mut self.arbitration, &mut self.link[i].arbitration);
            wires!(self.sends, self.link[i], initialises, runs);
            self.link[i].init.next = self.sends.enters_init.val();
            self.link[i].sends_data.next = self.sends.data.val();
            self.link[i].departs.valid.next =
                self.path.emitted.valid.val() && !self.path.emitted_discard.val();
            self.link[i].departs.vl.next = self.path.emitted_lane.val();
            self.link[i].departs.payload.next = self.path.header.item.val().payload;
            inputs!(self.link[i], sl_to_vl, responds);
            LaneHoldSource::link(&mut self.request_hold, &mut self.link[i].request_hold);
            LaneShareSink::link(&mut self.request_share, &mut self.link[i].request);
            LaneShareSink::link(&mut self.request_back, &mut self.link[i].request_back);
            LaneHoldSource::link(&mut self.response_hold, &mut self.link[i].response_hold);
            LaneShareSink::link(&mut self.response_share, &mut self.link[i].response);
            LaneShareSink::link(&mut self.response_back, &mut self.link[i].response_back);
            self.link[i].builds.next = self.starts.val();
            self.link[i].discards.next = self.withhold[i].verdict.val();
            self.link[i].vl.next = self.routing.routed.item.val().vl;
            self.link[i].opcode.next = self.routing.routed.item.val().opcode;
            self.link[i].has_grh.next = self.routing.routed.item.val().has_grh;
            self.link[i].payload.next = self.routing.routed.item.val().payload;
            self.departures.waits.next = self.link[i].credit_wait.val();
            StreamSource::<W, K>::join(&mut self.withhold[i].m_axis, &mut self.link[i].s_axis);
            StreamSource::<W, K>::link(&mut self.m_axis, &mut self.link[i].m_axis);
            self.m_axis_tuser.next = self.link[i].m_axis_tuser.val();
            self.departures.left.next = self.link[i].packet_left.val();
            self.departures.words.next = self.link[i].packet_words.val();
            self.sent.next = self.link[i].packet_left.val();
            self.copy.valid.next = self.spoil.copy.valid.val() && !self.withhold[i].withholds.val();
            self.own_discarded.next =
                self.spoil.copy.valid.val() && self.spoil.copy.last.val() && self.withhold[i].withholds.val();
        }
        for _i in 0..ROCE {
            self.routing.sgid.next = self.port_gid.val();
            self.routing.routed.ready.next = self.builder.header.ready.val();
            self.builder.header.valid.next = self.routing.routed.valid.val();
            self.starts.next = false;
            self.departures.discarded.next = false;
            self.departures.left.next = false;
            self.departures.words.next = bits::<11>(0);
            self.departures.waits.next = false;
            self.m_axis_tuser.next = false;
            self.request_hold.active.next = false;
            self.request_hold.sl_to_vl.next = bits::<64>(0);
            self.request_hold.data_vls.next = bits::<4>(1);
            self.request_hold.short.next = bits::<8>(0);
            self.request_hold.long.next = bits::<8>(0);
            self.request_hold.ack.next = bits::<8>(0);
            self.response_hold.active.next = false;
            self.response_hold.sl_to_vl.next = bits::<64>(0);
            self.response_hold.data_vls.next = bits::<4>(1);
            self.response_hold.short.next = bits::<8>(0);
            self.response_hold.long.next = bits::<8>(0);
            self.response_hold.ack.next = bits::<8>(0);
            StreamSource::<W, K>::link(&mut self.m_axis, &mut self.spoil.m_axis);
            self.sent.next = self.builder.sent.val();
            self.copy.valid.next = self.spoil.copy.valid.val();
            self.own_discarded.next = false;
        }
        self.requests_read.departs_valid.next = self.emits.q.val();
        self.requests_read.departs_kind.next = self.kind.q.val();
        self.requests_read.departs_carries.next = self.carries.q.val();
        self.requests_read.ended_valid.next = self.gather.ended_valid.val();
        self.request_read.next = self.requests_read.read_valid.val();
        self.drain.departs.next = self.path.emitted.valid.val() && !self.path.emitted_discard.val();
        self.drain.leaves.next = self.spoil.left_valid.val();
        self.drain.naks_wait.next = self.spoil.nak.valid.val();
        self.drain.mark.next = self.drain_mark.val();
        self.drain_passed.next = self.drain.passed.val();
        if self.reset.val() {
            self.emits.d.next = false;
            self.departure.d.next = false;
            self.retires.d.next = false;
        }
    }
}
