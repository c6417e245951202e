//! From posted send work requests to request packets, and from responses to completions.
use crate::bundle::{
    AnnouncedSource, AnnouncementSink, ConsumedSource, DoorbellSink, DropSource, EmittedPacketSink,
    FoundPieceSource, HandleUpdateSink, LaneHoldSink, LaneShareSource, ListReadSource, PieceCommandSource,
    PlannedPieceSource, QpModifySink, QpOfferSink, QpOfferSource, QpPulseSink, QpPulseSource, RateAskSource,
    ReadBeatSink, ReportSource, RowStateSource, SgeLookupSource, WalkSource, WqeReadSource, WritePieceSource,
};
use crate::completion::CompletionRecord;
use crate::memory::{LookupDrain, PieceQueue, Walker};
use crate::queue::WqeCache;
use crate::receive::ResponseArrival;
use crate::requester::{RequesterSide, SqDrained};
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

/// The requester with its send queues, the pieces that it gathers and those that it scatters.
///
/// The widths are those of [`RequesterSide`], [`WqeCache`] and [`Walker`].
#[derive(LogicBlock, Default)]
pub struct Requests<
    const QB: usize,
    const NQ: usize,
    const RB: usize,
    const OA: usize,
    const M: usize,
    const N: usize,
    const AB: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High if no request is under way in either walker.
    pub quiet: Signal<Out, Bit>,
    /// High for one cycle when the wait for looked-up packets starts ([`LookupDrain`]).
    pub drain_mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until these packets have departed or were refused.
    pub drain_passed: Signal<Out, Bit>,
    /// High while no look-up of a response's memory may start.
    pub placement_hold: Signal<In, Bit>,
    /// High if no look-up of a response's memory is unfinished, from one cycle after `placement_hold` rises.
    pub placement_still: Signal<Out, Bit>,
    /// Base LID of port 1, its low LMC bits zero; from bit 16 on that of port 2.
    pub port_lids: Signal<In, Bits<32>>,
    /// LMC of port 1; from bit 3 on that of port 2.
    pub port_lmcs: Signal<In, Bits<6>>,
    /// Active MTU of port 1, a code of `protocol/pmtu.csv` from 1 to 5; from bit 3 on that of port 2.
    pub port_mtus: Signal<In, Bits<6>>,
    /// High for one cycle when an address handle changes.
    pub handle: HandleUpdateSink<AB>,
    /// High while no multicast datagram may leave: the groups change.
    pub group_hold: Signal<In, Bit>,
    /// High for one cycle when the group of the port's latest multicast datagram has been looked up for its copy, or
    /// the datagram is discarded or its copy dropped.
    pub multicast_done: Signal<In, Bit>,
    /// High from the launch of a multicast datagram until `multicast_done`.
    pub multicast_under_way: Signal<Out, Bit>,
    /// Which VLs have room for requests.
    pub lane_hold: LaneHoldSink,
    /// A request is made, and takes room.
    pub lane_share: LaneShareSource,
    /// A request ends before it departs, and gives its room back.
    pub lane_back: LaneShareSource,
    /// Asks whether a paced request may be made ([`crate::link::RateSources`]).
    pub rate: RateAskSource,
    /// For one cycle the mark of a request that ends before it departs, else 0.
    pub mark_back: Signal<Out, Bits<3>>,
    /// `MODIFY_QP`. The requester takes it one clock before `modify.ready`; the SQ cache and the routing take it with
    /// `modify.ready`.
    pub modify: QpModifySink<QB>,
    /// Offers a QP that the responder has failed.
    pub fail: QpOfferSink<QB>,
    /// High for one cycle when the responder reports StateChanged of a QP.
    pub responder_failed: QpPulseSink<QB>,
    /// Offers the responder a QP that the requester has failed.
    pub failed: QpOfferSource<QB>,
    /// High for one cycle when the STATE_CHANGED record is reported here.
    pub state_error: QpPulseSource<QB>,
    /// High for one cycle when the requester reports a QP in SQE.
    pub send_error: QpPulseSource<QB>,
    /// Response packets in the order of arrival.
    pub response: OfferSink<ResponseArrival>,
    /// Original values of atomics, one for each commit of kind 1.
    pub original: OfferSource<Bits<64>>,
    /// Packets that are dropped.
    pub drop: DropSource,
    /// High for one cycle when a response is decided whose P_Key admission has found wrong, whatever the decision.
    pub key_decided: Signal<Out, Bit>,
    /// Retire records of `LANE_REQUESTER`.
    pub retire: ReportSource,
    /// Retire records of `LANE_SEND_WQE`.
    pub fetched: ReportSource,
    /// Request packets for the transmit path.
    pub request: OfferSource<TransmitPacket>,
    /// Packets of any kind that depart.
    pub departs: EmittedPacketSink<QB>,
    /// High for one cycle when the payload of the oldest departed request has been read
    /// ([`crate::transmit::RequestsRead`]).
    pub request_read: Signal<In, Bit>,
    /// High for one cycle when the last beat of a request of an unreliable service leaves.
    pub handed_valid: Signal<In, Bit>,
    /// With `handed_valid`: high if the request left spoiled.
    pub handed_spoiled: Signal<In, Bit>,
    /// Completions of send queues.
    pub completion: OfferSource<CompletionRecord>,
    /// The doorbell that is valid in the next clock, if one is.
    pub ahead: AnnouncementSink,
    /// Doorbells of send queues ([`crate::queue::Prefetch`]).
    pub doorbell: DoorbellSink,
    /// Offers the QP of a refused doorbell ([`crate::queue::DoorbellCheck`]).
    pub refused: QpOfferSource<QB>,
    /// Retire records of `LANE_REFUSED_DOORBELL`.
    pub retire_refused: ReportSource,
    /// High if `modify` asks for an event once the send queue is drained.
    pub modify_wants_drained: Signal<In, Bit>,
    /// Queue pairs whose send queue is drained, as software asked to know.
    pub drained: QpOfferSource<QB>,
    /// Reads of WQEs.
    pub wqe: WqeReadSource,
    /// The beat of WQEs, when `wqe.valid` is high.
    pub wqe_data: ReadBeatSink<M>,
    /// Retire records of `LANE_SEND_QUEUE`.
    pub retire_doorbell: ReportSource,
    /// Retire records of WQEs that could not be read.
    pub retire_unread: ReportSource,
    /// The walk server, for the payload of requests.
    pub gather_lookup: SgeLookupSource,
    /// The walk server, for the payload of responses.
    pub scatter_lookup: SgeLookupSource,
    /// High to let the walkers take no request. Once `quiet`, no request is under way that saw the old table.
    pub region_hold: Signal<In, Bit>,
    /// Reads of indirect lists of SGEs for requests ([`crate::memory::SegmentList`]).
    pub gather_list: ListReadSource<M>,
    /// Pieces of host memory that the payload of requests comes from.
    pub gather_piece: PlannedPieceSource,
    /// Reads of indirect lists of SGEs for responses ([`crate::memory::SegmentList`]).
    pub scatter_list: ListReadSource<M>,
    /// Pieces of host memory that responses go to.
    pub scatter_piece: WritePieceSource,

    requester: RequesterSide<QB, NQ, RB, OA, AB>,
    sq_drains: SqDrained<QB>,
    cache: WqeCache<QB, NQ, 6, OA, M, N, 0>,
    gather_walker: Walker<M>,
    gather_pieces: PieceQueue<5>,
    scatter_walker: Walker<M>,
    // A response that is settled waits for room again.
    scatter_pieces: PieceQueue<6>,
    drain: LookupDrain,
    still: Register<Bit>,
    /// High one clock after the requester has taken `MODIFY_QP`. Registered for timing: its input settles late in the
    /// clock.
    modified: Register<Bit>,
    /// High one clock after the pieces of a response are committed. Registered for timing: its input settles late in
    /// the clock.
    committed: Register<Bit>,
    committed_kind: Register<Bits<2>>,
    /// High one clock after the pieces of a response are aborted.
    aborted: Register<Bit>,
    /// High one clock after the completer has consumed a WQE. Registered for timing: its input settles late in the
    /// clock.
    consumed: Register<Bit>,
    /// QP that `consumer` belongs to.
    consumed_index: Register<Bits<QB>>,
    /// Number of its WQEs that are consumed, modulo 2^16.
    consumer: Register<Bits<16>>,
}

#[kernel]
impl<
        const QB: usize,
        const NQ: usize,
        const RB: usize,
        const OA: usize,
        const M: usize,
        const N: usize,
        const AB: usize,
    > Logic for Requests<QB, NQ, RB, OA, M, N, AB>
{
    fn update(&mut self) {
        clock_and_reset!(self, requester, cache, sq_drains, gather_pieces, scatter_pieces, drain);
        clock!(self, clock, gather_walker, scatter_walker);
        inputs!(
            self.requester, port_lids, port_lmcs, port_mtus, group_hold, multicast_done, request_read,
            handed_valid, handed_spoiled
        );
        EmittedPacketSink::<QB>::link(&mut self.departs, &mut self.requester.departs);
        HandleUpdateSink::<AB>::link(&mut self.handle, &mut self.requester.handle);
        outputs!(self.requester, multicast_under_way, key_decided);
        DropSource::link(&mut self.drop, &mut self.requester.drop);
        self.requester.modify.valid.next = self.modify.valid.val() && !self.modified.q.val();
        self.modified.d.next = self.requester.modify.ready.val() && !self.reset.val();
        self.modify.ready.next = self.modified.q.val();
        inputs!(self.requester.modify, index: modify.index, row: modify.row, limits: modify.limits);
        QpOfferSink::<QB>::link(&mut self.fail, &mut self.requester.fail);
        QpPulseSink::<QB>::link(&mut self.responder_failed, &mut self.requester.responder_failed);
        QpOfferSource::<QB>::link(&mut self.failed, &mut self.requester.failed);
        QpPulseSource::<QB>::link(&mut self.state_error, &mut self.requester.state_error);
        QpPulseSource::<QB>::link(&mut self.send_error, &mut self.requester.send_error);
        AnnouncedSource::<QB>::join(&mut self.cache.announced, &mut self.requester.announced);
        wires!(self.cache, self.requester, first_arrived, second_arrived, wqe);
        OfferSink::<ResponseArrival>::link(&mut self.response, &mut self.requester.response);
        OfferSource::<Bits<64>>::link(&mut self.original, &mut self.requester.original);
        ReportSource::link(&mut self.retire, &mut self.requester.retire);
        ReportSource::link(&mut self.fetched, &mut self.requester.fetched);
        OfferSource::<TransmitPacket>::link(&mut self.request, &mut self.requester.request);
        LaneHoldSink::link(&mut self.lane_hold, &mut self.requester.lane_hold);
        LaneShareSource::link(&mut self.lane_share, &mut self.requester.lane_share);
        LaneShareSource::link(&mut self.lane_back, &mut self.requester.lane_back);
        RateAskSource::link(&mut self.rate, &mut self.requester.rate);
        self.mark_back.next = self.requester.mark_back.val();
        QpPulseSource::<QB>::join(&mut self.cache.landed, &mut self.requester.arrived);
        OfferSource::<CompletionRecord>::link(&mut self.completion, &mut self.requester.completion);
        AnnouncementSink::link(&mut self.ahead, &mut self.cache.ahead);
        DoorbellSink::link(&mut self.doorbell, &mut self.cache.doorbell);
        QpOfferSource::<QB>::link(&mut self.refused, &mut self.cache.refused);
        ReportSource::link(&mut self.retire_refused, &mut self.cache.retire_refused);
        inputs!(self.sq_drains, modify_valid: modified.q, modify_index: modify.index, modify_row: modify.row);
        self.sq_drains.modify_wants.next = self.modify_wants_drained.val();
        RowStateSource::<QB>::join(&mut self.requester.row, &mut self.sq_drains.row);
        ConsumedSource::<QB>::join(&mut self.requester.consumer, &mut self.sq_drains.consumer);
        QpOfferSource::<QB>::link(&mut self.drained, &mut self.sq_drains.drained);
        self.consumed.d.next = self.requester.consumer.valid.val() && !self.reset.val();
        self.consumed_index.d.next = self.requester.consumer.index.val();
        self.consumer.d.next = self.requester.consumer.item.val();
        inputs!(self.cache.consumer, valid: consumed.q, index: consumed_index.q, item: consumer.q);
        inputs!(self.cache.modify, valid: modified.q, index: modify.index, row: modify.row);
        WqeReadSource::link(&mut self.wqe, &mut self.cache.read);
        ReadBeatSink::<M>::link(&mut self.wqe_data, &mut self.cache.data);
        wires!(self.requester, self.cache, read_index, read_slot, read_hold, first_index, second_index);
        ReportSource::link(&mut self.retire_doorbell, &mut self.cache.retire);
        ReportSource::link(&mut self.retire_unread, &mut self.cache.retire_fault);
        self.gather_walker.reset.next = self.reset.val();
        WalkSource::join(&mut self.requester.gather_walk, &mut self.gather_walker.walk);
        SgeLookupSource::link(&mut self.gather_lookup, &mut self.gather_walker.lookup);
        self.gather_walker.hold.next = self.region_hold.val();
        ListReadSource::<M>::link(&mut self.gather_list, &mut self.gather_walker.list);
        FoundPieceSource::join(&mut self.gather_walker.piece, &mut self.gather_pieces.push);
        PieceCommandSource::join(&mut self.requester.gather_pieces, &mut self.gather_pieces.command);
        wires!(self.gather_pieces.piece, self.gather_piece, valid, address, last);
        self.gather_pieces.piece.ready.next = self.gather_piece.ready.val();
        inputs!(self.gather_piece, nothing: gather_pieces.nothing, length: gather_pieces.some_length);
        self.scatter_walker.reset.next = self.reset.val();
        WalkSource::join(&mut self.requester.scatter_walk, &mut self.scatter_walker.walk);
        SgeLookupSource::link(&mut self.scatter_lookup, &mut self.scatter_walker.lookup);
        self.scatter_walker.hold.next = self.region_hold.val() || self.placement_hold.val();
        self.still.d.next = !self.requester.scatter_looked.val();
        self.placement_still.next = self.still.q.val();
        ListReadSource::<M>::link(&mut self.scatter_list, &mut self.scatter_walker.list);
        FoundPieceSource::join(&mut self.scatter_walker.piece, &mut self.scatter_pieces.push);
        // What is decided about responses goes through registers, for timing.
        wires!(self.scatter_pieces.command, self.requester.scatter_pieces, ready);
        wires!(self.requester.scatter_pieces, self.scatter_pieces.command, close);
        self.committed.d.next = self.requester.scatter_pieces.commit.val() && !self.reset.val();
        self.committed_kind.d.next = self.requester.scatter_pieces.kind.val();
        self.aborted.d.next = self.requester.scatter_pieces.abort.val() && !self.reset.val();
        inputs!(self.scatter_pieces.command, commit: committed.q, kind: committed_kind.q, abort: aborted.q);
        WritePieceSource::link(&mut self.scatter_piece, &mut self.scatter_pieces.piece);
        self.drain.looks.next = self.requester.gather_looks.val();
        self.drain.handed_on.next = self.requester.request.valid.val() && self.request.ready.val();
        self.drain.departs.next = self.departs.valid.val() && !self.departs.kind.val().any();
        self.requester.gather_hold.next = self.drain.waits.val();
        self.drain.mark.next = self.drain_mark.val();
        self.drain_passed.next = self.drain.passed.val();
        self.quiet.next = self.gather_walker.quiet.val() && self.scatter_walker.quiet.val();
    }
}
