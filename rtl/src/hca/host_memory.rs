//! Connects the engines to the AXI4 master port.
use crate::bundle::{
    DataFaultSink, ListReadSink, PayloadOrderSink, QpNoticeSink, QpOfferSink, QpOfferSource, QpPulseSink,
    ReportSource, WqeReadSink,
};
use crate::completion::{CompletionQueue, CompletionRecord};
use crate::event::{EventQueue, QpNotices};
use crate::memory::{FaultReport, PlacementDrain, ReadArbiter, Scatter};
use hca_hdl::bundle::{AxiReadSource, AxiWriteSource};
use hca_hdl::primitive::{clock, comment, dff_setup, Fifo, LutRam, Register};
use rust_hdl_core::prelude::*;

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
    pub read_data: Signal<Out, Bits<M>>,
    /// High with the last beat of a burst.
    pub read_last: Signal<Out, Bit>,
    /// High if host memory answered the beat with an error.
    pub read_error: Signal<Out, Bit>,
    /// Reads of the responder's SGE lists.
    pub responder_list: ListReadSink,
    /// Reads of the requester's SGE lists, for requests.
    pub requester_list: ListReadSink,
    /// Reads of the requester's SGE lists, for responses.
    pub response_list: ListReadSink,
    /// Read channels of host memory.
    pub axi_read: AxiReadSource<M>,
    /// One entry for each packet in arrival order: whether it is a response, whose pieces come from the requester.
    pub order: PayloadOrderSink<QB>,
    /// Pieces that the responder writes.
    pub responder_valid: Signal<In, Bit>,
    pub responder_ready: Signal<Out, Bit>,
    pub responder_address: Signal<In, Bits<64>>,
    pub responder_length: Signal<In, Bits<13>>,
    /// `KIND_ATOMIC` of [`crate::memory::piece_queue`]: the eight bytes are read, changed by an atomic operation, and
    /// written back.
    pub responder_kind: Signal<In, Bits<2>>,
    /// High with the last piece of a packet.
    pub responder_last: Signal<In, Bit>,
    /// Pieces that the requester writes.
    pub requester_valid: Signal<In, Bit>,
    pub requester_ready: Signal<Out, Bit>,
    pub requester_address: Signal<In, Bits<64>>,
    pub requester_length: Signal<In, Bits<13>>,
    /// `KIND_ATOMIC`: an original value is written, not the payload.
    pub requester_kind: Signal<In, Bits<2>>,
    /// High with the last piece of a packet.
    pub requester_last: Signal<In, Bit>,
    /// Operands of the responder's atomics, in the order of their pieces.
    pub atomic_valid: Signal<In, Bit>,
    pub atomic_ready: Signal<Out, Bit>,
    /// High for FetchAdd, low for CompareSwap.
    pub fetch_add: Signal<In, Bit>,
    /// Value that CompareSwap compares memory with.
    pub compare: Signal<In, Bits<64>>,
    /// Value that CompareSwap writes or FetchAdd adds.
    pub swap_add: Signal<In, Bits<64>>,
    /// Index of the atomic's QP and of its resource.
    pub slot: Signal<In, Bits<RB>>,
    /// High for one cycle when an atomic is done.
    pub done_valid: Signal<Out, Bit>,
    /// High if host memory failed it.
    pub done_error: Signal<Out, Bit>,
    pub done_slot: Signal<Out, Bits<RB>>,
    /// The value that memory held before it.
    pub done_value: Signal<Out, Bits<64>>,
    /// Original values of the requester's atomics, in the order of their pieces.
    pub original_valid: Signal<In, Bit>,
    pub original_ready: Signal<Out, Bit>,
    pub original: Signal<In, Bits<64>>,
    /// High while the payload of the oldest packet is asked for.
    pub payload_command_valid: Signal<Out, Bit>,
    pub payload_command_ready: Signal<In, Bit>,
    /// High to drop the payload.
    pub payload_command_discard: Signal<Out, Bit>,
    /// High for the network header of the packet, before its payload.
    pub payload_command_prefix: Signal<Out, Bit>,
    /// High if the payload is needed again, for the next packet.
    pub payload_command_keeps: Signal<Out, Bit>,
    /// Byte 0 at the most significant end.
    pub payload_data: Signal<In, Bits<W>>,
    /// High with the last beat of a packet's payload.
    pub payload_last: Signal<In, Bit>,
    pub payload_valid: Signal<In, Bit>,
    pub payload_ready: Signal<Out, Bit>,
    /// High for one cycle when an EQE is in memory.
    pub event_written: Signal<Out, Bit>,
    /// High for one cycle when host memory has failed the write of a CQE or an EQE.
    pub host_memory_failed: Signal<Out, Bit>,
    /// Write channels of host memory.
    pub axi_write: AxiWriteSource<M, MK>,
    /// High while a command for a CQ waits; it is taken, and answered, with `cq_command_ready`.
    pub cq_command_valid: Signal<In, Bit>,
    pub cq_command_ready: Signal<Out, Bit>,
    /// Operation: 0 creates, 1 resizes, 2 destroys, 3 queries.
    pub cq_operation: Signal<In, Bits<2>>,
    pub cq_index: Signal<In, Bits<CB>>,
    /// Byte address of the ring.
    pub cq_base: Signal<In, Bits<64>>,
    /// Log2 of the number of CQEs.
    pub cq_log_size: Signal<In, Bits<4>>,
    /// High if the command is a resize to fewer CQEs than wait to be polled: nothing changes then.
    pub cq_refused: Signal<Out, Bit>,
    /// Byte address of the ring before the command.
    pub cq_answer_base: Signal<Out, Bits<64>>,
    /// Log2 of its number of CQEs.
    pub cq_answer_log_size: Signal<Out, Bits<4>>,
    /// Number of CQEs written, modulo 2^16.
    pub cq_answer_producer: Signal<Out, Bits<16>>,
    /// Number of CQEs polled, modulo 2^16.
    pub cq_answer_consumer: Signal<Out, Bits<16>>,
    /// How the CQ is armed: 0 not, 1 for solicited completions, 2 for the next completion.
    pub cq_answer_armed: Signal<Out, Bits<2>>,
    /// High if the CQ has failed.
    pub cq_answer_failed: Signal<Out, Bit>,
    /// High for one cycle when a CQ has failed: the QPs that use it have to fail, too.
    pub cq_failed_valid: Signal<Out, Bit>,
    pub cq_failed_index: Signal<Out, Bits<CB>>,
    /// High while a write of CQ_CONSUMER or CQ_ARM waits.
    pub cq_doorbell_valid: Signal<In, Bit>,
    pub cq_doorbell_ready: Signal<Out, Bit>,
    pub cq_doorbell_index: Signal<In, Bits<12>>,
    /// High for CQ_ARM, low for CQ_CONSUMER.
    pub cq_doorbell_arm: Signal<In, Bit>,
    /// What software wrote into the register.
    pub cq_doorbell_value: Signal<In, Bits<32>>,
    /// High for one cycle when the event queue starts empty, or stops.
    pub eq_control_valid: Signal<In, Bit>,
    /// High if it starts.
    pub eq_enable: Signal<In, Bit>,
    /// Byte address of its ring.
    pub eq_base: Signal<In, Bits<64>>,
    /// Log2 of its number of EQEs.
    pub eq_log_size: Signal<In, Bits<4>>,
    /// Number of EQEs that software has consumed, modulo 2^16.
    pub eq_consumer: Signal<In, Bits<16>>,
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
    pub lied: QpOfferSink<QB>,
    /// Offers a QP whose send queue is drained and whose event was asked for.
    pub drained: QpOfferSink<QB>,
    /// Events of the port ([`crate::event::PortNotices`]).
    pub port_event_valid: Signal<In, Bit>,
    pub port_event_ready: Signal<Out, Bit>,
    /// One of `host::eqe`.
    pub port_event_kind: Signal<In, Bits<8>>,
    /// Completions of receive queues.
    pub receive: Signal<In, CompletionRecord>,
    pub receive_valid: Signal<In, Bit>,
    pub receive_ready: Signal<Out, Bit>,
    /// Completions of send queues.
    pub send: Signal<In, CompletionRecord>,
    pub send_valid: Signal<In, Bit>,
    pub send_ready: Signal<Out, Bit>,
    /// Retire records of `LANE_COMPLETION` in `host::retire`.
    pub retire: ReportSource,
    /// Offers a packet that leaves spoiled because its data could not be read.
    pub fault: DataFaultSink,
    /// High for one cycle when `MODIFY_QP` takes effect.
    pub modify_valid: Signal<In, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
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
    fatals: Fifo<QB, QB>,
    /// QPs of refused Reads whose event is to be written.
    refusals: Fifo<QB, QB>,
    faults: FaultReport<QB, NQ>,
    placement: PlacementDrain,
    /// QPs of the requests that are not counted as written; deep enough for all that may be under way.
    requests_from: Fifo<QB, 8>,
    /// QPs of the responses that are not counted as written.
    responses_from: Fifo<QB, 8>,
    /// QPN of each QP, by index.
    qpns: LutRam<24, QB>,
    /// QPN of the request that is counted next, a clock late: a fault waits a clock before it is valid.
    request_qpn: Register<Bits<24>>,
    /// QPN of the response that is counted next, a clock late.
    response_qpn: Register<Bits<24>>,
}

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
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module host_memory");
        dff_setup!(self, clock, request_qpn, response_qpn);
        clock!(
            self, clock, reads, scatter, completions, faults, requests_from, responses_from, qpns, placement,
            fatals, qp_notices, refusals, events
        );
        self.reads.reset.next = self.reset.val();
        self.reads.payload_request.next = self.gather.request.val();
        self.gather.ready.next = self.reads.payload_ready.val();
        self.reads.payload_address.next = self.gather.address.val();
        self.reads.payload_beats.next = self.gather.beats.val();
        self.gather.valid.next = self.reads.payload_valid.val();
        self.reads.send_wqe_request.next = self.send_wqe.request.val();
        self.send_wqe.ready.next = self.reads.send_wqe_ready.val();
        self.reads.send_wqe_address.next = self.send_wqe.address.val();
        self.reads.send_wqe_beats.next = self.send_wqe.beats.val();
        self.send_wqe.valid.next = self.reads.send_wqe_valid.val();
        self.reads.receive_wqe_request.next = self.receive_wqe.request.val();
        self.receive_wqe.ready.next = self.reads.receive_wqe_ready.val();
        self.reads.receive_wqe_address.next = self.receive_wqe.address.val();
        self.reads.receive_wqe_beats.next = self.receive_wqe.beats.val();
        self.receive_wqe.valid.next = self.reads.receive_wqe_valid.val();
        self.read_data.next = self.reads.data.val();
        self.read_last.next = self.reads.data_last.val();
        self.read_error.next = self.reads.data_error.val();
        self.reads.responder_list_request.next = self.responder_list.request.val();
        self.responder_list.ready.next = self.reads.responder_list_ready.val();
        self.reads.responder_list_address.next = self.responder_list.address.val();
        self.responder_list.valid.next = self.reads.responder_list_valid.val();
        self.responder_list.data.next = self.reads.responder_list_data.val();
        self.reads.requester_list_request.next = self.requester_list.request.val();
        self.requester_list.ready.next = self.reads.requester_list_ready.val();
        self.reads.requester_list_address.next = self.requester_list.address.val();
        self.requester_list.valid.next = self.reads.requester_list_valid.val();
        self.requester_list.data.next = self.reads.requester_list_data.val();
        self.reads.response_list_request.next = self.response_list.request.val();
        self.response_list.ready.next = self.reads.response_list_ready.val();
        self.reads.response_list_address.next = self.response_list.address.val();
        self.response_list.valid.next = self.reads.response_list_valid.val();
        self.response_list.data.next = self.reads.response_list_data.val();
        self.reads.atomic_request.next = self.scatter.read_request.val();
        self.reads.atomic_address.next = self.scatter.read_address.val();
        AxiReadSource::<M>::link(&mut self.axi_read, &mut self.reads.axi);
        self.scatter.reset.next = self.reset.val();
        self.scatter.order_valid.next = self.order.valid.val();
        self.order.ready.next = self.scatter.order_ready.val();
        self.scatter.order_response.next = self.order.response.val();
        self.scatter.order_keeps.next = self.order.keeps.val();
        self.scatter.responder_valid.next = self.responder_valid.val();
        self.responder_ready.next = self.scatter.responder_ready.val();
        self.scatter.responder_address.next = self.responder_address.val();
        self.scatter.responder_length.next = self.responder_length.val();
        self.scatter.responder_kind.next = self.responder_kind.val();
        self.scatter.responder_last.next = self.responder_last.val();
        self.scatter.requester_valid.next = self.requester_valid.val();
        self.requester_ready.next = self.scatter.requester_ready.val();
        self.scatter.requester_address.next = self.requester_address.val();
        self.scatter.requester_length.next = self.requester_length.val();
        self.scatter.requester_kind.next = self.requester_kind.val();
        self.scatter.requester_last.next = self.requester_last.val();
        self.scatter.atomic_valid.next = self.atomic_valid.val();
        self.atomic_ready.next = self.scatter.atomic_ready.val();
        self.scatter.fetch_add.next = self.fetch_add.val();
        self.scatter.compare.next = self.compare.val();
        self.scatter.swap_add.next = self.swap_add.val();
        self.scatter.slot.next = self.slot.val();
        self.done_valid.next = self.scatter.done_valid.val();
        self.done_error.next = self.scatter.done_error.val();
        self.done_slot.next = self.scatter.done_slot.val();
        self.done_value.next = self.scatter.done_value.val();
        self.scatter.original_valid.next = self.original_valid.val();
        self.original_ready.next = self.scatter.original_ready.val();
        self.scatter.original.next = self.original.val();
        self.payload_command_valid.next = self.scatter.payload_command_valid.val();
        self.scatter.payload_command_ready.next = self.payload_command_ready.val();
        self.payload_command_discard.next = self.scatter.payload_command_discard.val();
        self.payload_command_prefix.next = self.scatter.payload_command_prefix.val();
        self.payload_command_keeps.next = self.scatter.payload_command_keeps.val();
        self.scatter.payload_data.next = self.payload_data.val();
        self.scatter.payload_last.next = self.payload_last.val();
        self.scatter.payload_valid.next = self.payload_valid.val();
        self.payload_ready.next = self.scatter.payload_ready.val();
        self.scatter.cqe_valid.next = self.completions.entry_valid.val();
        self.scatter.cqe_address.next = self.completions.entry_address.val();
        self.scatter.cqe.next = self.completions.entry.val();
        self.scatter.cqe_is_event.next = self.completions.entry_is_event.val();
        self.completions.entry_ready.next = self.scatter.cqe_ready.val();
        self.completions.answered.next = self.scatter.cqe_written.val();
        self.completions.answered_error.next = self.scatter.cqe_error.val();
        self.event_written.next = self.completions.event_written.val();
        self.host_memory_failed.next = self.completions.host_memory_failed.val();
        self.scatter.read_ready.next = self.reads.atomic_ready.val();
        self.scatter.read_valid.next = self.reads.atomic_valid.val();
        self.scatter.read_data.next = self.reads.atomic_data.val();
        self.scatter.read_error.next = self.reads.atomic_error.val();
        AxiWriteSource::<M, MK>::link(&mut self.axi_write, &mut self.scatter.axi);
        self.completions.reset.next = self.reset.val();
        self.completions.command_valid.next = self.cq_command_valid.val();
        self.cq_command_ready.next = self.completions.command_ready.val();
        self.completions.command.next = self.cq_operation.val();
        self.completions.command_index.next = self.cq_index.val();
        self.completions.command_base.next = self.cq_base.val();
        self.completions.command_log_size.next = self.cq_log_size.val();
        self.cq_refused.next = self.completions.refused.val();
        self.cq_answer_base.next = self.completions.answer.val().base;
        self.cq_answer_log_size.next = self.completions.answer.val().log_size;
        self.cq_answer_producer.next = self.completions.answer.val().producer;
        self.cq_answer_consumer.next = self.completions.answer.val().consumer;
        self.cq_answer_failed.next = self.completions.answer.val().failed;
        self.cq_answer_armed.next = self.completions.answer_armed.val();
        self.cq_failed_valid.next = self.completions.failed_valid.val();
        self.cq_failed_index.next = self.completions.failed_index.val();
        self.completions.doorbell_valid.next = self.cq_doorbell_valid.val();
        self.cq_doorbell_ready.next = self.completions.doorbell_ready.val();
        self.completions.doorbell_index.next = self.cq_doorbell_index.val();
        self.completions.doorbell_arm.next = self.cq_doorbell_arm.val();
        self.completions.doorbell_value.next = self.cq_doorbell_value.val().get_bits::<16>(0);
        self.completions.drain_mark.next = self.drain_mark.val();
        self.drain_passed.next = self.completions.drain_passed.val();
        ReportSource::link(&mut self.retire_arm, &mut self.completions.retire_arm);
        self.completions.receive.next = self.receive.val();
        self.completions.receive_valid.next = self.receive_valid.val();
        self.receive_ready.next = self.completions.receive_ready.val();
        self.completions.send.next = self.send.val();
        self.completions.send_valid.next = self.send_valid.val();
        self.send_ready.next = self.completions.send_ready.val();
        self.completions.responder_written.next = self.scatter.responder_written.val();
        self.completions.requester_written.next = self.scatter.requester_written.val();
        ReportSource::link(&mut self.retire, &mut self.completions.retire);
        self.responder_written.next = self.scatter.responder_written.val();
        self.faults.reset.next = self.reset.val();
        self.faults.data_valid.next = self.fault.valid.val();
        self.fault.ready.next = self.faults.data_ready.val();
        self.faults.data_qpn.next = self.fault.qpn.val();
        self.faults.data_psn.next = self.fault.psn.val();
        self.faults.data_response.next = self.fault.response.val();
        self.faults.data_unreliable.next = self.fault.unreliable.val();
        self.fault.first.next = self.faults.first.val();
        // Queue the QP of each packet until the packet is counted.
        self.requests_from.reset.next = self.reset.val();
        self.responses_from.reset.next = self.reset.val();
        self.qpns.write_enable.next = self.modify_valid.val();
        self.qpns.write_address.next = self.modify_index.val();
        self.qpns.write_data.next = self.modify_qpn.val();
        self.requests_from.write_valid.next =
            self.order.valid.val() && self.scatter.order_ready.val() && !self.order.response.val();
        self.requests_from.write_data.next = self.order.index.val();
        self.requests_from.read_ready.next = self.scatter.responder_counted.val();
        self.responses_from.write_valid.next =
            self.order.valid.val() && self.scatter.order_ready.val() && self.order.response.val();
        self.responses_from.write_data.next = self.order.index.val();
        self.responses_from.read_ready.next = self.scatter.requester_counted.val();
        self.qpns.read_address_a.next = self.requests_from.read_data.val();
        self.qpns.read_address_b.next = self.responses_from.read_data.val();
        self.faults.responder_valid.next = self.scatter.responder_fault_valid.val();
        self.scatter.responder_fault_ready.next = self.faults.responder_ready.val();
        self.request_qpn.d.next = self.qpns.read_data_a.val();
        self.response_qpn.d.next = self.qpns.read_data_b.val();
        self.faults.responder_qpn.next = self.request_qpn.q.val();
        self.faults.responder_atomic.next = self.scatter.responder_fault_atomic.val();
        self.faults.requester_valid.next = self.scatter.requester_fault_valid.val();
        self.scatter.requester_fault_ready.next = self.faults.requester_ready.val();
        self.faults.requester_qpn.next = self.response_qpn.q.val();
        self.faults.forget.valid.next = self.forget_valid.val();
        self.faults.forget.index.next = self.modify_index.val();
        self.placement.reset.next = self.reset.val();
        self.placement.order_valid.next = self.order.valid.val();
        self.placement.order_ready.next = self.scatter.order_ready.val();
        self.placement.order_response.next = self.order.response.val();
        self.placement.responder_counted.next = self.scatter.responder_counted.val();
        self.placement.requester_counted.next = self.scatter.requester_counted.val();
        self.placement.atomic_begins.next = self.atomic_valid.val() && self.scatter.atomic_ready.val();
        self.placement.atomic_done.next = self.scatter.done_valid.val();
        self.placement.mark.next = self.placement_mark.val();
        self.placement_passed.next = self.placement.passed.val();
        self.completions.broken.next = self.faults.broken.val();
        self.completions.bears.next = self.faults.bears.val();
        self.faults.borne_valid.next = self.completions.borne.valid.val();
        self.faults.borne_index.next = self.completions.borne.index.val();
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.faults.fail);
        ReportSource::link(&mut self.retire_fault, &mut self.faults.retire);

        // Events.
        self.fatals.reset.next = self.reset.val();
        self.fatals.write_valid.next = self.faults.fail.valid.val() && self.fail.ready.val();
        self.fatals.write_data.next = self.faults.fail.index.val();
        self.qp_notices.reset.next = self.reset.val();
        self.qp_notices.modify_valid.next = self.modify_valid.val() || self.forget_valid.val();
        self.qp_notices.modify_index.next = self.modify_index.val();
        self.qp_notices.modify_qpn.next = self.modify_qpn.val();
        self.qp_notices.modify_resets.next = self.forget_valid.val();
        QpNoticeSink::<QB>::link(&mut self.request_event, &mut self.qp_notices.request);
        self.refusals.reset.next = self.reset.val();
        self.refusals.write_valid.next = self.refused.valid.val();
        self.refusals.write_data.next = self.refused.index.val();
        self.qp_notices.refused.valid.next = self.refusals.read_valid.val();
        self.refusals.read_ready.next = self.qp_notices.refused.ready.val();
        self.qp_notices.refused.index.next = self.refusals.read_data.val();
        self.qp_notices.fatal_valid.next = self.fatals.read_valid.val();
        self.fatals.read_ready.next = self.qp_notices.fatal_ready.val();
        self.qp_notices.fatal_index.next = self.fatals.read_data.val();
        QpOfferSink::<QB>::link(&mut self.lied, &mut self.qp_notices.lied);
        self.qp_notices.drained_valid.next = self.drained.valid.val();
        self.drained.ready.next = self.qp_notices.drained_ready.val();
        self.qp_notices.drained_index.next = self.drained.index.val();
        self.events.reset.next = self.reset.val();
        self.events.control_valid.next = self.eq_control_valid.val();
        self.events.enable.next = self.eq_enable.val();
        self.events.base.next = self.eq_base.val();
        self.events.log_size.next = self.eq_log_size.val();
        self.events.consumer.next = self.eq_consumer.val();
        self.events.cq_valid.next = self.completions.event_valid.val();
        self.completions.event_ready.next = self.events.cq_ready.val();
        self.events.cq_kind.next = self.completions.event_kind.val();
        self.events.cq_index.next = self.completions.event_index.val();
        self.events.qp_valid.next = self.qp_notices.event_valid.val();
        self.qp_notices.event_ready.next = self.events.qp_ready.val();
        self.events.qp_kind.next = self.qp_notices.event_kind.val();
        self.events.qpn.next = self.qp_notices.event_qpn.val();
        self.events.port_valid.next = self.port_event_valid.val();
        self.port_event_ready.next = self.events.port_ready.val();
        self.events.port_kind.next = self.port_event_kind.val();
        self.completions.eqe_valid.next = self.events.eqe_valid.val();
        self.events.eqe_ready.next = self.completions.eqe_ready.val();
        self.completions.eqe_address.next = self.events.eqe_address.val();
        self.completions.eqe.next = self.events.eqe.val();
        ReportSource::link(&mut self.retire_event, &mut self.events.retire);
    }
}
