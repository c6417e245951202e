//! Completions of queue pairs that host memory has failed.
use super::{CompletionRecord, CqeStatuses};
use hca_hdl::prelude::*;
use hca_host::cqe;

/// No completion of a QP that host memory has failed is a success, and its oldest send WQE gets the fault. Pure
/// function.
#[derive(LogicBlock, SmartDefault)]
pub struct CompletionFault<const QB: usize, const NQ: usize> {
    /// The completion.
    pub record: Signal<In, CompletionRecord>,
    /// One bit a QP: high if host memory has failed it.
    pub broken: Signal<In, Bits<NQ>>,
    /// One bit a QP: high if its oldest send WQE is to get the fault.
    pub takes_fault: Signal<In, Bits<NQ>>,
    /// The completion as it is written.
    pub judged: Signal<Out, CompletionRecord>,
    queue_pair: Signal<Local, Bits<QB>>,
    status: Signal<Local, Bits<8>>,
    /// The fields of an unsuccessful completion except the status: CQN, QPN, WQE, queue, operation.
    #[default(constant(((1u128 << 56) - 1) | (0x1FF << 64)))]
    always_defined: Constant<Bits<261>>,
    #[default(constant((cqe::LOC_QP_OP_ERR as u128) << 56))]
    loc_qp_op_err: Constant<Bits<261>>,
    statuses: CqeStatuses,
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for CompletionFault<QB, NQ> {
    fn update(&mut self) {
        self.queue_pair.next = self.record.val().qpn.get_bits::<QB>(0);
        self.status.next = self.record.val().status;
        self.judged.next = self.record.val();
        if (!self.status.val().any() && self.broken.val().get_bit(self.queue_pair.val().index()))
            || ((self.status.val() == self.statuses.wr_flush_err.val())
                && !self.record.val().receive
                && self.takes_fault.val().get_bit(self.queue_pair.val().index()))
        {
            self.judged.next = ((bit_cast::<261, 261>(self.record.val().into()) & self.always_defined.val())
                | self.loc_qp_op_err.val())
            .into();
        }
    }
}
