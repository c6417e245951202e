//! From packets of the links to payload in memory, answers and completions.
use crate::bundle::{
    AnnouncedSource, AnnouncementSink, AnswerLevelSource, AnsweredRequestSink, AtomicJobSource, DoorbellSink,
    DropSource, FoundPieceSource, GroupCommandSink, HeaderSource, KeyInvalidateSource, LinkCountSource,
    ListReadSource, PayloadBeatSource, PayloadCommandSink, PayloadOrderSource, PieceCommandSource,
    QpModifySink, QpNoticeSource, QpOfferSink, QpOfferSource, QpPulseSink, QpPulseSource, ReadBeatSink,
    ReportSource, SgeLookupSource, ViolationWordSource, WalkSource, WqeReadSource, WritePieceSource,
};
use crate::completion::CompletionRecord;
use crate::context::QpRoute;
use crate::credit::CreditTurns;
use crate::memory::{PieceQueue, Walker};
use crate::ports::PortAddress;
use crate::queue::{DoorbellReport, WqeCache};
use crate::receive::{Multicast, ReceiveSide, ResponseArrival};
use crate::response::ResponseJob;
use crate::wire::LinkReceive;
use hca_hdl::prelude::*;

/// The link, admission, and the responder with its receive queues, its memory checks and the pieces that it writes.
///
/// The widths are those of [`LinkReceive`], [`WqeCache`] and [`Walker`]; `RB`: bits of an atomic's resource.
#[derive(LogicBlock, SmartDefault)]
pub struct Inbound<
    const W: usize,
    const K: usize,
    const NB: usize,
    const RA: usize,
    const QB: usize,
    const NQ: usize,
    const CA: usize,
    const M: usize,
    const N: usize,
    const RB: usize,
    const SP: usize,
    const IB: usize,
    const ROCE: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Packets of the links, with copies of own multicast packets between them ([`crate::ports::PortSet`]).
    pub s_axis: StreamSink<W, K>,
    /// High with the beats of such a copy.
    pub own: Signal<In, Bit>,
    /// High with the last beat of a packet that ended as bad (EBP).
    pub ends_bad: Signal<In, Bit>,
    /// High with the only beat of the stub of a packet that found no room in the buffer of its VL.
    pub overran: Signal<In, Bit>,
    /// High while the packets that are checked came by port 2.
    pub port: Signal<In, Bit>,
    /// Names and tables of port 1.
    pub first_address: Signal<In, PortAddress>,
    /// Names and tables of port 2.
    pub second_address: Signal<In, PortAddress>,
    /// High while no beat may come in, because a port is to take a state.
    pub hold: Signal<In, Bit>,
    /// High while the state of the port of `port` lets packets on VL 15 in; without meaning over Ethernet, like the
    /// following.
    pub accepts_management: Signal<In, Bit>,
    /// High while the state of the port of `port` lets packets on data VLs in.
    pub accepts_data: Signal<In, Bit>,
    /// High in a cycle in which no packet is checked against the state of its port. Packets that were
    /// checked earlier are dropped or passed on within three cycles.
    pub free: Signal<Out, Bit>,
    /// High for one cycle when a packet on a data VL has passed the checks of the link; it came by `port`.
    pub heard: Signal<Out, Bit>,
    /// Events at the link that the checks of packets find, for the counters of the port of `port`.
    pub counts: LinkCountSource,
    /// Destination of the payload of the oldest packet.
    pub payload_command: PayloadCommandSink,
    /// The payload that `payload_command` selects: ceil(payload / `K`) beats.
    pub payload: PayloadBeatSource<W>,
    /// High for one cycle when the link drops a packet.
    pub link_drop_valid: Signal<Out, Bit>,
    /// With `link_drop_valid`: reason of the drop, as the retire port numbers it ([`hca_host::retire`]).
    pub link_drop_reason: Signal<Out, Bits<8>>,
    /// With `link_drop_valid`: arrival number of the packet.
    pub link_drop_packet: Signal<Out, Bits<32>>,
    /// High while an own multicast packet is between its launch and the look-up of its group.
    pub own_under_way: Signal<In, Bit>,
    /// High for one cycle when the last beat of such a packet is discarded, because the port may not send it.
    pub own_discarded: Signal<In, Bit>,
    /// High for one cycle when the group of such a packet has been looked up, or the packet left spoiled or not at all.
    pub own_done: Signal<Out, Bit>,
    /// Commands of software about multicast groups.
    pub group: GroupCommandSink,
    /// `MODIFY_QP`. It is taken once all requests before it are decided.
    pub modify: QpModifySink<QB>,
    /// Arguments 14 to 21 of `MODIFY_QP`.
    pub modify_route: Signal<In, QpRoute>,
    /// High for one cycle when the response engine has taken `MODIFY_QP`: acks of this QP carry its new attributes from
    /// now on.
    pub connected: QpPulseSink<QB>,
    /// High for one cycle when the requester reports a QP in Error.
    pub state_error: QpPulseSink<QB>,
    /// Response packets in the order of arrival, for the requester.
    pub response: OfferSource<ResponseArrival>,
    /// One entry for each packet in arrival order: whether it went to the requester.
    pub order: PayloadOrderSource<QB>,
    /// Offers a QP that the requester has failed.
    pub fail: QpOfferSink<QB>,
    /// Offers a QP that an error elsewhere in the adapter has failed.
    pub unreadable: QpOfferSink<QB>,
    /// Offers the requester a QP that this side has failed.
    pub failed: QpOfferSource<QB>,
    /// High for one cycle when this side reports a QP in Error.
    pub reported: QpPulseSource<QB>,
    /// Invalidates both keys of a region.
    pub invalidate: KeyInvalidateSource,
    /// Operands of atomics, in the order of their pieces.
    pub atomic: AtomicJobSource<RB>,
    /// Work for the response engine.
    pub job: OfferSource<ResponseJob>,
    /// Asks the response engine how much work of a QP waits.
    pub level: AnswerLevelSource<QB>,
    /// High for one cycle when the last packet of the answer to a Read or atomic departs.
    pub answered: AnsweredRequestSink<QB>,
    /// Completions of receive queues.
    pub completion: OfferSource<CompletionRecord>,
    /// Packets that are dropped.
    pub drop: DropSource,
    /// High for one cycle when a packet for QP0 finds no receive WQE, or no queue pair that receives.
    pub smp_dropped: Signal<Out, Bit>,
    /// High while the violation latch of port 1 is not free; bit 1 for port 2.
    pub latched: Signal<In, Bits<2>>,
    /// High for one cycle when the requester decides on a packet whose key admission has found wrong.
    pub response_key_decided: Signal<In, Bit>,
    /// Fields of packets with a wrong key, for the violation latch of their port.
    pub violation: ViolationWordSource,
    /// Retire records of `LANE_RECEIVE_WQE` in `host::retire`.
    pub retire_wqe: ReportSource,
    /// Retire records of `LANE_RESPONDER`.
    pub retire: ReportSource,
    /// The walk server, for requests that arrive.
    pub lookup: SgeLookupSource,
    /// Reads of indirect lists of SGEs ([`crate::memory::SegmentList`]).
    pub list: ListReadSource<M>,
    /// Pieces of host memory that the payload goes to.
    pub piece: WritePieceSource,
    /// The doorbell that is valid in the next clock, if one is.
    pub ahead: AnnouncementSink,
    /// Doorbells of receive queues ([`crate::queue::Prefetch`]).
    pub doorbell: DoorbellSink,
    /// Offers the QP of a refused doorbell ([`crate::queue::DoorbellCheck`]).
    pub refused: QpOfferSource<QB>,
    /// Retire records of `LANE_REFUSED_DOORBELL`.
    pub retire_refused: ReportSource,
    /// Events of QPs for software (`crate::event::QpNotices`).
    pub notice: QpNoticeSource<QB>,
    /// Reads of WQEs.
    pub wqe: WqeReadSource,
    /// The beat of WQEs, when `wqe.valid` is high.
    pub wqe_data: ReadBeatSink<M>,
    /// Retire records of `LANE_RECEIVE_QUEUE`.
    pub retire_doorbell: ReportSource,
    /// Retire records of WQEs that could not be read.
    pub retire_unread: ReportSource,

    link: LinkReceive<W, K, NB, RA, SP, IB, ROCE>,
    address: Signal<Local, PortAddress>,
    multicast_address: Signal<Local, PortAddress>,
    multicast: Multicast<IB, ROCE>,
    side: ReceiveSide<QB, RB, IB>,
    walker: Walker<M>,
    pieces: PieceQueue<5>,
    cache: WqeCache<QB, NQ, 5, CA, M, N, 1>,
    doorbells: DoorbellReport<QB>,
    credits: CreditTurns<QB, NQ>,
    /// High in the clock after the responder has consumed a WQE. Registered for timing: its input settles late in the
    /// clock.
    consumed: Register<Bit>,
    /// QP that `consumer` belongs to.
    consumed_index: Register<Bits<QB>>,
    /// Number of its WQEs that are consumed, modulo 2^16.
    consumer: Register<Bits<16>>,
    /// High in the clock after the responder has decided on events for software.
    notices: Register<Bit>,
    noticed_index: Register<Bits<QB>>,
    noticed_kinds: Register<Bits<6>>,
}

#[kernel]
impl<
        const W: usize,
        const K: usize,
        const NB: usize,
        const RA: usize,
        const QB: usize,
        const NQ: usize,
        const CA: usize,
        const M: usize,
        const N: usize,
        const RB: usize,
        const SP: usize,
        const IB: usize,
        const ROCE: usize,
    > Logic for Inbound<W, K, NB, RA, QB, NQ, CA, M, N, RB, SP, IB, ROCE>
{
    fn update(&mut self) {
        clock_and_reset!(self, link, multicast, side, credits, pieces, cache, doorbells);
        clock!(self, clock, walker);
        self.address.next = self.first_address.val();
        if self.port.val() {
            self.address.next = self.second_address.val();
        }
        StreamSink::<W, K>::link(&mut self.s_axis, &mut self.link.s_axis);
        inputs!(self.link, own, ends_bad, overran, port, hold, accepts_management, accepts_data);
        self.link.port_lid.next = self.address.val().lid;
        self.link.port_lmc.next = self.address.val().lmc;
        self.link.port_gid.next = self.address.val().gid;
        self.link.port_guids.next = self.address.val().guids;
        self.link.port_mac.next = self.address.val().mac;
        self.link.data_vls.next = self.address.val().data_vls;
        self.link.port_mtu.next = self.address.val().mtu;
        outputs!(self.link, free, heard);
        LinkCountSource::link(&mut self.counts, &mut self.link.counts);
        self.multicast_address.next = self.first_address.val();
        if self.link.header.item.val().port {
            self.multicast_address.next = self.second_address.val();
        }
        self.multicast.port_lid.next = self.multicast_address.val().lid;
        self.multicast.port_lmc.next = self.multicast_address.val().lmc;
        self.multicast.port_gid.next = self.multicast_address.val().gid;
        self.multicast.port_mac.next = self.multicast_address.val().mac;
        inputs!(self.multicast, own_under_way);
        HeaderSource::join(&mut self.link.header, &mut self.multicast.header);
        HeaderSource::join(&mut self.multicast.passed, &mut self.side.header);
        self.multicast.decided.next = self.side.group_decided.val();
        self.own_done.next =
            self.multicast.own_done.val() || self.link.own_dropped.val() || self.own_discarded.val();
        GroupCommandSink::link(&mut self.group, &mut self.multicast.command);
        PayloadCommandSink::link(&mut self.payload_command, &mut self.link.payload_command);
        PayloadBeatSource::<W>::link(&mut self.payload, &mut self.link.payload);
        outputs!(self.link, link_drop_valid: drop_valid, link_drop_reason: drop_reason);
        self.link_drop_packet.next = self.link.drop_packet.val();
        inputs!(self.side, modify_route, latched, response_key_decided);
        ViolationWordSource::link(&mut self.violation, &mut self.side.violation);
        self.side.port_p_keys.next = (bit_cast::<128, 64>(self.second_address.val().p_keys) << 64)
            | bit_cast::<128, 64>(self.first_address.val().p_keys);
        self.side.port_lids.next = (bit_cast::<32, 16>(self.second_address.val().lid) << 16)
            | bit_cast::<32, 16>(self.first_address.val().lid);
        QpModifySink::<QB>::link(&mut self.modify, &mut self.side.modify);
        DropSource::link(&mut self.drop, &mut self.side.drop);
        self.smp_dropped.next = self.side.smp_dropped.val();
        QpPulseSink::<QB>::link(&mut self.state_error, &mut self.side.state_error);
        self.side.mark.next = self.multicast.mark.val();
        OfferSource::<ResponseArrival>::link(&mut self.response, &mut self.side.response);
        PayloadOrderSource::<QB>::link(&mut self.order, &mut self.side.order);
        QpOfferSink::<QB>::link(&mut self.fail, &mut self.side.fail);
        QpOfferSink::<QB>::link(&mut self.unreadable, &mut self.side.unreadable);
        QpOfferSource::<QB>::link(&mut self.failed, &mut self.side.failed);
        QpPulseSource::<QB>::link(&mut self.reported, &mut self.side.reported);
        self.side.wqe.next = self.cache.wqe.val();
        AnnouncedSource::<QB>::join(&mut self.cache.announced, &mut self.side.announced);
        inputs!(self.side, posted_arrived: cache.first_arrived, flush_arrived: cache.second_arrived);
        self.side.flush_arrives.next = self.cache.landed.valid.val();
        self.credits.modify_valid.next = self.side.modify.ready.val() && self.modify.valid.val();
        self.credits.modify_index.next = self.modify.index.val();
        self.credits.modify_supplied.next = self.modify.limits.val().supplied;
        QpPulseSink::<QB>::link(&mut self.connected, &mut self.credits.connected);
        self.credits.rung.valid.next = self.cache.announced.valid.val() && self.cache.announced_rung.val();
        self.credits.rung.index.next = self.cache.announced.index.val();
        QpOfferSource::<QB>::join(&mut self.credits.turn, &mut self.side.credit);
        KeyInvalidateSource::link(&mut self.invalidate, &mut self.side.invalidate);
        AtomicJobSource::<RB>::link(&mut self.atomic, &mut self.side.atomic);
        OfferSource::<ResponseJob>::link(&mut self.job, &mut self.side.job);
        AnswerLevelSource::<QB>::link(&mut self.level, &mut self.side.level);
        AnsweredRequestSink::<QB>::link(&mut self.answered, &mut self.side.answered);
        OfferSource::<CompletionRecord>::link(&mut self.completion, &mut self.side.completion);
        ReportSource::link(&mut self.retire_wqe, &mut self.side.retire_wqe);
        ReportSource::link(&mut self.retire, &mut self.side.retire);
        self.walker.reset.next = self.reset.val();
        WalkSource::join(&mut self.side.walk, &mut self.walker.walk);
        SgeLookupSource::link(&mut self.lookup, &mut self.walker.lookup);
        self.walker.hold.next = false;
        ListReadSource::<M>::link(&mut self.list, &mut self.walker.list);
        FoundPieceSource::join(&mut self.walker.piece, &mut self.pieces.push);
        PieceCommandSource::join(&mut self.side.pieces, &mut self.pieces.command);
        WritePieceSource::link(&mut self.piece, &mut self.pieces.piece);
        AnnouncementSink::link(&mut self.ahead, &mut self.cache.ahead);
        DoorbellSink::link(&mut self.doorbell, &mut self.cache.doorbell);
        QpOfferSource::<QB>::link(&mut self.refused, &mut self.cache.refused);
        ReportSource::link(&mut self.retire_refused, &mut self.cache.retire_refused);
        self.notices.d.next = self.side.notice.valid.val() && !self.reset.val();
        self.noticed_index.d.next = self.side.notice.index.val();
        self.noticed_kinds.d.next = self.side.notice.kinds.val();
        inputs!(self.notice, valid: notices.q, index: noticed_index.q, kinds: noticed_kinds.q);
        self.consumed.d.next = self.side.consumer.valid.val() && !self.reset.val();
        self.consumed_index.d.next = self.side.consumer.index.val();
        self.consumer.d.next = self.side.consumer.item.val();
        inputs!(self.cache.consumer, valid: consumed.q, index: consumed_index.q, item: consumer.q);
        self.cache.modify.valid.next = self.side.modify.ready.val() && self.modify.valid.val();
        inputs!(self.cache.modify, index: modify.index, row: modify.row);
        WqeReadSource::link(&mut self.wqe, &mut self.cache.read);
        ReadBeatSink::<M>::link(&mut self.wqe_data, &mut self.cache.data);
        inputs!(self.cache, read_index: side.wqe_index, read_slot: side.wqe_slot);
        self.cache.read_hold.next = false;
        inputs!(self.cache, first_index: side.posted_index, second_index: side.flush_index);
        self.doorbells.modify_valid.next = self.side.modify.ready.val() && self.modify.valid.val();
        self.doorbells.modify_index.next = self.modify.index.val();
        self.doorbells.modify_qpn.next = self.modify.row.val().qpn;
        self.doorbells.rung_valid.next = self.cache.announced.valid.val() && self.cache.announced_rung.val();
        inputs!(self.doorbells, rung_index: cache.announced.index, rung_producer: cache.announced.producer);
        ReportSource::link(&mut self.retire_doorbell, &mut self.doorbells.retire);
        ReportSource::link(&mut self.retire_unread, &mut self.cache.retire_fault);
    }
}
