//! QP states as the hardware numbers them (`host::command::STATE_*`, `protocol/qp_cq.md` section 1).
use super::QpStates;
use hca_hdl::prelude::*;

/// Decides whether a QP in this state takes inbound requests, takes responses, and sends requests.
#[derive(LogicBlock, Default)]
pub struct StateRights {
    /// State of the QP.
    pub state: Signal<In, Bits<3>>,
    /// High in RTR, RTS, SQD and SQE (`responder.md` section 1 step 5).
    pub receives: Signal<Out, Bit>,
    /// High in RTS and SQD, in which the QP takes responses to what it has sent.
    pub takes_responses: Signal<Out, Bit>,
    /// High in RTS.
    pub sends: Signal<Out, Bit>,
    states: QpStates,
}

#[kernel]
impl Logic for StateRights {
    fn update(&mut self) {
        self.sends.next = self.state.val() == self.states.rts.val();
        self.takes_responses.next =
            (self.state.val() == self.states.rts.val()) || (self.state.val() == self.states.sqd.val());
        self.receives.next = (self.state.val() == self.states.rtr.val())
            || (self.state.val() == self.states.rts.val())
            || (self.state.val() == self.states.sqd.val())
            || (self.state.val() == self.states.sqe.val());
    }
}
