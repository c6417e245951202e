//! Decides what to do with a request of UC: the checks of `protocol/uc.md` section 3 steps 8 to 14 in their order.
use crate::drop_reasons::DropReasons;
use crate::receive::RequestArrival;
use crate::responder::{RequestFlags, RequestVerdict};
use hca_hdl::prelude::*;

/// Pure function; the first check that fails decides. The key of a Write is checked after it (step 13), and before step
/// 14; the keys of a receive WQE are checked last (step 15).
#[derive(LogicBlock, SmartDefault)]
pub struct UcDecision {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Results of its checks.
    pub flags: Signal<In, RequestFlags>,
    /// High if a Send is open.
    pub open_send: Signal<In, Bit>,
    /// High if a Write is open.
    pub open_write: Signal<In, Bit>,
    /// Bytes that the receive WQE has room for.
    pub wqe_length: Signal<In, Bits<32>>,
    /// The decision on the request.
    pub verdict: Signal<Out, RequestVerdict>,
    /// High if keys are walked: the verdict stands unless one of them fails. The walk is requested one cycle before
    /// `wqe_length` is known, so this does not depend on it.
    pub passes: Signal<Out, Bit>,
    hides_state: Signal<Local, Bit>,
    continues: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    lacks_wqe: Signal<Local, Bit>,
    /// Every field 0.
    #[default(Constant::new(RequestVerdict::default()))]
    nothing: Constant<RequestVerdict>,
    why: DropReasons,
}

#[kernel]
impl Logic for UcDecision {
    fn update(&mut self) {
        self.verdict.next = self.nothing.val();
        self.verdict.next.drop = true;
        self.verdict.next.drop_reason = self.why.qp_state.val();
        self.passes.next = false;
        // A QP that has failed since admission drops the packet at step 5, before steps 6 and 7.
        self.hides_state.next = (self.arrival.val().drop_reason == self.why.source.val())
            || (self.arrival.val().drop_reason == self.why.p_key.val());
        self.continues.next = (self.flags.val().send && self.open_send.val())
            || (self.flags.val().write && self.open_write.val());
        self.fits.next = self.flags.val().total <= bit_cast::<33, 32>(self.wqe_length.val());
        self.lacks_wqe.next = self.flags.val().takes_wqe && !self.flags.val().posted;
        if self.arrival.val().drop && (self.flags.val().receives || !self.hides_state.val()) {
            // Steps 1 to 7, as admission found.
            self.verdict.next.drop_reason = self.arrival.val().drop_reason;
        } else if !self.flags.val().receives {
            // Step 5.
        } else if !self.flags.val().begins && (!self.flags.val().expected || !self.continues.val()) {
            // Steps 8 and 9, CF211 to CF214, CF298.
            self.verdict.next.drop_reason = self.why.unreliable_sequence.val();
        } else if !self.flags.val().enabled {
            // Step 10, CF299.
            self.verdict.next.drop_reason = self.why.unreliable_access.val();
        } else if self.flags.val().send && self.lacks_wqe.val() {
            // Step 11, CF215. `not_ready` has the steps wait if a WQE is being fetched.
            self.verdict.next.drop_reason = self.why.no_receive_wqe.val();
            self.verdict.next.not_ready = true;
        } else if !self.flags.val().length_legal {
            // Step 12, CF303.
            self.verdict.next.drop_reason = self.why.unreliable_length.val();
        } else if self.flags.val().send && !self.fits.val() {
            // Step 12, CF304. The walk has begun by the time that the WQE is read.
            self.passes.next = true;
            self.verdict.next.drop_reason = self.why.unreliable_length.val();
        } else if self.lacks_wqe.val() {
            // Step 14, CF302; the key of step 13 is still checked first.
            self.passes.next = true;
            self.verdict.next.drop_reason = self.why.no_receive_wqe.val();
            self.verdict.next.not_ready = true;
        } else {
            self.passes.next = true;
            self.verdict.next.drop = false;
            self.verdict.next.execute = true;
        }
    }
}
