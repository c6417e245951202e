//! From the packets of the engines to those of the links.
use crate::bundle::{
    CopiedBeatSource, DataFaultSource, EmittedPacketSource, HandleUpdateSink, LeavingPacketSource,
    PieceSource, PlannedPieceSink, RateAskSink, ReadBeatSink, ReportSource, RouteModifySink, WqeReadSource,
};
use crate::link::{GidChoice, RateSources};
use crate::memory::Gather;
use crate::ports::PortAddress;
use crate::retire::RetireRecord;
use crate::transmit::{LinkDrain, RequestsRead, Routing, Spoil, TransmitPacket, TransmitPath};
use crate::wire::PacketBuilder;
use hca_hdl::prelude::*;

/// Merges requests, read responses and acks, gathers their payload, and builds packets of them.
///
/// `W`: stream bits; `K` = `W` / 8; `M`: bits of the memory bus; `A` = `W` + `M`; `PA`: log2 of the payload buffer's
/// beats; `QB`, `AB`, `TA`: the widths of [`Routing`]. One of `IB` and `ROCE` is 1: native InfiniBand, or RoCEv2.
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
    /// High for one cycle when the payload of the oldest departed request has been read ([`RequestsRead`]).
    pub request_read: Signal<Out, Bit>,
    /// High for one cycle when the last beat of a request of an unreliable service leaves.
    pub handed_valid: Signal<Out, Bit>,
    /// With `handed_valid`: high if the request left spoiled.
    pub handed_spoiled: Signal<Out, Bit>,
    /// Beats of multicast datagrams that the link takes.
    pub copy: CopiedBeatSource<W, K>,
    /// Asks whether a paced request may be made ([`RateSources`]). Over Ethernet no request is paced.
    pub request_rate: RateAskSink,
    /// For one cycle the mark of a request that ends before it departs, else 0.
    pub request_mark_back: Signal<In, Bits<3>>,
    /// Asks whether a paced answer may be made.
    pub response_rate: RateAskSink,
    /// For one cycle the mark of an answer that ends before it departs, else 0.
    pub response_mark_back: Signal<In, Bits<3>>,
    /// High while no packet may depart; the input must come from registers.
    pub send_hold: Signal<In, Bit>,
    /// Packets on their way to the link ([`crate::ports::PortSet`]).
    pub leaving: LeavingPacketSource,
    /// Each packet, one cycle after it enters the routing (registered for timing). Its retire record follows one cycle
    /// later, together with its effect on the requester's QP ([`crate::requester::Emissions`]).
    pub emitted: EmittedPacketSource<QB>,
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
    /// Names and tables of port 1.
    pub first_address: Signal<In, PortAddress>,
    /// Names and tables of port 2.
    pub second_address: Signal<In, PortAddress>,
    /// Packets that are built, in the order of `leaving.builds`; AXI4-Stream, byte 0 of the packet in bits 7:0.
    pub m_axis: StreamSource<W, K>,
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
    rates: [RateSources<TA>; IB],
    /// Of the port that the routed packet leaves by.
    address: Signal<Local, PortAddress>,
    source_gid: GidChoice,
    requests_read: RequestsRead,
    drain: LinkDrain,
}

#[kernel]
impl<
        const W: usize,
        const K: usize,
        const M: usize,
        const A: usize,
        const PA: usize,
        const QB: usize,
        const AB: usize,
        const TA: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic for Outbound<W, K, M, A, PA, QB, AB, TA, IB, ROCE>
{
    fn update(&mut self) {
        clock_and_reset!(self, path, gather, routing, builder, spoil, requests_read, drain);
        self.path.port_p_keys.next = (bit_cast::<128, 64>(self.second_address.val().p_keys) << 64)
            | bit_cast::<128, 64>(self.first_address.val().p_keys);
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
        self.psn.d.next = self.path.emitted.psn.val();
        self.last.d.next = self.path.emitted.last.val();
        self.discards.d.next = self.path.emitted.discard.val();
        self.carries.d.next = self.path.header.item.val().payload.any();
        self.departure.d.next = self.path.retire.valid.val();
        self.departure_record.d.next = self.path.retire.record.val();
        self.retires.d.next = self.departure.q.val();
        self.record.d.next = self.departure_record.q.val();
        inputs!(self.emitted, valid: emits.q, index: index.q, kind: kind.q, psn: psn.q, last: last.q);
        self.emitted.discard.next = self.discards.q.val();
        inputs!(self.retire, valid: retires.q, record: record.q);
        self.gather.payload_ready.next = self.builder.payload_ready.val();
        WqeReadSource::link(&mut self.read, &mut self.gather.read);
        ReadBeatSink::<M>::link(&mut self.read_data, &mut self.gather.beat);
        RouteModifySink::<QB>::link(&mut self.modify, &mut self.routing.modify);
        HandleUpdateSink::<AB>::link(&mut self.handle, &mut self.routing.handle);
        self.address.next = self.first_address.val();
        if self.routing.routed_port.val() {
            self.address.next = self.second_address.val();
        }
        self.routing.port_mac.next = self.address.val().mac;
        self.source_gid.port_gid.next = self.address.val().gid;
        self.source_gid.port_guids.next = self.address.val().guids;
        self.source_gid.index.next = self.routing.sgid_index.val();
        for _i in 0..IB {
            self.routing.sgid.next = self.source_gid.gid.val();
        }
        for i in 0..IB {
            inputs!(self.rates[i], clock, reset);
            RateAskSink::link(&mut self.request_rate, &mut self.rates[i].request);
            RateAskSink::link(&mut self.response_rate, &mut self.rates[i].response);
            inputs!(self.rates[i], request_back: request_mark_back, response_back: response_mark_back);
            self.rates[i].freed.next = self.leaving.freed.val();
        }
        for _i in 0..ROCE {
            self.routing.sgid.next = self.address.val().gid;
            self.request_rate.closed.next = false;
            self.request_rate.free.next = true;
            self.request_rate.mark.next = bits::<3>(0);
            self.response_rate.closed.next = false;
            self.response_rate.free.next = true;
            self.response_rate.mark.next = bits::<3>(0);
        }
        self.routing.header_port.next = self.path.header_port.val();
        self.routing.header.item.next = self.path.header.item.val();
        self.routing.header.item.next.vl = self.leaving.vl.val();
        self.routing.header_route.next = self.path.header_route.val();
        self.routing.header.valid.next =
            self.path.header.valid.val() && self.spoil.room.val() && !self.send_hold.val();
        self.builder.header.item.next = self.routing.routed.item.val();
        wires!(self.gather, self.builder, payload_data, payload_valid);
        self.spoil.departed_valid.next = self.path.emitted.valid.val() && !self.path.emitted.discard.val();
        inputs!(self.spoil, header: path.header.item, p_key_index: path.header_p_key_index);
        inputs!(self.spoil, port: path.header_port, kind: path.emitted.kind, qpn: path.emitted_qpn);
        wires!(self.gather, self.spoil, ended_valid, ended_error);
        DataFaultSource::link(&mut self.fault, &mut self.spoil.fault);
        outputs!(self.spoil, handed_valid, handed_spoiled);
        CopiedBeatSource::<W, K>::link(&mut self.copy, &mut self.spoil.copy);
        StreamSource::<W, K>::join(&mut self.builder.m_axis, &mut self.spoil.s_axis);
        StreamSource::<W, K>::link(&mut self.m_axis, &mut self.spoil.m_axis);
        self.leaving.departs.next = self.path.emitted.valid.val() && !self.path.emitted.discard.val();
        self.leaving.unsent.next = self.path.emitted.valid.val() && self.path.emitted.discard.val();
        self.leaving.port.next = self.path.header_port.val();
        self.leaving.sl.next = self.path.header.item.val().sl;
        self.leaving.management.next = self.path.header.item.val().vl.all();
        inputs!(self.leaving, lane: path.emitted_lane, mark: path.emitted_mark, delay: routing.delay);
        self.leaving.payload.next = self.path.header.item.val().payload;
        self.leaving.builds.next = self.routing.routed.valid.val() && self.builder.header.ready.val();
        self.leaving.built_port.next = self.routing.routed_port.val();
        self.leaving.built_vl.next = self.routing.routed.item.val().vl;
        self.leaving.opcode.next = self.routing.routed.item.val().opcode;
        self.leaving.has_grh.next = self.routing.routed.item.val().has_grh;
        self.leaving.built_payload.next = self.routing.routed.item.val().payload;
        self.routing.routed.ready.next = self.builder.header.ready.val() && self.leaving.room.val();
        self.builder.header.valid.next = self.routing.routed.valid.val() && self.leaving.room.val();
        inputs!(self.requests_read, departs_valid: emits.q, departs_kind: kind.q, departs_carries: carries.q);
        self.requests_read.ended_valid.next = self.gather.ended_valid.val();
        self.request_read.next = self.requests_read.read_valid.val();
        self.drain.departs.next = self.path.emitted.valid.val() && !self.path.emitted.discard.val();
        self.drain.leaves.next = self.spoil.left_valid.val();
        self.drain.naks_wait.next = self.spoil.nak.valid.val();
        self.drain.mark.next = self.drain_mark.val();
        self.drain_passed.next = self.drain.passed.val();
        if self.reset.val() {
            clear!(self, emits, departure, retires);
        }
    }
}
