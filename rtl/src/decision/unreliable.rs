//! The outcome of an admitted request of UC (`protocol/uc.md` section 3 steps 8 to 16).
use crate::receive::RequestArrival;
use crate::responder::{
    RequestChecks, RequestWalk, ResponderContext, ResponderSettings, UcDecision, UcEffect, UcFault, Verdict,
};
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// The responder's blocks for UC, from the checks to what the request changes. The faults of keys are inputs.
#[derive(LogicBlock, Default)]
pub struct UnreliableOutcome {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Configuration of the QP.
    pub settings: Signal<In, ResponderSettings>,
    /// Context of the QP before the request.
    pub qp: Signal<In, ResponderContext>,
    /// Number of receive WQEs of the QP that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,
    /// Bytes that the receive WQE has room for.
    pub wqe_length: Signal<In, Bits<32>>,
    /// Fault that a walk of the data finds (`FAULT_*`); 0: none.
    pub data_fault: Signal<In, Bits<2>>,

    /// The decision.
    pub verdict: Signal<Out, Verdict>,
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
    pub walk_length: Signal<Out, Bits<13>>,
    /// `memory::protection::RIGHT_*`.
    pub walk_right: Signal<Out, Bits<3>>,
    /// Context of the QP after the request.
    pub changed: Signal<Out, ResponderContext>,
    /// High if a receive WQE completes, in success or in error.
    pub completes: Signal<Out, Bit>,
    /// Byte count of that completion.
    pub byte_count: Signal<Out, Bits<32>>,
    /// High if this packet takes a receive WQE.
    pub takes: Signal<Out, Bit>,

    checks: RequestChecks,
    decision: UcDecision,
    data: RequestWalk,
    fault: UcFault,
    effect: UcEffect,
    walked: Signal<Local, Bit>,
    outcome: Signal<Local, Verdict>,
}

impl Logic for UnreliableOutcome {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module unreliable_outcome");
        self.checks.arrival.next = self.arrival.val();
        self.checks.settings.next = self.settings.val();
        self.checks.context.next = self.qp.val();
        self.checks.arrived.next = self.arrived.val();
        self.checks.answered.next = bits::<5>(0);

        self.decision.arrival.next = self.arrival.val();
        self.decision.flags.next = self.checks.flags.val();
        self.decision.open_send.next = self.qp.val().open_send;
        self.decision.open_write.next = self.qp.val().open_write;
        self.decision.wqe_length.next = self.wqe_length.val();

        self.data.arrival.next = self.arrival.val();
        self.data.flags.next = self.checks.flags.val();
        self.data.settings.next = self.settings.val();
        self.data.wqe.next = bit_cast::<512, 32>(self.wqe_length.val()) << 320;
        self.data.invalidates.next = false;
        self.walks.next = self.decision.passes.val() && self.data.needed.val();
        self.walk_va.next = self.data.request.val().list.get_bits::<64>(192);
        self.walk_span.next = self.data.request.val().list.get_bits::<32>(160);
        self.walk_key.next = self.data.request.val().list.get_bits::<32>(128);
        self.walk_offset.next = self.data.request.val().offset;
        self.walk_length.next = self.data.request.val().length;
        self.walk_right.next = self.data.request.val().right;

        // A drop for want of a WQE comes after the keys, any other before.
        self.walked.next = self.decision.passes.val()
            && self.data.needed.val()
            && (self.decision.verdict.val().execute || self.decision.verdict.val().not_ready);
        self.fault.fault.next = self.data_fault.val();
        self.fault.send.next = self.checks.flags.val().send;
        self.fault.takes_wqe.next = self.checks.flags.val().takes_wqe;
        self.outcome.next = self.decision.verdict.val();
        if self.walked.val() && self.data_fault.val().any() {
            self.outcome.next = self.fault.verdict.val();
        }
        self.verdict.next = self.outcome.val();

        self.effect.arrival.next = self.arrival.val();
        self.effect.flags.next = self.checks.flags.val();
        self.effect.verdict.next = self.outcome.val();
        self.effect.context.next = self.qp.val();
        self.changed.next = self.effect.changed.val();
        self.completes.next = self.effect.completes.val();
        self.byte_count.next = self.checks.flags.val().total.get_bits::<32>(0);
        self.takes.next = self.effect.takes.val();
    }
}
