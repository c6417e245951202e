//! The receive side: dispatch, and the responder behind it.
use super::{Dispatch, PassageMark, ResponseArrival};
use crate::bundle::{
    AnnouncedSink, AnswerLevelSource, AnsweredRequestSink, AtomicJobSource, ConsumedSource, DropSource,
    HeaderSink, KeyInvalidateSource, PayloadOrderSource, PieceCommandSource, QpModifySink, QpNoticeSource,
    QpOfferSink, QpOfferSource, QpPulseSink, QpPulseSource, ReportSource, ViolationWordSource, WalkSource,
};
use crate::completion::CompletionRecord;
use crate::context::QpRoute;
use crate::receive::RequestArrival;
use crate::responder::ResponderEngine;
use crate::response::ResponseJob;
use hca_hdl::prelude::*;

/// Takes packets in, decides on requests and passes responses on. `QB`: QP index bits; `RA` = `QB` + 4; `IB` is 1 with
/// native ports.
#[derive(LogicBlock, Default)]
pub struct ReceiveSide<const QB: usize, const RA: usize, const IB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Base LID of port 1; from bit 16 on that of port 2.
    pub port_lids: Signal<In, Bits<32>>,

    /// `MODIFY_QP`. It is taken once all requests before it are decided.
    pub modify: QpModifySink<QB>,
    /// Arguments 14 to 21 of `MODIFY_QP`.
    pub modify_route: Signal<In, QpRoute>,
    /// High for one cycle when the requester reports a QP in Error.
    pub state_error: QpPulseSink<QB>,

    /// The P_Key table of port 1 ([`super::PartitionCheck`]); from bit 64 on that of port 2.
    pub port_p_keys: Signal<In, Bits<128>>,
    /// Headers of the accepted packets.
    pub header: HeaderSink,
    /// Result of the replicator for the header's packet ([`super::Replicator`]).
    pub mark: Signal<In, PassageMark>,
    /// Response packets in the order of arrival, for the requester.
    pub response: OfferSource<ResponseArrival>,
    /// One entry for each packet, in arrival order: whether it went to the requester.
    pub order: PayloadOrderSource<QB>,

    /// Offers a QP that the requester has failed.
    pub fail: QpOfferSink<QB>,
    /// Offers a QP for which the response engine could not produce a read response.
    pub unreadable: QpOfferSink<QB>,
    /// Offers the requester a QP that this side has failed.
    pub failed: QpOfferSource<QB>,
    /// High for one cycle when this side reports a QP in Error.
    pub reported: QpPulseSource<QB>,
    /// QP whose receive WQE is read from the cache.
    pub wqe_index: Signal<Out, Bits<QB>>,
    /// Slot of the receive WQE in the cache: its index modulo 32.
    pub wqe_slot: Signal<Out, Bits<5>>,
    /// The receive WQE, one clock after its address.
    pub wqe: Signal<In, Bits<512>>,
    /// QP that `posted_arrived` belongs to.
    pub posted_index: Signal<Out, Bits<QB>>,
    /// Number of its receive WQEs that have arrived in the cache, modulo 2^16.
    pub posted_arrived: Signal<In, Bits<16>>,
    /// QP that `flush_arrived` belongs to.
    pub flush_index: Signal<Out, Bits<QB>>,
    /// Number of its receive WQEs that have arrived in the cache, modulo 2^16.
    pub flush_arrived: Signal<In, Bits<16>>,
    /// High for one cycle when receive WQEs of some QP arrive; they count in the next clock at the latest.
    pub flush_arrives: Signal<In, Bit>,
    /// Offers a QP whose credits are to be looked at.
    pub credit: QpOfferSink<QB>,
    /// High for one cycle when the number of announced WQEs of a QP changes.
    pub announced: AnnouncedSink<QB>,
    /// High for one cycle when WQEs of a QP are consumed.
    pub consumer: ConsumedSource<QB>,
    /// Asks the walker to check the keys of a request's memory.
    pub walk: WalkSource,
    /// Takes both keys of the region out of use.
    pub invalidate: KeyInvalidateSource,
    /// The queue that the walker pushes pieces into.
    pub pieces: PieceCommandSource,
    /// Operands of an atomic, in the order of the pieces.
    pub atomic: AtomicJobSource<RA>,
    /// Work for the response engine.
    pub job: OfferSource<ResponseJob>,
    /// Asks the response engine how much work of a QP waits.
    pub level: AnswerLevelSource<QB>,
    /// High for one cycle when the last packet of the answer to a Read or atomic has left.
    pub answered: AnsweredRequestSink<QB>,
    /// Completions of receive queues.
    pub completion: OfferSource<CompletionRecord>,
    /// High for one cycle with events for software (`crate::event::QpNotices`).
    pub notice: QpNoticeSource<QB>,
    /// High for one cycle when a packet to a multicast group is decided, a copy or not.
    pub group_decided: Signal<Out, Bit>,
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

    dispatch: Dispatch<QB, IB>,
    responder: ResponderEngine<QB, RA>,
}

#[kernel]
impl<const QB: usize, const RA: usize, const IB: usize> Logic for ReceiveSide<QB, RA, IB> {
    fn update(&mut self) {
        clock_and_reset!(self, dispatch, responder);

        // A modification waits until dispatch has no request left: `valid` reaches the responder later than dispatch.
        self.dispatch.modify_valid.next = self.modify.valid.val();
        inputs!(self.dispatch, modify_index: modify.index, modify_row: modify.row, modify_route);
        self.dispatch.modify_done.next = self.responder.modify.ready.val();
        self.responder.modify.valid.next = self.modify.valid.val() && self.dispatch.drained.val();
        wires!(self.modify, self.responder.modify, index, row, limits);
        wires!(self.responder.modify, self.modify, ready);
        QpPulseSink::<QB>::link(&mut self.state_error, &mut self.dispatch.requester_error);
        QpPulseSource::<QB>::join(&mut self.responder.reported, &mut self.dispatch.responder_error);
        QpPulseSink::<QB>::link(&mut self.state_error, &mut self.responder.state_error);
        OfferSource::<RequestArrival>::join(&mut self.dispatch.request, &mut self.responder.arrival);

        inputs!(self.dispatch, port_p_keys, mark, latched, response_key_decided);
        self.dispatch.request_key_decided.next = self.responder.key_decided.val();
        ViolationWordSource::link(&mut self.violation, &mut self.dispatch.violation);
        HeaderSink::link(&mut self.header, &mut self.dispatch.header);
        OfferSource::<ResponseArrival>::link(&mut self.response, &mut self.dispatch.response);
        PayloadOrderSource::<QB>::link(&mut self.order, &mut self.dispatch.order);
        QpOfferSink::<QB>::link(&mut self.fail, &mut self.responder.fail);
        QpOfferSink::<QB>::link(&mut self.unreadable, &mut self.responder.unreadable);
        QpOfferSource::<QB>::link(&mut self.failed, &mut self.responder.failed);
        QpPulseSource::<QB>::link(&mut self.reported, &mut self.responder.reported);
        outputs!(self.responder, wqe_index, wqe_slot, posted_index, flush_index, group_decided, smp_dropped);
        DropSource::link(&mut self.drop, &mut self.responder.drop);
        ConsumedSource::<QB>::link(&mut self.consumer, &mut self.responder.consumer);
        inputs!(self.responder, wqe, posted_arrived, flush_arrived, flush_arrives, port_lids);
        PieceCommandSource::link(&mut self.pieces, &mut self.responder.pieces);
        WalkSource::link(&mut self.walk, &mut self.responder.walk);
        AnnouncedSink::<QB>::link(&mut self.announced, &mut self.responder.announced);
        QpOfferSink::<QB>::link(&mut self.credit, &mut self.responder.credit);
        KeyInvalidateSource::link(&mut self.invalidate, &mut self.responder.invalidate);
        AtomicJobSource::<RA>::link(&mut self.atomic, &mut self.responder.atomic);
        OfferSource::<ResponseJob>::link(&mut self.job, &mut self.responder.job);
        AnswerLevelSource::<QB>::link(&mut self.level, &mut self.responder.level);
        AnsweredRequestSink::<QB>::link(&mut self.answered, &mut self.responder.answered);
        OfferSource::<CompletionRecord>::link(&mut self.completion, &mut self.responder.completion);
        inputs!(self.notice, valid: responder.notice_valid, index: responder.notice_index);
        self.notice.kinds.next = self.responder.notice_kinds.val();
        ReportSource::link(&mut self.retire_wqe, &mut self.responder.retire_wqe);
        ReportSource::link(&mut self.retire, &mut self.responder.retire);
    }
}
