//! The receive side: dispatch, and the responder behind it.
use super::{Dispatch, ResponseArrival};
use crate::bundle::{
    AnsweredRequestSink, AtomicJobSource, KeyInvalidateSource, PayloadOrderSource, QpNoticeSource,
    QpOfferSink, QpOfferSource, QpPulseSink, QpPulseSource, ReportSource,
};
use crate::completion::CompletionRecord;
use crate::responder::{Responder, WalkRequest};
use crate::response::ResponseJob;
use crate::wire::RxHeader;
use hca_hdl::primitive::{clock, comment};
use rust_hdl_core::prelude::*;

/// Packets in; requests decided, responses handed on. `QB`: QP index bits; `RA` = `QB` + 4.
#[derive(LogicBlock, Default)]
pub struct ReceiveSide<const QB: usize, const RA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Base LID.
    pub port_lid: Signal<In, Bits<16>>,

    /// `MODIFY_QP`: taken once what came before is decided.
    pub modify_valid: Signal<In, Bit>,
    pub modify_ready: Signal<Out, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_row: Signal<In, Bits<448>>,
    pub modify_limits: Signal<In, Bits<64>>,
    pub modify_route: Signal<In, Bits<256>>,
    /// Pulse: the requester reports a QP in Error.
    pub state_error: QpPulseSink<QB>,

    /// The port's P_Key table ([`super::PartitionCheck`]).
    pub port_p_keys: Signal<In, Bits<64>>,
    pub header: Signal<In, RxHeader>,
    pub header_valid: Signal<In, Bit>,
    pub header_ready: Signal<Out, Bit>,
    /// As [`Dispatch`] has it.
    pub next_dest_qp: Signal<In, Bits<24>>,
    pub response: Signal<Out, ResponseArrival>,
    pub response_valid: Signal<Out, Bit>,
    pub response_ready: Signal<In, Bit>,
    /// One for each packet, in arrival order: whether it went to the requester.
    pub order: PayloadOrderSource<QB>,

    /// The requester has failed a QP.
    pub fail: QpOfferSink<QB>,
    /// The response engine could not read for a QP.
    pub unreadable: QpOfferSink<QB>,
    /// To the requester: this side has failed a QP.
    pub failed: QpOfferSource<QB>,
    /// Pulse: this side reports a QP in Error.
    pub reported: QpPulseSource<QB>,
    /// Cache of receive WQEs: one is read a clock after its address.
    pub wqe_index: Signal<Out, Bits<QB>>,
    pub wqe_slot: Signal<Out, Bits<5>>,
    pub wqe: Signal<In, Bits<512>>,
    pub posted_index: Signal<Out, Bits<QB>>,
    pub posted_arrived: Signal<In, Bits<16>>,
    pub flush_index: Signal<Out, Bits<QB>>,
    pub flush_arrived: Signal<In, Bits<16>>,
    pub flush_arrives: Signal<In, Bit>,
    /// As [`Responder`] has them.
    pub credit: QpOfferSink<QB>,
    pub announced_valid: Signal<In, Bit>,
    pub announced_index: Signal<In, Bits<QB>>,
    pub announced_producer: Signal<In, Bits<16>>,
    /// Pulse: WQEs before this one are done with.
    pub consumer_valid: Signal<Out, Bit>,
    pub consumer_index: Signal<Out, Bits<QB>>,
    pub consumer: Signal<Out, Bits<16>>,
    pub walk_valid: Signal<Out, Bit>,
    pub walk_ready: Signal<In, Bit>,
    pub walk: Signal<Out, WalkRequest>,
    pub walk_done: Signal<In, Bit>,
    pub walk_fault: Signal<In, Bits<2>>,
    /// Takes both keys of the region out of use.
    pub invalidate: KeyInvalidateSource,
    /// The queue that the walker pushes pieces into has room for a packet's.
    pub pieces_ready: Signal<In, Bit>,
    pub commit_valid: Signal<Out, Bit>,
    /// 0 data, 1 atomic.
    pub commit_kind: Signal<Out, Bits<2>>,
    pub abort_valid: Signal<Out, Bit>,
    /// Operands of an atomic, in the order of the pieces.
    pub atomic: AtomicJobSource<RA>,
    pub job_valid: Signal<Out, Bit>,
    pub job_ready: Signal<In, Bit>,
    pub job: Signal<Out, ResponseJob>,
    /// Pulse: the last packet of the answer to a Read or atomic has left.
    pub answered: AnsweredRequestSink<QB>,
    pub completion_valid: Signal<Out, Bit>,
    pub completion_ready: Signal<In, Bit>,
    pub completion: Signal<Out, CompletionRecord>,
    /// High for one cycle with events for software (`crate::event::QpNotices`).
    pub notice: QpNoticeSource<QB>,
    /// High for one cycle when this packet has been dropped.
    pub dropped: Signal<Out, Bit>,
    /// Why.
    pub drop_reason: Signal<Out, Bits<8>>,
    /// `LANE_RECEIVE_WQE` of `host::retire`.
    pub retire_wqe: ReportSource,
    /// `LANE_RESPONDER`.
    pub retire: ReportSource,

    dispatch: Dispatch<QB>,
    responder: Responder<QB, RA>,
}

impl<const QB: usize, const RA: usize> Logic for ReceiveSide<QB, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module receive_side");
        clock!(self, clock, dispatch, responder);
        self.dispatch.reset.next = self.reset.val();
        self.responder.reset.next = self.reset.val();

        // A modification waits until dispatch has no request left.
        self.dispatch.modify_valid.next = self.modify_valid.val();
        self.dispatch.modify_index.next = self.modify_index.val();
        self.dispatch.modify_row.next = self.modify_row.val();
        self.dispatch.modify_route.next = self.modify_route.val();
        self.dispatch.modify_done.next = self.responder.modify.ready.val();
        self.responder.modify.valid.next = self.modify_valid.val() && self.dispatch.drained.val();
        self.responder.modify.index.next = self.modify_index.val();
        self.responder.modify.row.next = self.modify_row.val();
        self.responder.modify.limits.next = self.modify_limits.val();
        self.modify_ready.next = self.responder.modify.ready.val();
        self.dispatch.requester_error.valid.next = self.state_error.valid.val();
        self.dispatch.requester_error.index.next = self.state_error.index.val();
        self.dispatch.responder_error.valid.next = self.responder.reported.valid.val();
        self.dispatch.responder_error.index.next = self.responder.reported.index.val();
        self.responder.state_error.valid.next = self.state_error.valid.val();
        self.responder.state_error.index.next = self.state_error.index.val();
        self.responder.arrival.next = self.dispatch.request.val();
        self.responder.arrival_valid.next = self.dispatch.request_valid.val();
        self.dispatch.request_ready.next = self.responder.arrival_ready.val();

        self.dispatch.port_p_keys.next = self.port_p_keys.val();
        self.dispatch.header.next = self.header.val();
        self.dispatch.header_valid.next = self.header_valid.val();
        self.dispatch.next_dest_qp.next = self.next_dest_qp.val();
        self.header_ready.next = self.dispatch.header_ready.val();
        self.response.next = self.dispatch.response.val();
        self.response_valid.next = self.dispatch.response_valid.val();
        self.dispatch.response_ready.next = self.response_ready.val();
        self.order.valid.next = self.dispatch.order_valid.val();
        self.dispatch.order_ready.next = self.order.ready.val();
        self.order.response.next = self.dispatch.order_response.val();
        self.order.index.next = self.dispatch.order_index.val();
        QpOfferSink::<QB>::link(&mut self.fail, &mut self.responder.fail);
        QpOfferSink::<QB>::link(&mut self.unreadable, &mut self.responder.unreadable);
        QpOfferSource::<QB>::link(&mut self.failed, &mut self.responder.failed);
        self.reported.valid.next = self.responder.reported.valid.val();
        self.reported.index.next = self.responder.reported.index.val();
        self.wqe_index.next = self.responder.wqe_index.val();
        self.wqe_slot.next = self.responder.wqe_slot.val();
        self.responder.wqe.next = self.wqe.val();
        self.posted_index.next = self.responder.posted_index.val();
        self.responder.posted_arrived.next = self.posted_arrived.val();
        self.flush_index.next = self.responder.flush_index.val();
        self.responder.flush_arrived.next = self.flush_arrived.val();
        self.responder.flush_arrives.next = self.flush_arrives.val();
        QpOfferSink::<QB>::link(&mut self.credit, &mut self.responder.credit);
        self.responder.announced_valid.next = self.announced_valid.val();
        self.responder.announced_index.next = self.announced_index.val();
        self.responder.announced_producer.next = self.announced_producer.val();
        self.responder.port_lid.next = self.port_lid.val();
        self.consumer_valid.next = self.responder.consumer_valid.val();
        self.consumer_index.next = self.responder.consumer_index.val();
        self.consumer.next = self.responder.consumer.val();
        self.walk_valid.next = self.responder.walk_valid.val();
        self.responder.walk_ready.next = self.walk_ready.val();
        self.walk.next = self.responder.walk.val();
        self.responder.walk_done.next = self.walk_done.val();
        self.responder.walk_fault.next = self.walk_fault.val();
        KeyInvalidateSource::link(&mut self.invalidate, &mut self.responder.invalidate);
        self.responder.pieces_ready.next = self.pieces_ready.val();
        self.commit_valid.next = self.responder.commit_valid.val();
        self.commit_kind.next = self.responder.commit_kind.val();
        self.abort_valid.next = self.responder.abort_valid.val();
        AtomicJobSource::<RA>::link(&mut self.atomic, &mut self.responder.atomic);
        self.job_valid.next = self.responder.job_valid.val();
        self.responder.job_ready.next = self.job_ready.val();
        self.job.next = self.responder.job.val();
        AnsweredRequestSink::<QB>::link(&mut self.answered, &mut self.responder.answered);
        self.completion_valid.next = self.responder.completion_valid.val();
        self.responder.completion_ready.next = self.completion_ready.val();
        self.completion.next = self.responder.completion.val();
        self.notice.valid.next = self.responder.notice_valid.val();
        self.notice.index.next = self.responder.notice_index.val();
        self.notice.kinds.next = self.responder.notice_kinds.val();
        self.dropped.next = self.responder.dropped.val();
        self.drop_reason.next = self.responder.drop_reason.val();
        ReportSource::link(&mut self.retire_wqe, &mut self.responder.retire_wqe);
        ReportSource::link(&mut self.retire, &mut self.responder.retire);
    }
}
