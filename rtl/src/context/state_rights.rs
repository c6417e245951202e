//! QP states as the hardware numbers them (`host::command::STATE_*`, `protocol/qp_cq.md` section 1).
use hca_hdl::prelude::*;
use hca_host::command;

/// Decides whether a QP in this state takes inbound requests, takes responses, and sends requests.
#[derive(LogicBlock, SmartDefault)]
pub struct StateRights {
    /// State of the QP.
    pub state: Signal<In, Bits<3>>,
    /// High in RTR, RTS, SQD and SQE (`responder.md` section 1 step 5).
    pub receives: Signal<Out, Bit>,
    /// High in RTS and SQD, in which the QP takes responses to what it has sent.
    pub takes_responses: Signal<Out, Bit>,
    /// High in RTS.
    pub sends: Signal<Out, Bit>,
    #[default(constant(command::STATE_RTR))]
    rtr: Constant<Bits<3>>,
    #[default(constant(command::STATE_RTS))]
    rts: Constant<Bits<3>>,
    #[default(constant(command::STATE_SQD))]
    sqd: Constant<Bits<3>>,
    #[default(constant(command::STATE_SQE))]
    sqe: Constant<Bits<3>>,
}

#[kernel]
impl Logic for StateRights {
    fn update(&mut self) {
        self.sends.next = self.state.val() == self.rts.val();
        self.takes_responses.next =
            (self.state.val() == self.rts.val()) || (self.state.val() == self.sqd.val());
        self.receives.next = (self.state.val() == self.rtr.val())
            || (self.state.val() == self.rts.val())
            || (self.state.val() == self.sqd.val())
            || (self.state.val() == self.sqe.val());
    }
}
