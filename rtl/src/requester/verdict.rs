//! Decides what a response means, and whether it is taken.
use super::{RequesterRow, ResponseForm, ResponsePlace};
use crate::completion::CqeStatuses;
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;

record! {
    /// The meaning of a response: exactly one of `drop`, `grants_only`, `ack`, `data`, `atomic`, `lost`,
    /// `sequence_nak`, `rnr_nak` and `fatal` is high.
    pub struct Verdict {
        /// High if the response is dropped.
        pub drop: Bit,
        /// With `drop`: reason of the drop (`host::retire::drop`).
        pub drop_reason: Bits<8>,
        /// High if the response grants credits, and nothing else.
        pub grants_only: Bit,
        /// High if the response grants credits.
        pub credits: Bit,
        /// High if everything up to the PSN of the response is done.
        pub ack: Bit,
        /// High if the response is the read response that the row waits for.
        pub data: Bit,
        /// High if the response is the atomic ack that the row waits for.
        pub atomic: Bit,
        /// High if the response answers the last PSN of its Read, or the atomic.
        pub ends: Bit,
        /// High if responses before this one were lost: an implied NAK.
        pub lost: Bit,
        /// High if the response is a NAK for a PSN sequence error.
        pub sequence_nak: Bit,
        /// High if the response is an RNR NAK.
        pub rnr_nak: Bit,
        /// High if the WQE that holds the PSN ends in error.
        pub fatal: Bit,
        /// With `fatal`: status of its completion (`host::cqe`).
        pub fatal_status: Bits<8>,
        /// Every PSN before this one is done.
        pub bound: Bits<24>,
        /// Bytes of the Read before the response's payload.
        pub offset: Bits<32>,
    }
}

/// `protocol/requester.md` sections 5 and 6; the first check that fails decides.
#[derive(LogicBlock, Default)]
pub struct ResponseVerdict {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Region of the response's PSN.
    pub place: Signal<In, ResponsePlace>,
    /// High if the state of the QP lets it take the response.
    pub takes: Signal<In, Bit>,
    /// High if the peer gives credits.
    pub expected: Signal<In, Bit>,
    /// PSN of the response.
    pub psn: Signal<In, Bits<24>>,
    /// Properties of the response.
    pub form: Signal<In, ResponseForm>,

    /// Meaning of the response.
    pub verdict: Signal<Out, Verdict>,

    limits: Signal<Local, Bit>,
    opcode_fits: Signal<Local, Bit>,
    length_fits: Signal<Local, Bit>,

    why: DropReasons,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for ResponseVerdict {
    fn update(&mut self) {
        self.limits.next = self.expected.val() && !self.row.val().unlimited;
        self.verdict.next.offset = self.place.val().offset;
        // A Read is answered by first or only where it was sent from, by middle or last behind that.
        self.opcode_fits.next = self.form.val().read
            && self.form.val().positive
            && !self.row.val().read_atomic
            && ((self.form.val().begins && (self.place.val().first || self.place.val().resent))
                || (!self.form.val().begins && !self.place.val().first))
            && (self.form.val().finishes == self.place.val().last);
        // All responses but the last are full; so is it if its Read is of whole PMTUs.
        self.length_fits.next = self.form.val().full;
        if self.place.val().last && self.form.val().has_rest {
            self.length_fits.next = self.form.val().rest;
        }

        self.verdict.next.drop = false;
        self.verdict.next.drop_reason = self.form.val().refused_reason;
        self.verdict.next.grants_only = false;
        self.verdict.next.credits = false;
        self.verdict.next.ack = false;
        self.verdict.next.data = false;
        self.verdict.next.atomic = false;
        self.verdict.next.ends = self.place.val().last;
        self.verdict.next.lost = false;
        self.verdict.next.sequence_nak = false;
        self.verdict.next.rnr_nak = false;
        self.verdict.next.fatal = false;
        self.verdict.next.fatal_status = self.statuses.bad_resp_err.val();
        self.verdict.next.bound = self.psn.val();
        if self.place.val().reaches_read {
            self.verdict.next.bound = self.place.val().want;
        }
        if self.form.val().refused_early {
            self.verdict.next.drop = true;
        } else if !self.takes.val() {
            // responder.md section 1 step 5; ignored in Error (section 9).
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why.qp_state.val();
        } else if self.form.val().refused {
            self.verdict.next.drop = true;
        } else if self.limits.val() && self.place.val().precedes && self.form.val().grants {
            // The initial ack, or an unsolicited one (section 4, CF204, CF205).
            self.verdict.next.grants_only = true;
            self.verdict.next.credits = true;
            self.verdict.next.bound = self.row.val().una;
        } else if self.place.val().duplicate {
            // CF171.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why.duplicate_response.val();
        } else if self.place.val().ghost {
            // CF172.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why.ghost_response.val();
        } else if self.form.val().reserved {
            // CF183.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why.reserved_syndrome.val();
        } else if self.place.val().passes_read {
            // CF173.
            self.verdict.next.lost = true;
        } else if self.form.val().rnr_nak {
            self.verdict.next.rnr_nak = true;
        } else if self.form.val().nak {
            self.verdict.next.sequence_nak = self.form.val().sequence;
            self.verdict.next.fatal = !self.form.val().sequence;
            // CF178 to CF180.
            self.verdict.next.fatal_status = self.statuses.rem_op_err.val();
            if self.form.val().invalid {
                self.verdict.next.fatal_status = self.statuses.rem_inv_req_err.val();
            }
            if self.form.val().access {
                self.verdict.next.fatal_status = self.statuses.rem_access_err.val();
            }
        } else if !self.place.val().reaches_read {
            // CF185: what holds the PSN is no Read and no atomic.
            self.verdict.next.ack = self.form.val().acknowledge;
            self.verdict.next.credits = self.limits.val() && self.form.val().acknowledge;
            self.verdict.next.fatal = !self.form.val().acknowledge;
            if self.form.val().acknowledge {
                self.verdict.next.bound = self.psn.val() + 1;
            }
        } else if self.form.val().acknowledge {
            // CF173: an unsolicited ack repeats the PSN of the last response, which was lost. CF185.
            self.verdict.next.lost = self.place.val().last;
            self.verdict.next.fatal = !self.place.val().last;
        } else if self.form.val().read && !self.place.val().wanted {
            // CF173.
            self.verdict.next.lost = true;
        } else if self.row.val().read_atomic {
            // CF185.
            self.verdict.next.atomic = self.form.val().answers_atomic;
            self.verdict.next.credits = self.limits.val() && self.form.val().answers_atomic;
            self.verdict.next.fatal = !self.form.val().answers_atomic;
            if self.form.val().answers_atomic {
                self.verdict.next.bound = self.psn.val() + 1;
            }
        } else if !self.opcode_fits.val() {
            // CF185.
            self.verdict.next.fatal = true;
        } else if !self.length_fits.val() {
            // CF184.
            self.verdict.next.fatal = true;
            self.verdict.next.fatal_status = self.statuses.loc_len_err.val();
        } else {
            self.verdict.next.data = true;
            self.verdict.next.credits = self.limits.val() && self.form.val().has_aeth;
            self.verdict.next.bound = self.psn.val() + 1;
        }
    }
}
