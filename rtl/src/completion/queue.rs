//! Completion queues: their contexts, the places of completions in the rings, and the operations of software.
use super::{
    CompletionBarrier, CompletionFault, CompletionRecord, CompletionsWaiting, CqContexts, CqEffect,
    CqNotices, CqOperation, CqPlace, CqReport, CqeLayout, EntriesInFlight, NoticeChange,
};
use crate::bundle::{
    CqCommandSink, CqDoorbellSink, EqeSink, EventSource, QpPulseSource, ReportSource, RingEntrySource,
};
use hca_hdl::prelude::*;

/// Carries out one operation every two cycles, in the order in which it takes them: a completion, or an operation of
/// software.
///
/// An operation is taken in one cycle, its context is read in the next and decided on in the one after it, in which the
/// next operation is taken; the context is kept for a next operation on the same CQ. After a reset no CQ exists. `CB`:
/// CQ index bits, at most 12; `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, Default)]
pub struct CompletionQueue<const CB: usize, const QB: usize, const NQ: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Commands, which wait until they are carried out.
    pub command: CqCommandSink<CB>,
    /// Doorbells; one for a CQ that does not exist is taken without effect.
    pub doorbell: CqDoorbellSink,

    /// Completions of receive queues.
    pub receive: OfferSink<CompletionRecord>,
    /// Completions of send queues.
    pub send: OfferSink<CompletionRecord>,

    /// Number of requests that are in memory, modulo 2^16.
    pub responder_written: Signal<In, Bits<16>>,
    /// Number of responses that are in memory, modulo 2^16.
    pub requester_written: Signal<In, Bits<16>>,

    /// One bit a QP: high if host memory has failed it, so that none of its completions is a success.
    pub broken: Signal<In, Bits<NQ>>,
    /// One bit a QP: high if its oldest send WQE is to get the fault.
    pub takes_fault: Signal<In, Bits<NQ>>,
    /// High for one cycle when the oldest send WQE of this QP has its completion.
    pub fault_taken: QpPulseSource<QB>,

    /// EQEs to be written.
    pub eqe: EqeSink,
    /// Entries for the write port.
    pub entry: RingEntrySource,
    /// High for one cycle when the oldest entry is acknowledged, in error or not.
    pub answered: Signal<In, Bit>,
    /// With `answered`: high if the entry is acknowledged with an error.
    pub answered_error: Signal<In, Bit>,
    /// High for one cycle when an EQE is in memory.
    pub event_written: Signal<Out, Bit>,
    /// High for one cycle when host memory has failed a CQE or an EQE.
    pub host_memory_failed: Signal<Out, Bit>,

    /// Events of CQs.
    pub event: EventSource<CB>,
    /// High for one cycle when the wait for completions starts.
    pub drain_mark: Signal<In, Bit>,
    /// High once the completions that had come in at the mark are in memory or lost.
    pub drain_passed: Signal<Out, Bit>,

    /// Retire records of `LANE_COMPLETION` in `host::retire`.
    pub retire: ReportSource,
    /// Retire records of `LANE_ARM`.
    pub retire_arm: ReportSource,

    waiting: CompletionsWaiting,
    contexts: CqContexts<CB>,
    fault: CompletionFault<QB, NQ>,
    place: CqPlace,
    effect: CqEffect,
    layout: CqeLayout,
    in_flight: EntriesInFlight<CB>,
    notices: CqNotices<CB>,
    report: CqReport<CB>,
    barrier: CompletionBarrier,

    loads: Register<Bit>,
    decides: Register<Bit>,
    /// High if the operation that is decided on is a command, which takes one cycle.
    commanded: Register<Bit>,
    operation: Register<CqOperation>,
    record: Register<CompletionRecord>,
    consumer: Register<Bits<16>>,
    /// High one cycle after a CQ has failed. Registered for timing: the failure settles late in the clock. No command
    /// is answered in this cycle.
    fails: Register<Bit>,
    fails_index: Register<Bits<CB>>,
    // The CQE on its way to memory.
    entry_filled: Register<Bit>,
    cqe: Register<Bits<256>>,
    cqe_address: Register<Bits<64>>,
    cqe_index: Register<Bits<CB>>,
    cqe_solicited: Register<Bit>,

    /// High from the second cycle of a consumer doorbell on, until it is taken.
    rings: Register<Bit>,
    in_range: Signal<Local, Bit>,
    consumes: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    takes_consumer: Signal<Local, Bit>,
    takes_command: Signal<Local, Bit>,
    takes_completion: Signal<Local, Bit>,
    /// CQ of the next operation if that is a completion of a receive queue, or no completion.
    next_receive: Signal<Local, Bits<CB>>,
    /// CQ of the next operation if that is a completion of a send queue, or no completion.
    next_send: Signal<Local, Bits<CB>>,
    next_index: Signal<Local, Bits<CB>>,
    room: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

#[kernel]
impl<const CB: usize, const QB: usize, const NQ: usize> Logic for CompletionQueue<CB, QB, NQ> {
    fn update(&mut self) {
        clock_and_reset!(self, waiting, contexts, in_flight, notices, barrier);
        OfferSink::<CompletionRecord>::link(&mut self.receive, &mut self.waiting.receive);
        OfferSink::<CompletionRecord>::link(&mut self.send, &mut self.waiting.send);
        inputs!(self.waiting, responder_written, requester_written);

        // Select the operation. Operations of software go before completions, since they are rare.
        self.in_range.next =
            bit_cast::<12, CB>(self.doorbell.index.val().get_bits::<CB>(0)) == self.doorbell.index.val();
        self.consumes.next = self.rings.q.val();
        self.completes.next = self.operation.q.val() == CqOperation::Complete;
        self.commanded.d.next = self.loads.q.val()
            && !self.completes.val()
            && (self.operation.q.val() != CqOperation::Consume)
            && !self.reset.val();
        // At least two clocks lie between two entries.
        self.room.next = !self.entry_filled.q.val();
        self.ends.next = self.decides.q.val() && (!self.completes.val() || self.room.val());
        self.takes.next = !self.contexts.clearing.val()
            && !self.loads.q.val()
            && (!self.decides.q.val() || self.ends.val());
        self.takes_consumer.next = self.takes.val() && self.consumes.val();
        self.rings.d.next = self.doorbell.valid.val()
            && !self.doorbell.arm.val()
            && self.in_range.val()
            && !self.takes_consumer.val()
            && !self.reset.val();
        self.takes_command.next =
            self.takes.val() && self.command.valid.val() && !self.commanded.q.val() && !self.consumes.val();
        self.takes_completion.next = self.takes.val()
            && self.waiting.due_valid.val()
            && !self.consumes.val()
            && (!self.command.valid.val() || self.commanded.q.val());
        self.waiting.due_ready.next =
            self.takes.val() && !self.consumes.val() && (!self.command.valid.val() || self.commanded.q.val());
        self.next_receive.next = self.waiting.receive_cqn.val().get_bits::<CB>(0);
        self.next_send.next = self.waiting.send_cqn.val().get_bits::<CB>(0);
        if self.takes_command.val() {
            outputs!(self.command, next_receive: index, next_send: index);
        }
        if self.consumes.val() {
            self.next_receive.next = self.doorbell.index.val().get_bits::<CB>(0);
            self.next_send.next = self.doorbell.index.val().get_bits::<CB>(0);
        }
        self.next_index.next = self.next_send.val();
        if self.waiting.due_receive.val() {
            self.next_index.next = self.next_receive.val();
        }
        self.contexts.next_index.next = self.next_index.val();
        if self.ends.val() {
            self.decides.d.next = false;
        }
        self.begins.next =
            self.takes_consumer.val() || self.takes_command.val() || self.takes_completion.val();
        self.contexts.takes.next = self.begins.val();
        self.loads.d.next = self.begins.val();
        if self.takes.val() {
            self.record.d.next = self.waiting.due.val();
            self.consumer.d.next = self.doorbell.value.val().get_bits::<16>(0);
            self.operation.d.next = CqOperation::Complete;
        }
        if self.takes_consumer.val() {
            self.operation.d.next = CqOperation::Consume;
        }
        if self.takes_command.val() {
            self.operation.d.next = CqOperation::Create;
            if self.command.operation.val() == 1 {
                self.operation.d.next = CqOperation::Resize;
            }
            if self.command.operation.val() == 2 {
                self.operation.d.next = CqOperation::Destroy;
            }
            if self.command.operation.val() == 3 {
                self.operation.d.next = CqOperation::Query;
            }
        }
        self.contexts.loads.next = self.loads.q.val();
        if self.loads.q.val() {
            self.decides.d.next = true;
        }

        // The result of the operation.
        self.place.context.next = self.contexts.context.val();
        inputs!(self.effect, context: contexts.context, operation: operation.q, writes: place.writes);
        self.effect.fails.next = self.completes.val() && self.place.fails.val();
        inputs!(self.effect, consumer: consumer.q, base: command.base, log_size: command.log_size);
        inputs!(self.contexts, ends, changed: effect.changed);
        inputs!(self.command, ready: commanded.q, refused: effect.refused);
        self.command.answer_base.next = self.contexts.context.val().base;
        self.command.answer_log_size.next = self.contexts.context.val().log_size;
        self.command.answer_producer.next = self.contexts.context.val().producer;
        self.command.answer_consumer.next = self.contexts.context.val().consumer;
        self.command.answer_failed.next = self.contexts.context.val().failed;
        self.command.answer_armed.next = self.notices.armed.val();
        self.command.failed_valid.next = self.ends.val() && self.completes.val() && self.place.fails.val();
        self.command.failed_index.next = self.contexts.index.val();

        // A completion.
        inputs!(self.fault, record: record.q, broken, takes_fault);
        inputs!(self.layout, record: fault.judged, phase: place.phase);
        self.fault_taken.valid.next = self.ends.val() && self.completes.val() && !self.record.q.val().receive;
        self.fault_taken.index.next = self.record.q.val().qpn.get_bits::<QB>(0);
        if self.in_flight.cqe_ready.val() {
            self.entry_filled.d.next = false;
        }
        if self.ends.val() && self.completes.val() {
            self.entry_filled.d.next = self.place.writes.val();
            self.cqe.d.next = self.layout.cqe.val();
            self.cqe_address.d.next = self.place.address.val();
            self.cqe_index.d.next = self.contexts.index.val();
            self.cqe_solicited.d.next = self.layout.solicited.val();
        }
        inputs!(self.in_flight, cqe_valid: entry_filled.q, cqe_address: cqe_address.q, cqe: cqe.q);
        inputs!(self.in_flight, cqe_index: cqe_index.q, cqe_solicited: cqe_solicited.q);
        EqeSink::link(&mut self.eqe, &mut self.in_flight.eqe);
        inputs!(self.in_flight, answered, answered_error);
        RingEntrySource::link(&mut self.entry, &mut self.in_flight.entry);
        outputs!(self.in_flight, event_written, host_memory_failed: failed);

        // Notices.
        self.fails.d.next = self.command.failed_valid.val();
        self.fails_index.d.next = self.contexts.index.val();
        self.notices.change_valid.next = self.commanded.q.val() || self.fails.q.val();
        self.notices.change.next = NoticeChange::Query;
        self.notices.change_index.next = self.contexts.index.val();
        if self.operation.q.val() == CqOperation::Create {
            self.notices.change.next = NoticeChange::Create;
        }
        if self.operation.q.val() == CqOperation::Destroy {
            self.notices.change.next = NoticeChange::Destroy;
        }
        if self.fails.q.val() {
            self.notices.change_index.next = self.fails_index.q.val();
            self.notices.change.next = NoticeChange::Fail;
        }
        self.notices.written_valid.next = self.in_flight.cqe_written_valid.val();
        self.in_flight.cqe_written_ready.next = self.notices.written_ready.val();
        self.notices.written_index.next = self.in_flight.cqe_written_index.val();
        self.notices.written_solicited.next = self.in_flight.cqe_written_solicited.val();
        self.notices.arm_valid.next =
            self.doorbell.valid.val() && self.doorbell.arm.val() && self.in_range.val();
        self.notices.arm_comes.next = self.doorbell.valid.val() && self.doorbell.arm.val();
        // Whether the CQ fails settles late in the clock.
        self.notices.may_fail.next = self.ends.val() && self.completes.val();
        self.notices.arm_index.next = self.doorbell.index.val().get_bits::<CB>(0);
        self.notices.arm_solicited.next = self.doorbell.value.val().get_bit(0);
        self.doorbell.ready.next = self.takes_consumer.val();
        if self.doorbell.arm.val() {
            self.doorbell.ready.next = self.notices.arm_ready.val();
        }
        if !self.in_range.val() {
            self.doorbell.ready.next = true;
        }
        EventSource::<CB>::link(&mut self.event, &mut self.notices.event);

        // Drain.
        wires!(self.waiting, self.barrier, receive_enters, send_enters);
        self.barrier.receive_leaves.next =
            self.ends.val() && self.completes.val() && self.record.q.val().receive;
        self.barrier.send_leaves.next =
            self.ends.val() && self.completes.val() && !self.record.q.val().receive;
        self.barrier.written.next = self.ends.val() && self.completes.val() && self.place.writes.val();
        inputs!(self.barrier, acknowledged: in_flight.cqe_acknowledged, mark: drain_mark);
        self.drain_passed.next = self.barrier.passed.val();

        // Reports.
        inputs!(self.report, record: fault.judged, lost: place.lost);
        self.report.consumes.next = self.operation.q.val() == CqOperation::Consume;
        inputs!(self.report, index: contexts.index, consumer: consumer.q);
        self.retire.record.next = self.report.retired.val();
        self.retire.valid.next = false;
        if self.completes.val() {
            self.retire.valid.next = self.ends.val() && (self.place.writes.val() || self.place.lost.val());
        }
        if self.operation.q.val() == CqOperation::Consume {
            self.retire.valid.next = self.ends.val() && self.contexts.context.val().exists;
        }
        ReportSource::link(&mut self.retire_arm, &mut self.notices.retire);

        if self.contexts.clearing.val() {
            self.notices.change_valid.next = true;
            self.notices.change.next = NoticeChange::Clear;
            self.notices.change_index.next = self.contexts.clear_index.val();
        }
        if self.reset.val() {
            clear!(self, loads, decides, entry_filled, fails);
        }
    }
}
