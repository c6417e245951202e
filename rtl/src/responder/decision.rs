//! Decides what to do with a request: the checks of `protocol/responder.md` section 1 steps 4 to 13 in their order.
use super::RequestFlags;
use crate::completion::CqeStatuses;
use crate::drop_reasons::DropReasons;
use crate::receive::RequestArrival;
use hca_hdl::prelude::*;

record! {
    /// Exactly one of `drop`, `refuse`, `acknowledge`, `replay` and `execute` is high.
    pub struct RequestVerdict {
        /// High if the request is dropped.
        pub drop: Bit,
        /// With `drop`: reason of the drop (`host::retire::drop`).
        pub drop_reason: Bits<8>,
        /// High if the request is answered with a NAK of `syndrome`.
        pub refuse: Bit,
        /// With `refuse`: syndrome of the NAK.
        pub syndrome: Bits<8>,
        /// With `refuse`: high if no NAK is sent.
        pub silent: Bit,
        /// With `refuse`: high if the QP goes to Error, and the receive WQE of the message, if it has one, ends with
        /// `status`.
        pub fatal: Bit,
        /// With `fatal`: status of that completion (`host::cqe`).
        pub status: Bits<8>,
        /// With `refuse`: high if the packet has taken a receive WQE.
        pub took_wqe: Bit,
        /// High if the request needs a receive WQE, and none has arrived in the cache.
        pub not_ready: Bit,
        /// With `refuse`: high if no read/atomic slot is free.
        pub crowded: Bit,
        /// High if the request is a duplicate of a Send or Write and is acknowledged (section 6).
        pub acknowledge: Bit,
        /// High if the request is a duplicate of a Read or atomic, and is answered if it matches a stored one (section
        /// 6).
        pub replay: Bit,
        /// High if the request is executed.
        pub execute: Bit,
    }
}

/// Pure function; the first check that fails decides. Keys are checked later (`protocol/responder.md` section 1 steps
/// 14 and 15).
#[derive(LogicBlock, SmartDefault)]
pub struct RequestDecision {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Results of its checks.
    pub flags: Signal<In, RequestFlags>,
    /// Code of the delay in RNR NAKs (`protocol/rnr_timer.csv`).
    pub min_rnr_timer: Signal<In, Bits<5>>,
    /// Bytes that the receive WQE has room for.
    pub wqe_length: Signal<In, Bits<32>>,
    /// The decision on the request.
    pub verdict: Signal<Out, RequestVerdict>,
    /// High if the request is executed unless its keys, or the receive WQE's length, forbid it.
    pub passes: Signal<Out, Bit>,
    hides_state: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    /// Every field 0.
    #[default(Constant::new(RequestVerdict::default()))]
    nothing: Constant<RequestVerdict>,
    why: DropReasons,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for RequestDecision {
    fn update(&mut self) {
        self.verdict.next = self.nothing.val();
        self.verdict.next.drop_reason = self.why.qp_state.val();
        self.verdict.next.syndrome = bits::<8>(0x61);
        self.verdict.next.status = self.statuses.rem_inv_req_err.val();
        self.passes.next = false;
        // A QP that has failed since admission drops the packet at step 5, before steps 6 and 7.
        self.hides_state.next = (self.arrival.val().drop_reason == self.why.source.val())
            || (self.arrival.val().drop_reason == self.why.p_key.val());
        self.fits.next = self.flags.val().total <= bit_cast::<33, 32>(self.wqe_length.val());
        if self.arrival.val().drop && (self.flags.val().receives || !self.hides_state.val()) {
            // Steps 4 to 7, as admission found.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.arrival.val().drop_reason;
        } else if !self.flags.val().receives {
            // Step 5, CF043 and CF044, CF092.
            self.verdict.next.drop = true;
        } else if self.flags.val().lacks_room {
            // Section 6, CF549.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why.answers_wait.val();
        } else if self.flags.val().duplicate {
            // Step 9, duplicate region: answered even while a NAK is outstanding (CF066).
            self.verdict.next.replay = self.flags.val().read || self.flags.val().atomic;
            self.verdict.next.acknowledge = !self.flags.val().read && !self.flags.val().atomic;
        } else if !self.flags.val().expected {
            // Step 9, out of sequence: one NAK until ePSN comes (CF059, CF061).
            self.verdict.next.drop = self.flags.val().nak_outstanding;
            self.verdict.next.drop_reason = self.why.nak_outstanding.val();
            self.verdict.next.refuse = !self.flags.val().nak_outstanding;
            self.verdict.next.syndrome = bits::<8>(0x60);
        } else if !self.flags.val().in_sequence {
            // Step 10, CF068 to CF072.
            self.verdict.next.refuse = true;
            self.verdict.next.fatal = true;
        } else if !self.flags.val().enabled {
            // Step 11, CF073, CF075 to CF077.
            self.verdict.next.refuse = true;
            self.verdict.next.fatal = true;
        } else if self.flags.val().takes_wqe && !self.flags.val().posted {
            // Step 12, CF106, CF108, CF110.
            self.verdict.next.refuse = true;
            self.verdict.next.not_ready = true;
            self.verdict.next.syndrome = bits::<8>(0x20) | bit_cast::<8, 5>(self.min_rnr_timer.val());
        } else if self.flags.val().crowded {
            // Step 12, CF143.
            self.verdict.next.refuse = true;
            self.verdict.next.fatal = true;
            self.verdict.next.crowded = true;
        } else if !self.flags.val().length_legal {
            // Step 13, CF078 to CF083, CF090.
            self.verdict.next.refuse = true;
            self.verdict.next.fatal = true;
        } else {
            self.passes.next = true;
            self.verdict.next.execute = true;
            if self.flags.val().send && !self.fits.val() {
                // Step 13, CF084.
                self.verdict.next.execute = false;
                self.verdict.next.refuse = true;
                self.verdict.next.fatal = true;
                self.verdict.next.status = self.statuses.loc_len_err.val();
                self.verdict.next.took_wqe = self.flags.val().begins;
            }
        }
    }
}
