//! Reports the queue pairs that host memory has failed.
use crate::bundle::{DataFaultSink, QpOfferSource, QpPulseSink, ReportSource};
use crate::retire::{kind_code, RetireRecord};
use hca_hdl::prelude::*;
use hca_host::retire::{kind, memory_fault};

/// Takes one error of host memory a cycle, reports it, and has the QP moved to Error if this is its first error that
/// does so.
///
/// The protocol is silent about such errors; by our decision (AD) no completion that is not yet written reports
/// success, and the oldest send WQE gets the fault of an access by the requester. `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, SmartDefault)]
pub struct FaultReport<const QB: usize, const NQ: usize> {
    #[default(provided(NQ == 1 << QB, "NQ == 1 << QB"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Failed reads of the payload of departing packets. A request of an unreliable service fails its own send queue
    /// alone (`protocol/uc.md` section 2).
    pub data: DataFaultSink,
    /// High while a failed access to host memory for an incoming request is to be reported.
    pub responder_valid: Signal<In, Bit>,
    /// High in a cycle in which that fault is taken.
    pub responder_ready: Signal<Out, Bit>,
    /// QPN of the request.
    pub responder_qpn: Signal<In, Bits<24>>,
    /// High for the access of an atomic.
    pub responder_atomic: Signal<In, Bit>,
    /// High while a failed write of the payload of an incoming response is to be reported.
    pub requester_valid: Signal<In, Bit>,
    /// High in a cycle in which that fault is taken.
    pub requester_ready: Signal<Out, Bit>,
    /// QPN of the response.
    pub requester_qpn: Signal<In, Bits<24>>,
    /// High for one cycle when a QP is in Reset: its faults are forgotten.
    pub forget: QpPulseSink<QB>,

    /// One bit a QP: high if a fault has moved it to Error.
    pub broken: Signal<Out, Bits<NQ>>,
    /// One bit a QP: high if its oldest send WQE is to get the fault, until `fault_taken_valid`.
    pub takes_fault: Signal<Out, Bits<NQ>>,
    /// Names a QP when the CQE of its send WQE that got the fault is written.
    pub fault_taken: QpPulseSink<QB>,
    /// Offers a QP that has to move to Error.
    pub fail: QpOfferSource<QB>,
    /// Records of faults (`host::retire`).
    pub retire: ReportSource,

    fails: Fifo<Bits<QB>, QB>,
    failed: Register<Bits<NQ>>,
    fault_waits: Register<Bits<NQ>>,

    qpn: Signal<Local, Bits<24>>,
    index: Signal<Local, Bits<QB>>,
    data_index: Signal<Local, Bits<QB>>,
    responder_index: Signal<Local, Bits<QB>>,
    requester_index: Signal<Local, Bits<QB>>,
    own: Signal<Local, Bits<NQ>>,
    blamed: Signal<Local, Bits<NQ>>,
    fault_over: Signal<Local, Bits<NQ>>,
    forgotten: Signal<Local, Bits<NQ>>,
    takes: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    requesters: Signal<Local, Bit>,
    #[default(constant(1))]
    one: Constant<Bits<NQ>>,
    #[default(kind_code(kind::MEMORY_FAULT, memory_fault::REQUEST_DATA))]
    request_data: Constant<RetireRecord>,
    #[default(kind_code(kind::MEMORY_FAULT, memory_fault::RESPONSE_DATA))]
    response_data: Constant<RetireRecord>,
    #[default(kind_code(kind::MEMORY_FAULT, memory_fault::REQUEST_PLACEMENT))]
    request_placement: Constant<RetireRecord>,
    #[default(kind_code(kind::MEMORY_FAULT, memory_fault::RESPONSE_PLACEMENT))]
    response_placement: Constant<RetireRecord>,
    #[default(kind_code(kind::MEMORY_FAULT, memory_fault::ATOMIC))]
    atomic: Constant<RetireRecord>,
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for FaultReport<QB, NQ> {
    fn update(&mut self) {
        clock!(self, clock, fails);
        self.fails.reset.next = self.reset.val();

        self.data.ready.next = self.fails.write.ready.val();
        self.responder_ready.next = self.fails.write.ready.val() && !self.data.valid.val();
        self.requester_ready.next =
            self.fails.write.ready.val() && !self.data.valid.val() && !self.responder_valid.val();
        self.takes.next = self.fails.write.ready.val()
            && (self.data.valid.val() || self.responder_valid.val() || self.requester_valid.val());
        self.qpn.next = self.requester_qpn.val();
        self.requesters.next = true;
        self.retire.record.next = self.response_placement.val();
        if self.responder_valid.val() {
            self.qpn.next = self.responder_qpn.val();
            self.requesters.next = false;
            self.retire.record.next = self.request_placement.val();
            if self.responder_atomic.val() {
                self.retire.record.next = self.atomic.val();
            }
        }
        if self.data.valid.val() {
            self.qpn.next = self.data.qpn.val();
            self.requesters.next = !self.data.response.val();
            self.retire.record.next = self.request_data.val();
            if self.data.response.val() {
                self.retire.record.next = self.response_data.val();
            }
            self.retire.record.next.psn = self.data.psn.val();
        }
        self.retire.valid.next = self.takes.val();
        self.retire.record.next.qpn = self.qpn.val();
        self.index.next = self.qpn.val().get_bits::<QB>(0);
        self.data_index.next = self.data.qpn.val().get_bits::<QB>(0);
        self.responder_index.next = self.responder_qpn.val().get_bits::<QB>(0);
        self.requester_index.next = self.requester_qpn.val().get_bits::<QB>(0);
        // Each case is looked up at once: which of them is needed settles late in the clock.
        self.is_first.next = !self.failed.q.val().get_bit(self.requester_index.val().index());
        if self.responder_valid.val() {
            self.is_first.next = !self.failed.q.val().get_bit(self.responder_index.val().index());
        }
        if self.data.valid.val() {
            self.is_first.next =
                !self.failed.q.val().get_bit(self.data_index.val().index()) && !self.data.unreliable.val();
        }
        self.data.first.next = self.is_first.val();
        self.own.next = bits::<NQ>(0);
        if self.takes.val() && self.is_first.val() {
            self.own.next = self.one.val() << self.index.val();
        }

        self.blamed.next = bits::<NQ>(0);
        if self.requesters.val() {
            self.blamed.next = self.own.val();
        }
        self.fault_over.next = bits::<NQ>(0);
        if self.fault_taken.valid.val() {
            self.fault_over.next = self.one.val() << self.fault_taken.index.val();
        }
        self.forgotten.next = bits::<NQ>(0);
        if self.forget.valid.val() {
            self.forgotten.next = self.one.val() << self.forget.index.val();
        }
        self.failed.d.next = (self.failed.q.val() | self.own.val()) & !self.forgotten.val();
        self.fault_waits.d.next =
            ((self.fault_waits.q.val() & !self.fault_over.val()) | self.blamed.val()) & !self.forgotten.val();
        self.broken.next = self.failed.q.val();
        self.takes_fault.next = self.fault_waits.q.val();

        self.fails.write.valid.next = self.takes.val() && self.is_first.val();
        self.fails.write.item.next = self.index.val();
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.fails.read);

        if self.reset.val() {
            clear!(self, failed, fault_waits);
        }
    }
}
