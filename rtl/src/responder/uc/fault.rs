//! Forms the verdict on a request of UC whose keys fail (`protocol/uc.md` section 3 steps 13 and 15).
use crate::completion::CqeStatuses;
use crate::drop_reasons::DropReasons;
use crate::responder::RequestVerdict;
use hca_hdl::prelude::*;

/// Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct UcFault {
    /// `FAULT_*` of the walker.
    pub fault: Signal<In, Bits<2>>,
    /// High if the request is a Send.
    pub send: Signal<In, Bit>,
    /// High if the packet takes a receive WQE.
    pub takes_wqe: Signal<In, Bit>,
    /// The decision on the request.
    pub verdict: Signal<Out, RequestVerdict>,
    /// Every field 0.
    #[default(Constant::new(RequestVerdict::default()))]
    nothing: Constant<RequestVerdict>,
    why: DropReasons,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for UcFault {
    fn update(&mut self) {
        self.verdict.next = self.nothing.val();
        // Step 13, CF216, CF300: the key of a Write.
        self.verdict.next.drop = true;
        self.verdict.next.drop_reason = self.why.unreliable_access.val();
        self.verdict.next.status = self.statuses.loc_qp_op_err.val();
        if self.send.val() {
            // Step 15, CF305: the receive WQE.
            self.verdict.next.drop = false;
            self.verdict.next.refuse = true;
            self.verdict.next.fatal = true;
            self.verdict.next.took_wqe = self.takes_wqe.val();
            if self.fault.val().get_bit(1) {
                self.verdict.next.status = self.statuses.loc_prot_err.val();
            }
        }
    }
}
