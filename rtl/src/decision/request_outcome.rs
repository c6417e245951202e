//! The outcome of an admitted request of a connection (`protocol/responder.md` section 1 steps 9 to 15 and sections 2
//! to 7, `uc.md` section 3 steps 8 to 16).
use crate::receive::RequestArrival;
use crate::responder::{
    FaultDecision, RequestAnswer, RequestChecks, RequestDecision, RequestEffect, RequestVerdict, RequestWalk,
    ResponderContext, ResponderReport, ResponderSettings, UcDecision, UcEffect, UcFault,
};
use crate::response::ResponseJob;
use hca_hdl::prelude::*;

/// The responder's blocks from the checks to the answer, of RC, or of UC if `settings.unreliable` is high. The faults
/// of keys, and whether a duplicate matches, are inputs.
#[derive(LogicBlock, Default)]
pub struct RequestOutcome {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Configuration of the QP.
    pub settings: Signal<In, ResponderSettings>,
    /// Context of the QP before the request.
    pub qp: Signal<In, ResponderContext>,
    /// Number of receive WQEs of the QP that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,
    /// Reads and atomics of the QP that are answered, modulo 32.
    pub answered: Signal<In, Bits<5>>,
    /// High while duplicates of Reads and atomics find no room for their answers.
    pub many_answers: Signal<In, Bit>,
    /// High while no request finds room for its answer.
    pub answers_fill: Signal<In, Bit>,
    /// Bytes that the receive WQE has room for.
    pub wqe_length: Signal<In, Bits<32>>,
    /// Fault that a walk of the data finds (`FAULT_*`); 0: none.
    pub data_fault: Signal<In, Bits<2>>,
    /// Fault that a walk of the R_Key to invalidate finds (`FAULT_*`); 0: none.
    pub key_fault: Signal<In, Bits<2>>,
    /// High if a duplicate repeats the operation of slot `place`.
    pub matched: Signal<In, Bit>,
    /// Slot of that operation.
    pub place: Signal<In, Bits<4>>,

    /// The decision.
    pub verdict: Signal<Out, RequestVerdict>,
    /// High if the keys of these bytes are walked.
    pub walks: Signal<Out, Bit>,
    /// Address of the first SGE of the walk.
    pub walk_va: Signal<Out, Bits<64>>,
    /// Key of that SGE.
    pub walk_key: Signal<Out, Bits<32>>,
    /// Bytes of that SGE.
    pub walk_span: Signal<Out, Bits<32>>,
    /// Bytes of the list before the first byte of the walk.
    pub walk_offset: Signal<Out, Bits<32>>,
    /// Bytes of the walk.
    pub walk_length: Signal<Out, Bits<13>>,
    /// Right that the key must give (`memory::protection::RIGHT_*`).
    pub walk_right: Signal<Out, Bits<3>>,
    /// Context of the QP after the request.
    pub changed: Signal<Out, ResponderContext>,
    /// High if a receive WQE completes, in success or in error.
    pub completes: Signal<Out, Bit>,
    /// Byte count of that completion.
    pub byte_count: Signal<Out, Bits<32>>,
    /// High if this packet takes a receive WQE.
    pub takes: Signal<Out, Bit>,
    /// High if the request takes a read/atomic slot.
    pub stores: Signal<Out, Bit>,
    /// High if the request invalidates an R_Key.
    pub invalidates: Signal<Out, Bit>,
    /// High if the response engine gets a job.
    pub answers: Signal<Out, Bit>,
    /// The job.
    pub job: Signal<Out, ResponseJob>,
    /// PSN of the last packet of the answer to a Read or an atomic.
    pub last_psn: Signal<Out, Bits<24>>,
    /// Kind of the retire record (`host::retire::kind`).
    pub record_kind: Signal<Out, Bits<8>>,
    /// Code of the retire record.
    pub record_code: Signal<Out, Bits<8>>,
    /// PSN of the retire record.
    pub record_psn: Signal<Out, Bits<24>>,

    checks: RequestChecks,
    decision: RequestDecision,
    uc_decision: UcDecision,
    data: RequestWalk,
    fault: FaultDecision,
    uc_fault: UcFault,
    effect: RequestEffect,
    uc_effect: UcEffect,
    answer: RequestAnswer,
    report: ResponderReport,
    decided: Signal<Local, RequestVerdict>,
    passes: Signal<Local, Bit>,
    executes: Signal<Local, Bit>,
    data_fails: Signal<Local, Bit>,
    key_fails: Signal<Local, Bit>,
    outcome: Signal<Local, RequestVerdict>,
}

#[kernel]
impl Logic for RequestOutcome {
    fn update(&mut self) {
        inputs!(self.checks, arrival, settings, arrived, answered, many_answers, answers_fill, context: qp);

        inputs!(self.decision, arrival, wqe_length, flags: checks.flags);
        self.decision.min_rnr_timer.next = self.settings.val().min_rnr_timer;
        inputs!(self.uc_decision, arrival, wqe_length, flags: checks.flags);
        self.uc_decision.open_send.next = self.qp.val().open_send;
        self.uc_decision.open_write.next = self.qp.val().open_write;
        outputs!(self.decision, decided: verdict, passes);
        if self.settings.val().unreliable {
            outputs!(self.uc_decision, decided: verdict, passes);
        }

        inputs!(self.data, arrival, settings, flags: checks.flags);
        self.data.wqe.next = bit_cast::<512, 32>(self.wqe_length.val()) << 320;
        self.data.invalidates.next = false;
        self.walks.next = self.passes.val() && self.data.needed.val();
        self.walk_va.next = self.data.request.val().list.get_bits::<64>(192);
        self.walk_span.next = self.data.request.val().list.get_bits::<32>(160);
        self.walk_key.next = self.data.request.val().list.get_bits::<32>(128);
        self.walk_offset.next = self.data.request.val().offset;
        self.walk_length.next = self.data.request.val().length;
        self.walk_right.next = self.data.request.val().right;

        // Keys are checked for requests that would be executed; the key of the data before the key to invalidate. Of
        // UC also before a receive WQE is missed (`uc.md` section 3 step 14).
        self.executes.next = self.passes.val()
            && (self.decided.val().execute || (self.decided.val().drop && self.decided.val().not_ready));
        self.data_fails.next = self.executes.val() && self.data.needed.val() && self.data_fault.val().any();
        self.key_fails.next = self.executes.val()
            && self.checks.flags.val().invalidate
            && self.key_fault.val().any()
            && !self.data_fails.val();
        self.fault.fault.next = self.data_fault.val();
        self.fault.send.next = self.checks.flags.val().send;
        self.fault.begins.next = self.checks.flags.val().begins;
        self.fault.invalidates.next = self.key_fails.val();
        self.uc_fault.fault.next = self.data_fault.val();
        self.uc_fault.send.next = self.checks.flags.val().send;
        self.uc_fault.takes_wqe.next = self.checks.flags.val().takes_wqe;
        self.outcome.next = self.decided.val();
        if self.data_fails.val() || self.key_fails.val() {
            self.outcome.next = self.fault.verdict.val();
            if self.settings.val().unreliable {
                self.outcome.next = self.uc_fault.verdict.val();
            }
        }
        self.verdict.next = self.outcome.val();

        inputs!(self.effect, arrival, settings, matched, flags: checks.flags, verdict: outcome, context: qp);
        // The responder gives no credits here.
        self.effect.code.next = bits::<5>(31);
        self.answer.code.next = bits::<5>(31);
        inputs!(self.uc_effect, arrival, flags: checks.flags, verdict: outcome, context: qp);
        outputs!(self.effect, changed, completes, takes);
        if self.settings.val().unreliable {
            outputs!(self.uc_effect, changed, completes, takes);
        }
        self.byte_count.next = self.checks.flags.val().total.get_bits::<32>(0);
        self.stores.next = self.effect.stores.val();
        self.invalidates.next = self.outcome.val().execute && self.checks.flags.val().invalidate;

        inputs!(self.answer, arrival, settings, matched, place, flags: checks.flags, verdict: outcome);
        self.answer.context.next = self.qp.val();
        self.answer.msn.next = self.effect.changed.val().msn;
        self.answer.fence.next = bits::<16>(0);
        self.answers.next = self.answer.valid.val() && !self.settings.val().unreliable;
        outputs!(self.answer, job, last_psn);

        inputs!(self.report, arrival, matched, verdict: outcome, psn: answer.psn);
        // UC sends no NAK: the report names the packet.
        if self.settings.val().unreliable {
            self.report.psn.next = self.arrival.val().psn;
        }
        self.report.consumer.next = self.qp.val().consumer;
        self.report.qpn.next = self.settings.val().qpn;
        self.report.applies.next = false;
        self.report.advertises.next = false;
        self.report.advertised_psn.next = bits::<24>(0);
        self.record_kind.next = self.report.record.val().kind;
        self.record_code.next = self.report.record.val().code;
        self.record_psn.next = self.report.record.val().psn;
    }
}
