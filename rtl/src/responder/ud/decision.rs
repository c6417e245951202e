//! Decides what to do with a datagram: the checks of `protocol/ud.md` section 3.1 steps 4 to 13 in their order, for QP0
//! and QP1 those of `special_qps.md` section 3 steps 6 to 13.
use crate::completion::CqeStatuses;
use crate::drop_reasons::DropReasons;
use crate::receive::RequestArrival;
use crate::responder::{RequestFlags, RequestVerdict};
use hca_hdl::prelude::*;

/// Pure function; the first check that fails decides. Keys are checked later (step 14).
#[derive(LogicBlock, SmartDefault)]
pub struct UdDecision {
    /// The datagram.
    pub arrival: Signal<In, RequestArrival>,
    /// Results of its checks.
    pub flags: Signal<In, RequestFlags>,
    /// Bytes that the receive WQE has room for.
    pub wqe_length: Signal<In, Bits<32>>,
    /// The decision on the datagram.
    pub verdict: Signal<Out, RequestVerdict>,
    /// High if the datagram is executed unless its keys, or the receive WQE's length, forbid it. It does not depend on
    /// the receive WQE.
    pub passes: Signal<Out, Bit>,
    general: Signal<Local, Bit>,
    of_keys: Signal<Local, Bit>,
    hides_state: Signal<Local, Bit>,
    hides_length: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    /// Every field 0.
    #[default(Constant::new(RequestVerdict::default()))]
    nothing: Constant<RequestVerdict>,
    statuses: CqeStatuses,
    why: DropReasons,
}

#[kernel]
impl Logic for UdDecision {
    fn update(&mut self) {
        self.verdict.next = self.nothing.val();
        self.verdict.next.drop = true;
        self.verdict.next.drop_reason = self.why.qp_state.val();
        self.verdict.next.status = self.statuses.loc_qp_op_err.val();
        self.passes.next = false;
        // A QP that has failed since admission drops the packet at step 6, before those behind it; what was refused
        // for its group has no QP.
        self.general.next = self.arrival.val().general;
        self.of_keys.next = (self.arrival.val().drop_reason == self.why.p_key.val())
            || (self.arrival.val().drop_reason == self.why.q_key.val());
        self.hides_state.next = self.of_keys.val()
            || (!self.general.val()
                && (!self.arrival.val().grouped || self.arrival.val().copy)
                && (self.arrival.val().drop_reason == self.why.dlid.val()));
        // The length of a packet to QP1 counts before its keys.
        self.hides_length.next = self.general.val() && self.of_keys.val() && !self.flags.val().length_legal;
        self.fits.next = self.flags.val().total <= bit_cast::<33, 32>(self.wqe_length.val());
        if self.arrival.val().drop
            && !self.hides_length.val()
            && (self.flags.val().receives || !self.hides_state.val())
        {
            // Steps 4 to 10, as admission found.
            self.verdict.next.drop_reason = self.arrival.val().drop_reason;
        } else if !self.flags.val().receives {
            // Step 6.
        } else if !self.flags.val().length_legal {
            // Step 11; of QP0 and QP1 step 9.
            self.verdict.next.drop_reason = self.why.payload_length.val();
        } else if !self.flags.val().posted {
            // Step 12: unless a WQE is on its way.
            self.verdict.next.drop_reason = self.why.no_receive_wqe.val();
            self.verdict.next.not_ready = true;
        } else {
            self.passes.next = true;
            self.verdict.next.drop = false;
            self.verdict.next.execute = true;
            if !self.fits.val() {
                // Step 13: the WQE stays.
                self.verdict.next.drop = true;
                self.verdict.next.execute = false;
                self.verdict.next.drop_reason = self.why.buffer_too_small.val();
            }
        }
    }
}
