//! Decides what the state of a QP lets its requester do (`protocol/qp_cq.md` section 1).
use crate::context::state_rights::StateRights;
use hca_hdl::prelude::*;
use hca_host::command;

/// Pure function of the current state and of the state that MODIFY_QP names.
#[derive(LogicBlock, SmartDefault)]
pub struct Standing {
    /// State of the QP (`host::command::STATE_*`).
    pub state: Signal<In, Bits<3>>,
    /// State that `MODIFY_QP` names.
    pub new_state: Signal<In, Bits<3>>,
    /// High in RTS.
    pub sends: Signal<Out, Bit>,
    /// High in RTS and SQD: messages that have started go on, and responses are taken.
    pub continues: Signal<Out, Bit>,
    /// High in Error.
    pub failed: Signal<Out, Bit>,
    /// High in Reset: nothing can fail.
    pub dormant: Signal<Out, Bit>,
    /// High if the new state is Reset.
    pub new_is_reset: Signal<Out, Bit>,
    /// High if the new state is Error.
    pub new_is_error: Signal<Out, Bit>,
    /// High if the change is from RTR to RTS: the send side starts.
    pub starts: Signal<Out, Bit>,
    /// High in SQE.
    pub stopped: Signal<Out, Bit>,
    /// High if the new state is RTS or SQD.
    pub new_sends: Signal<Out, Bit>,
    /// Code of Error.
    pub error: Signal<Out, Bits<3>>,
    /// Code of SQE.
    pub sqe: Signal<Out, Bits<3>>,
    rights: StateRights,
    #[default(constant(command::STATE_RESET))]
    state_reset: Constant<Bits<3>>,
    #[default(constant(command::STATE_RTR))]
    state_rtr: Constant<Bits<3>>,
    #[default(constant(command::STATE_RTS))]
    state_rts: Constant<Bits<3>>,
    #[default(constant(command::STATE_SQD))]
    state_sqd: Constant<Bits<3>>,
    #[default(constant(command::STATE_SQE))]
    state_sqe: Constant<Bits<3>>,
    #[default(constant(command::STATE_ERROR))]
    state_error: Constant<Bits<3>>,
}

#[kernel]
impl Logic for Standing {
    fn update(&mut self) {
        self.rights.state.next = self.state.val();
        outputs!(self.rights, sends, continues: takes_responses);
        self.failed.next = self.state.val() == self.state_error.val();
        self.dormant.next = self.state.val() == self.state_reset.val();
        self.new_is_reset.next = self.new_state.val() == self.state_reset.val();
        self.new_is_error.next = self.new_state.val() == self.state_error.val();
        self.starts.next =
            (self.new_state.val() == self.state_rts.val()) && (self.state.val() == self.state_rtr.val());
        self.stopped.next = self.state.val() == self.state_sqe.val();
        self.new_sends.next =
            (self.new_state.val() == self.state_rts.val()) || (self.new_state.val() == self.state_sqd.val());
        self.error.next = self.state_error.val();
        self.sqe.next = self.state_sqe.val();
    }
}
