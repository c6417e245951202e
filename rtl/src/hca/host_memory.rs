//! Connects the engines to the AXI4 master port.
use crate::bundle::{
    AtomicDoneSource, AtomicJobSink, CqCommandSink, CqDoorbellSink, DataFaultSink, EqeSource, EventRingSink,
    EventSink, EventSource, ListReadSink, PayloadBeatSink, PayloadCommandSource, PayloadOrderSink,
    QpNoticeSink, QpOfferSink, QpOfferSource, QpPulseSink, QpPulseSource, ReadBeatSource, ReportSource,
    RingEntrySource, WordReadSource, WqeReadSink, WritePieceSink,
};
use crate::completion::{CompletionQueue, CompletionRecord};
use crate::event::{EventQueue, QpNotices};
use crate::memory::{FaultReport, PlacementDrain, ReadArbiter, Scatter};
use hca_hdl::prelude::*;

/// Arbitrates the reads of all clients and the writes of both sides, and writes completions after the data that they
/// announce.
///
/// `W`: stream bits; `K` = `W` / 8; `M`: bus bits; `MK` = `M` / 8; `D` = 2 `M`; `CB`: CQ index bits; `RB`: bits of an
/// atomic's resource; `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, Default)]
pub struct HostMemory<
    const W: usize,
    const M: usize,
    const MK: usize,
    const D: usize,
    const CB: usize,
    const RB: usize,
    const QB: usize,
    const NQ: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Number of packets of the responder whose writes are acknowledged, modulo 2^16.
    pub responder_written: Signal<Out, Bits<16>>,
    /// Reads of payload to be sent.
    pub gather: WqeReadSink,
    /// Reads of send WQEs.
    pub send_wqe: WqeReadSink,
    /// Reads of receive WQEs.
    pub receive_wqe: WqeReadSink,
    /// The beat of payload or WQEs that one of `gather`, `send_wqe` and `receive_wqe` is valid for.
    pub read_data: ReadBeatSource<M>,
    /// Reads of the responder's SGE lists.
    pub responder_list: ListReadSink<M>,
    /// Reads of the requester's SGE lists, for requests.
    pub requester_list: ListReadSink<M>,
    /// Reads of the requester's SGE lists, for responses.
    pub response_list: ListReadSink<M>,
    /// Read channels of host memory.
    pub axi_read: AxiReadSource<M>,
    /// One entry for each packet in arrival order: whether it is a response, whose pieces come from the requester.
    pub order: PayloadOrderSink<QB>,
    /// Pieces that the responder writes. Of `KIND_ATOMIC`, the eight bytes are read, changed by an atomic operation,
    /// and written back.
    pub responder: WritePieceSink,
    /// Pieces that the requester writes. Of `KIND_ATOMIC`, an original value is written, not the payload.
    pub requester: WritePieceSink,
    /// Operands of the responder's atomics, in the order of the pieces of `KIND_ATOMIC`.
    pub atomic: AtomicJobSink<RB>,
    /// High for one cycle when an atomic is done.
    pub done: AtomicDoneSource<RB>,
    /// Original values of the requester's atomics, in the order of their pieces.
    pub original: OfferSink<Bits<64>>,
    /// Asks for the payload of the oldest packet, or drops it.
    pub payload_command: PayloadCommandSource,
    /// The payload that `payload_command` has asked for.
    pub payload: PayloadBeatSink<W>,
    /// High for one cycle when an EQE is in memory.
    pub event_written: Signal<Out, Bit>,
    /// High for one cycle when host memory has failed the write of a CQE or an EQE.
    pub host_memory_failed: Signal<Out, Bit>,
    /// Write channels of host memory.
    pub axi_write: AxiWriteSource<M, MK>,
    /// Commands about CQs.
    pub cq: CqCommandSink<CB>,
    /// Doorbells of completion queues.
    pub cq_doorbell: CqDoorbellSink,
    /// The event queue.
    pub eq: EventRingSink,
    /// High for one cycle when the wait for completions starts.
    pub drain_mark: Signal<In, Bit>,
    /// High once the completions that had come in at the mark are in memory or lost.
    pub drain_passed: Signal<Out, Bit>,
    /// Events of the responder about QPs (`crate::event::QpNotices`).
    pub request_event: QpNoticeSink<QB>,
    /// High for one cycle when a Read of this QP is refused while its data is looked up; at most once between two
    /// Resets.
    pub refused: QpPulseSink<QB>,
    /// Offers the QP of a refused doorbell.
    pub bad_doorbell: QpOfferSink<QB>,
    /// Offers a QP whose send queue is drained, if software wants an event then.
    pub drained: QpOfferSink<QB>,
    /// Events of the ports ([`crate::event::PortNotices`]).
    pub port_event: EventSink<1>,
    /// Completions of receive queues.
    pub receive: OfferSink<CompletionRecord>,
    /// Completions of send queues.
    pub send: OfferSink<CompletionRecord>,
    /// Retire records of `LANE_COMPLETION` in `host::retire`.
    pub retire: ReportSource,
    /// Offers a packet that leaves spoiled because its data could not be read.
    pub fault: DataFaultSink,
    /// High for one cycle when `MODIFY_QP` takes effect.
    pub modify_valid: Signal<In, Bit>,
    /// With `modify_valid`: index of the QP that is modified.
    pub modify_index: Signal<In, Bits<QB>>,
    /// With `modify_valid`: QPN of the QP that is modified.
    pub modify_qpn: Signal<In, Bits<24>>,
    /// High for one cycle when nothing of QP `modify_index` is under way any more.
    pub forget_valid: Signal<In, Bit>,
    /// High for one cycle when the wait for dispatched packets starts ([`PlacementDrain`]).
    pub placement_mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until the payload of these packets is in memory.
    pub placement_passed: Signal<Out, Bit>,
    /// Offers a QP that host memory has failed: the responder has to fail it.
    pub fail: QpOfferSource<QB>,
    /// Retire records of `LANE_MEMORY`.
    pub retire_fault: ReportSource,
    /// Retire records of `LANE_ARM`.
    pub retire_arm: ReportSource,
    /// Retire records of `LANE_EVENT`.
    pub retire_event: ReportSource,

    reads: ReadArbiter<M>,
    scatter: Scatter<W, M, MK, D, RB>,
    completions: CompletionQueue<CB, QB, NQ>,
    qp_notices: QpNotices<QB>,
    events: EventQueue<CB>,
    /// QPs that host memory has failed and whose event is to be written.
    fatals: Fifo<Bits<QB>, QB>,
    /// QPs of refused Reads whose event is to be written.
    refusals: Fifo<Bits<QB>, QB>,
    faults: FaultReport<QB, NQ>,
    placement: PlacementDrain,
    /// QPs of the requests that are not counted as written; deep enough for all that may be under way.
    requests_from: Fifo<Bits<QB>, 8>,
    /// QPs of the responses that are not counted as written.
    responses_from: Fifo<Bits<QB>, 8>,
    /// QPN of each QP, by index.
    qpns: LutRam<Bits<24>, QB>,
    /// QPN of the request that is counted next. Registered for timing; a fault is valid a clock after its input.
    request_qpn: Register<Bits<24>>,
    /// QPN of the response that is counted next. Registered for timing; a fault is valid a clock after its input.
    response_qpn: Register<Bits<24>>,
}

#[kernel]
impl<
        const W: usize,
        const M: usize,
        const MK: usize,
        const D: usize,
        const CB: usize,
        const RB: usize,
        const QB: usize,
        const NQ: usize,
    > Logic for HostMemory<W, M, MK, D, CB, RB, QB, NQ>
{
    fn update(&mut self) {
        clock_and_reset!(
            self, reads, scatter, completions, faults, requests_from, responses_from, placement, fatals,
            qp_notices, refusals, events
        );
        clock!(self, clock, qpns);
        WqeReadSink::link(&mut self.gather, &mut self.reads.payload);
        WqeReadSink::link(&mut self.send_wqe, &mut self.reads.send_wqe);
        WqeReadSink::link(&mut self.receive_wqe, &mut self.reads.receive_wqe);
        ReadBeatSource::<M>::link(&mut self.read_data, &mut self.reads.data);
        ListReadSink::<M>::link(&mut self.responder_list, &mut self.reads.responder_list);
        ListReadSink::<M>::link(&mut self.requester_list, &mut self.reads.requester_list);
        ListReadSink::<M>::link(&mut self.response_list, &mut self.reads.response_list);
        WordReadSource::join(&mut self.scatter.read, &mut self.reads.atomic);
        AxiReadSource::<M>::link(&mut self.axi_read, &mut self.reads.axi);
        self.scatter.order_valid.next = self.order.valid.val();
        self.order.ready.next = self.scatter.order_ready.val();
        inputs!(self.scatter, order_response: order.response, order_keeps: order.keeps);
        WritePieceSink::link(&mut self.responder, &mut self.scatter.responder);
        WritePieceSink::link(&mut self.requester, &mut self.scatter.requester);
        AtomicJobSink::<RB>::link(&mut self.atomic, &mut self.scatter.job);
        self.responder_written.next = self.scatter.responder_written.val();
        AtomicDoneSource::<RB>::link(&mut self.done, &mut self.scatter.done);
        OfferSink::<Bits<64>>::link(&mut self.original, &mut self.scatter.original);
        PayloadCommandSource::link(&mut self.payload_command, &mut self.scatter.payload_command);
        PayloadBeatSink::<W>::link(&mut self.payload, &mut self.scatter.payload);
        RingEntrySource::join(&mut self.completions.entry, &mut self.scatter.cqe);
        inputs!(self.completions, answered: scatter.cqe_written, answered_error: scatter.cqe_error);
        outputs!(self.completions, event_written, host_memory_failed, drain_passed);
        AxiWriteSource::<M, MK>::link(&mut self.axi_write, &mut self.scatter.axi);
        CqCommandSink::<CB>::link(&mut self.cq, &mut self.completions.command);
        CqDoorbellSink::link(&mut self.cq_doorbell, &mut self.completions.doorbell);
        self.completions.drain_mark.next = self.drain_mark.val();
        ReportSource::link(&mut self.retire_arm, &mut self.completions.retire_arm);
        OfferSink::<CompletionRecord>::link(&mut self.receive, &mut self.completions.receive);
        OfferSink::<CompletionRecord>::link(&mut self.send, &mut self.completions.send);
        wires!(self.scatter, self.completions, responder_written, requester_written);
        ReportSource::link(&mut self.retire, &mut self.completions.retire);
        DataFaultSink::link(&mut self.fault, &mut self.faults.data);
        // Queue the QP of each packet until the packet is counted.
        inputs!(self.qpns, write_enable: modify_valid, write_address: modify_index, write_data: modify_qpn);
        self.requests_from.write.valid.next =
            self.order.valid.val() && self.scatter.order_ready.val() && !self.order.response.val();
        self.requests_from.write.item.next = self.order.index.val();
        self.requests_from.read.ready.next = self.scatter.responder_counted.val();
        self.responses_from.write.valid.next =
            self.order.valid.val() && self.scatter.order_ready.val() && self.order.response.val();
        self.responses_from.write.item.next = self.order.index.val();
        self.responses_from.read.ready.next = self.scatter.requester_counted.val();
        inputs!(self.qpns, read_address_a: requests_from.read.item, read_address_b: responses_from.read.item);
        self.faults.responder_valid.next = self.scatter.responder_fault_valid.val();
        self.scatter.responder_fault_ready.next = self.faults.responder_ready.val();
        self.request_qpn.d.next = self.qpns.read_data_a.val();
        self.response_qpn.d.next = self.qpns.read_data_b.val();
        inputs!(self.faults, responder_qpn: request_qpn.q, responder_atomic: scatter.responder_fault_atomic);
        self.faults.requester_valid.next = self.scatter.requester_fault_valid.val();
        self.scatter.requester_fault_ready.next = self.faults.requester_ready.val();
        self.faults.requester_qpn.next = self.response_qpn.q.val();
        inputs!(self.faults.forget, valid: forget_valid, index: modify_index);
        self.placement.order_valid.next = self.order.valid.val();
        wires!(self.scatter, self.placement, order_ready, responder_counted, requester_counted);
        self.placement.order_response.next = self.order.response.val();
        self.placement.atomic_begins.next = self.atomic.valid.val() && self.scatter.job.ready.val();
        self.placement.atomic_done.next = self.scatter.done.valid.val();
        self.placement.mark.next = self.placement_mark.val();
        self.placement_passed.next = self.placement.passed.val();
        wires!(self.faults, self.completions, broken, takes_fault);
        QpPulseSource::<QB>::join(&mut self.completions.fault_taken, &mut self.faults.fault_taken);
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.faults.fail);
        ReportSource::link(&mut self.retire_fault, &mut self.faults.retire);

        // Events.
        self.fatals.write.valid.next = self.faults.fail.valid.val() && self.fail.ready.val();
        self.fatals.write.item.next = self.faults.fail.item.val();
        self.qp_notices.modify_valid.next = self.modify_valid.val() || self.forget_valid.val();
        inputs!(self.qp_notices, modify_index, modify_qpn, modify_resets: forget_valid);
        QpNoticeSink::<QB>::link(&mut self.request_event, &mut self.qp_notices.request);
        self.refusals.write.valid.next = self.refused.valid.val();
        self.refusals.write.item.next = self.refused.index.val();
        QpOfferSource::<QB>::join(&mut self.refusals.read, &mut self.qp_notices.refused);
        QpOfferSource::<QB>::join(&mut self.fatals.read, &mut self.qp_notices.fatal);
        QpOfferSink::<QB>::link(&mut self.bad_doorbell, &mut self.qp_notices.bad_doorbell);
        QpOfferSink::<QB>::link(&mut self.drained, &mut self.qp_notices.drained);
        EventRingSink::link(&mut self.eq, &mut self.events.eq);
        EventSource::<CB>::join(&mut self.completions.event, &mut self.events.cq);
        EventSource::<24>::join(&mut self.qp_notices.event, &mut self.events.qp);
        EventSink::<1>::link(&mut self.port_event, &mut self.events.port);
        EqeSource::join(&mut self.events.eqe, &mut self.completions.eqe);
        ReportSource::link(&mut self.retire_event, &mut self.events.retire);
    }
}
