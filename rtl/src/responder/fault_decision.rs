//! Forms the verdict on an accepted request whose keys or receive WQE fail (`protocol/responder.md` section 1 steps 14
//! and 15).
use super::RequestVerdict;
use crate::completion::CqeStatuses;
use hca_hdl::prelude::*;

/// Pure function. With `invalidates`, the R_Key that a Send is to invalidate has failed; else the receive WQE of a
/// Send, or the RETH or AtomicETH of another request.
#[derive(LogicBlock, SmartDefault)]
pub struct FaultDecision {
    /// `FAULT_*` of the walker.
    pub fault: Signal<In, Bits<2>>,
    /// High if the request is a Send.
    pub send: Signal<In, Bit>,
    /// High if the packet is the first or only one of its message.
    pub begins: Signal<In, Bit>,
    /// High if the R_Key to invalidate has failed.
    pub invalidates: Signal<In, Bit>,
    /// The decision on the request.
    pub verdict: Signal<Out, RequestVerdict>,
    /// Every field 0.
    #[default(Constant::new(RequestVerdict::default()))]
    nothing: Constant<RequestVerdict>,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for FaultDecision {
    fn update(&mut self) {
        comment!("@module request_fault_decision");
        self.verdict.next = self.nothing.val();
        self.verdict.next.refuse = true;
        self.verdict.next.fatal = true;
        self.verdict.next.took_wqe = self.send.val() && self.begins.val();
        // Step 14, CF085 to CF088: the peer's fault; no receive WQE is open nor taken (CF093).
        self.verdict.next.syndrome = bits::<8>(0x62);
        self.verdict.next.status = self.statuses.rem_inv_req_err.val();
        if self.send.val() {
            // Step 15, CF091: the receive WQE's.
            self.verdict.next.syndrome = bits::<8>(0x63);
            self.verdict.next.status = self.statuses.loc_qp_op_err.val();
            if self.fault.val().get_bit(1) {
                self.verdict.next.status = self.statuses.loc_prot_err.val();
            }
        }
        if self.invalidates.val() {
            // Section 5, last lines: a failed invalidate has no answer.
            self.verdict.next.syndrome = bits::<8>(0);
            self.verdict.next.silent = true;
            self.verdict.next.status = self.statuses.rem_inv_req_err.val();
        }
    }
}
