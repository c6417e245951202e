//! What a response is, and whether it is taken.
use super::{RequesterRow, ResponsePlace};
use crate::host::cqe;
use crate::host::retire::drop;
use crate::primitive::comment;
use crate::retire::drop_reason;
use rust_hdl_core::prelude::*;

/// What becomes of a response: exactly one of `drop`, `tells`, `ack`, `data`, `atomic`, `lost`, `sequence_nak`,
/// `rnr_nak` and `fatal` is up.
#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct Verdict {
    pub drop: Bit,
    pub drop_reason: Bits<8>,
    /// It tells of credits, and of nothing else.
    pub tells: Bit,
    /// It tells of credits.
    pub credits: Bit,
    /// Everything up to this PSN is done.
    pub ack: Bit,
    /// The read response that is waited for.
    pub data: Bit,
    /// The atomic ack that is waited for.
    pub atomic: Bit,
    /// It answers the last PSN of its Read, or the atomic.
    pub ends: Bit,
    /// Responses before it were lost: an implied NAK.
    pub lost: Bit,
    pub sequence_nak: Bit,
    pub rnr_nak: Bit,
    /// The WQE that holds the PSN ends in error.
    pub fatal: Bit,
    pub fatal_status: Bits<8>,
    /// Every PSN before it is done.
    pub bound: Bits<24>,
    /// Where in the Read its payload begins, bytes.
    pub offset: Bits<32>,
}

/// `protocol/requester.md` sections 5 and 6; the first check that fails decides.
#[derive(LogicBlock)]
pub struct ResponseVerdict {
    pub row: Signal<In, RequesterRow>,
    pub place: Signal<In, ResponsePlace>,
    /// RTS or SQD.
    pub takes: Signal<In, Bit>,
    /// The peer gives credits.
    pub expected: Signal<In, Bit>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    pub opcode: Signal<In, Bits<8>>,
    pub psn: Signal<In, Bits<24>>,
    pub syndrome: Signal<In, Bits<8>>,
    /// Bytes without pad.
    pub payload: Signal<In, Bits<13>>,
    /// Admission refused it.
    pub refused: Signal<In, Bit>,
    pub refused_reason: Signal<In, Bits<8>>,

    pub verdict: Signal<Out, Verdict>,

    is_acknowledge: Signal<Local, Bit>,
    is_read: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    has_aeth: Signal<Local, Bit>,
    positive: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    limits: Signal<Local, Bit>,
    earlier_reason: Signal<Local, Bit>,
    pmtu_bytes: Signal<Local, Bits<13>>,
    /// Of the last response, but not whole PMTUs.
    rest: Signal<Local, Bits<13>>,
    opcode_fits: Signal<Local, Bit>,
    answers_atomic: Signal<Local, Bit>,
    length_fits: Signal<Local, Bit>,

    why_state: Constant<Bits<8>>,
    why_source: Constant<Bits<8>>,
    why_p_key: Constant<Bits<8>>,
    why_ghost: Constant<Bits<8>>,
    why_duplicate: Constant<Bits<8>>,
    why_syndrome: Constant<Bits<8>>,
    loc_len_err: Constant<Bits<8>>,
    bad_resp_err: Constant<Bits<8>>,
    rem_inv_req_err: Constant<Bits<8>>,
    rem_access_err: Constant<Bits<8>>,
    rem_op_err: Constant<Bits<8>>,
}

fn status(value: u8) -> Constant<Bits<8>> {
    Constant::new((value as usize).to_bits())
}

impl Default for ResponseVerdict {
    fn default() -> Self {
        ResponseVerdict {
            row: Default::default(),
            place: Default::default(),
            takes: Default::default(),
            expected: Default::default(),
            pmtu: Default::default(),
            opcode: Default::default(),
            psn: Default::default(),
            syndrome: Default::default(),
            payload: Default::default(),
            refused: Default::default(),
            refused_reason: Default::default(),
            verdict: Default::default(),
            is_acknowledge: Default::default(),
            is_read: Default::default(),
            begins: Default::default(),
            finishes: Default::default(),
            kind: Default::default(),
            has_aeth: Default::default(),
            positive: Default::default(),
            reserved: Default::default(),
            limits: Default::default(),
            earlier_reason: Default::default(),
            pmtu_bytes: Default::default(),
            rest: Default::default(),
            opcode_fits: Default::default(),
            answers_atomic: Default::default(),
            length_fits: Default::default(),
            why_state: drop_reason(drop::QP_STATE),
            why_source: drop_reason(drop::SOURCE),
            why_p_key: drop_reason(drop::P_KEY),
            why_ghost: drop_reason(drop::GHOST_RESPONSE),
            why_duplicate: drop_reason(drop::DUPLICATE_RESPONSE),
            why_syndrome: drop_reason(drop::RESERVED_SYNDROME),
            loc_len_err: status(cqe::LOC_LEN_ERR),
            bad_resp_err: status(cqe::BAD_RESP_ERR),
            rem_inv_req_err: status(cqe::REM_INV_REQ_ERR),
            rem_access_err: status(cqe::REM_ACCESS_ERR),
            rem_op_err: status(cqe::REM_OP_ERR),
        }
    }
}

impl Logic for ResponseVerdict {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module response_verdict");
        // Read response first 0Dh, middle 0Eh, last 0Fh, only 10h; Acknowledge 11h; atomic ack 12h.
        self.is_acknowledge.next = self.opcode.val() == 0x11;
        self.is_read.next = (self.opcode.val() >= 0x0D) && (self.opcode.val() <= 0x10);
        self.begins.next = (self.opcode.val() == 0x0D) || (self.opcode.val() == 0x10);
        self.finishes.next = (self.opcode.val() == 0x0F) || (self.opcode.val() == 0x10);
        self.has_aeth.next = self.opcode.val() != 0x0E;
        self.kind.next = self.syndrome.val().get_bits::<2>(5);
        self.reserved.next = self.has_aeth.val()
            && (self.syndrome.val().get_bit(7)
                || (self.kind.val() == 2)
                || ((self.kind.val() == 3) && (self.syndrome.val().get_bits::<5>(0) > 3)));
        self.limits.next = self.expected.val() && !self.row.val().unlimited;
        // Admission's reasons but the last two come before the state (responder.md section 1).
        self.earlier_reason.next = (self.refused_reason.val() != self.why_source.val())
            && (self.refused_reason.val() != self.why_p_key.val());

        // A Read is answered by first or only where it was sent from, by middle or last behind that.
        self.pmtu_bytes.next = bits::<13>(128) << self.pmtu.val();
        self.verdict.next.offset = self.place.val().offset;
        self.rest.next =
            self.row.val().read_length.get_bits::<13>(0) & !(bits::<13>(0x1F80) << self.pmtu.val());
        // A NAK is an Acknowledge, whatever it answers (aeth.md section 1).
        self.positive.next = !self.has_aeth.val() || (self.kind.val() == 0);
        self.opcode_fits.next = self.is_read.val()
            && self.positive.val()
            && !self.row.val().read_atomic
            && ((self.begins.val() && (self.place.val().first || self.place.val().resent))
                || (!self.begins.val() && !self.place.val().first))
            && (self.finishes.val() == self.place.val().last);
        self.answers_atomic.next = (self.opcode.val() == 0x12) && self.positive.val();
        // All responses but the last are full; so is it if its Read is of whole PMTUs.
        self.length_fits.next = self.payload.val() == self.pmtu_bytes.val();
        if self.place.val().last && (self.rest.val().any() || !self.row.val().read_length.any()) {
            self.length_fits.next = self.payload.val() == self.rest.val();
        }

        self.verdict.next.drop = false;
        self.verdict.next.drop_reason = self.refused_reason.val();
        self.verdict.next.tells = false;
        self.verdict.next.credits = false;
        self.verdict.next.ack = false;
        self.verdict.next.data = false;
        self.verdict.next.atomic = false;
        self.verdict.next.ends = self.place.val().last;
        self.verdict.next.lost = false;
        self.verdict.next.sequence_nak = false;
        self.verdict.next.rnr_nak = false;
        self.verdict.next.fatal = false;
        self.verdict.next.fatal_status = self.bad_resp_err.val();
        self.verdict.next.bound = self.psn.val();
        if self.place.val().reaches_read {
            self.verdict.next.bound = self.place.val().want;
        }
        if self.refused.val() && self.earlier_reason.val() {
            self.verdict.next.drop = true;
        } else if !self.takes.val() {
            // responder.md section 1 step 5; ignored in Error (section 9).
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why_state.val();
        } else if self.refused.val() {
            self.verdict.next.drop = true;
        } else if self.limits.val()
            && self.place.val().precedes
            && self.is_acknowledge.val()
            && !self.reserved.val()
            && (self.kind.val() == 0)
        {
            // The initial ack, or an unsolicited one (section 4, CF204, CF205).
            self.verdict.next.tells = true;
            self.verdict.next.credits = true;
            self.verdict.next.bound = self.row.val().una;
        } else if self.place.val().duplicate {
            // CF171.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why_duplicate.val();
        } else if self.place.val().ghost {
            // CF172.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why_ghost.val();
        } else if self.reserved.val() {
            // CF183.
            self.verdict.next.drop = true;
            self.verdict.next.drop_reason = self.why_syndrome.val();
        } else if self.place.val().passes_read {
            // CF173.
            self.verdict.next.lost = true;
        } else if self.is_acknowledge.val() && (self.kind.val() == 1) {
            self.verdict.next.rnr_nak = true;
        } else if self.is_acknowledge.val() && (self.kind.val() == 3) {
            self.verdict.next.sequence_nak = self.syndrome.val() == 0x60;
            self.verdict.next.fatal = self.syndrome.val() != 0x60;
            // CF178 to CF180.
            self.verdict.next.fatal_status = self.rem_op_err.val();
            if self.syndrome.val() == 0x61 {
                self.verdict.next.fatal_status = self.rem_inv_req_err.val();
            }
            if self.syndrome.val() == 0x62 {
                self.verdict.next.fatal_status = self.rem_access_err.val();
            }
        } else if !self.place.val().reaches_read {
            // CF185: what holds the PSN is no Read and no atomic.
            self.verdict.next.ack = self.is_acknowledge.val();
            self.verdict.next.credits = self.limits.val() && self.is_acknowledge.val();
            self.verdict.next.fatal = !self.is_acknowledge.val();
            if self.is_acknowledge.val() {
                self.verdict.next.bound = self.psn.val() + 1;
            }
        } else if self.is_acknowledge.val() {
            // CF173: an unsolicited ack repeats the PSN of the last response, which was lost. CF185.
            self.verdict.next.lost = self.place.val().last;
            self.verdict.next.fatal = !self.place.val().last;
        } else if self.is_read.val() && !self.place.val().wanted {
            // CF173.
            self.verdict.next.lost = true;
        } else if self.row.val().read_atomic {
            // CF185.
            self.verdict.next.atomic = self.answers_atomic.val();
            self.verdict.next.credits = self.limits.val() && self.answers_atomic.val();
            self.verdict.next.fatal = !self.answers_atomic.val();
            if self.answers_atomic.val() {
                self.verdict.next.bound = self.psn.val() + 1;
            }
        } else if !self.opcode_fits.val() {
            // CF185.
            self.verdict.next.fatal = true;
        } else if !self.length_fits.val() {
            // CF184.
            self.verdict.next.fatal = true;
            self.verdict.next.fatal_status = self.loc_len_err.val();
        } else {
            self.verdict.next.data = true;
            self.verdict.next.credits = self.limits.val() && self.has_aeth.val();
            self.verdict.next.bound = self.psn.val() + 1;
        }
    }
}
