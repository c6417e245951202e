//! Decides what the state of a QP lets its requester do (`protocol/qp_cq.md` section 1).
use crate::context::state_rights::StateRights;
use crate::context::QpStates;
use hca_hdl::prelude::*;

/// Pure function of the current state and of the state that MODIFY_QP names.
#[derive(LogicBlock, Default)]
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
    states: QpStates,
}

#[kernel]
impl Logic for Standing {
    fn update(&mut self) {
        self.rights.state.next = self.state.val();
        outputs!(self.rights, sends, continues: takes_responses);
        self.failed.next = self.state.val() == self.states.error.val();
        self.dormant.next = self.state.val() == self.states.reset.val();
        self.new_is_reset.next = self.new_state.val() == self.states.reset.val();
        self.new_is_error.next = self.new_state.val() == self.states.error.val();
        self.starts.next =
            (self.new_state.val() == self.states.rts.val()) && (self.state.val() == self.states.rtr.val());
        self.stopped.next = self.state.val() == self.states.sqe.val();
        self.new_sends.next = (self.new_state.val() == self.states.rts.val())
            || (self.new_state.val() == self.states.sqd.val());
        self.error.next = self.states.error.val();
        self.sqe.next = self.states.sqe.val();
    }
}
