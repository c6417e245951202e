//! Applies events other than packets to the context of a queue pair (`protocol/qp_cq.md` section 1).
use super::{ResponderContext, ResponderEventKind};
use crate::context::state_rights::StateRights;
use crate::context::QpStates;
use hca_hdl::prelude::*;

/// Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct Transition {
    /// Kind of the event.
    #[default(Signal::default())]
    pub kind: Signal<In, ResponderEventKind>,
    /// Context of the QP before the event.
    pub context: Signal<In, ResponderContext>,
    /// State that `MODIFY_QP` sets.
    pub modified_state: Signal<In, Bits<3>>,
    /// ePSN that `MODIFY_QP` sets in RTR.
    pub modified_rq_psn: Signal<In, Bits<24>>,
    /// High if end-to-end credits are given to the peer.
    pub supplied: Signal<In, Bit>,
    /// High if fresh credits are worth an unsolicited ack.
    pub credit_due: Signal<In, Bit>,
    /// Credit code of that ack.
    pub code: Signal<In, Bits<5>>,
    /// Number of receive WQEs that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,
    /// Context of the QP after the event.
    pub changed: Signal<Out, ResponderContext>,
    /// High if the QP goes to Error, and this side reports it.
    pub reports: Signal<Out, Bit>,
    /// High if the QP goes to Error, and the requester is to report it.
    pub fails: Signal<Out, Bit>,
    /// High if the oldest receive WQE is flushed.
    pub flushes: Signal<Out, Bit>,
    /// High if an unsolicited ack is sent.
    pub advertises: Signal<Out, Bit>,
    /// High if the read/atomic slots are emptied.
    pub clears: Signal<Out, Bit>,
    rights: StateRights,
    lives: Signal<Local, Bit>,
    ended: Signal<Local, Bit>,
    states: QpStates,
}

#[kernel]
impl Logic for Transition {
    fn update(&mut self) {
        comment!("@module responder_transition");
        self.changed.next.state = self.context.val().state;
        self.changed.next.reported = self.context.val().reported;
        self.changed.next.epsn = self.context.val().epsn;
        self.changed.next.msn = self.context.val().msn;
        self.changed.next.consumer = self.context.val().consumer;
        self.changed.next.open_send = self.context.val().open_send;
        self.changed.next.open_write = self.context.val().open_write;
        self.changed.next.nak_outstanding = self.context.val().nak_outstanding;
        self.changed.next.acked_psn = self.context.val().acked_psn;
        self.changed.next.received = self.context.val().received;
        self.changed.next.write_va = self.context.val().write_va;
        self.changed.next.write_key = self.context.val().write_key;
        self.changed.next.write_left = self.context.val().write_left;
        self.changed.next.taken = self.context.val().taken;
        self.changed.next.stored = self.context.val().stored;
        self.changed.next.advertised = self.context.val().advertised;
        self.changed.next.unanswered = self.context.val().unanswered;
        self.changed.next.holds = self.context.val().holds;
        self.changed.next.rnr_outstanding = self.context.val().rnr_outstanding;
        self.reports.next = false;
        self.fails.next = false;
        self.flushes.next = false;
        self.advertises.next = false;
        self.clears.next = false;
        self.rights.state.next = self.context.val().state;
        self.ended.next = self.context.val().state == self.states.error.val();
        self.lives.next = !self.ended.val() && (self.context.val().state != self.states.reset.val());
        if self.kind.val() == ResponderEventKind::Reported {
            self.changed.next.reported = self.ended.val();
        } else if self.kind.val() == ResponderEventKind::Fail {
            if self.lives.val() {
                self.changed.next.state = self.states.error.val();
                self.changed.next.reported = true;
                self.reports.next = true;
            }
        } else if self.kind.val() == ResponderEventKind::Unreadable {
            if self.lives.val() {
                self.changed.next.state = self.states.error.val();
                self.changed.next.reported = false;
                self.fails.next = true;
            }
        } else if self.kind.val() == ResponderEventKind::Modify {
            self.changed.next.state = self.modified_state.val();
            self.changed.next.reported = self.modified_state.val() == self.states.error.val();
            if self.ended.val() && (self.modified_state.val() != self.states.reset.val()) {
                // The QP failed while the command was on its way: nothing but Reset leaves Error.
                self.changed.next.state = self.states.error.val();
                self.changed.next.reported =
                    self.context.val().reported || (self.modified_state.val() == self.states.error.val());
            } else if self.modified_state.val() == self.states.rtr.val() {
                self.changed.next.epsn = self.modified_rq_psn.val();
                self.changed.next.acked_psn = self.modified_rq_psn.val() - 1;
                self.changed.next.msn = bits::<24>(0);
                self.changed.next.advertised = bits::<5>(0);
                self.changed.next.unanswered = true;
            }
            if self.modified_state.val() == self.states.reset.val() {
                self.changed.next.consumer = bits::<16>(0);
            }
            if ((self.modified_state.val() == self.states.rtr.val()) && !self.ended.val())
                || (self.modified_state.val() == self.states.reset.val())
            {
                self.clears.next = true;
                self.changed.next.open_send = false;
                self.changed.next.open_write = false;
                self.changed.next.holds = false;
                self.changed.next.nak_outstanding = false;
                self.changed.next.rnr_outstanding = false;
                self.changed.next.taken = bits::<5>(0);
                self.changed.next.stored = bits::<5>(0);
            }
        } else if self.kind.val() == ResponderEventKind::Credit {
            // The initial ack (CF150), and fresh credits (CF151): not while a NAK is the latest response (section 8).
            if self.supplied.val()
                && self.rights.receives.val()
                && !self.context.val().nak_outstanding
                && (self.context.val().unanswered || self.credit_due.val())
            {
                self.advertises.next = true;
                self.changed.next.advertised = self.code.val();
                self.changed.next.unanswered = false;
            }
        } else if (self.kind.val() == ResponderEventKind::Flush)
            && self.ended.val()
            && self.context.val().reported
        {
            if self.context.val().open_send || self.context.val().holds {
                self.flushes.next = true;
                self.changed.next.open_send = false;
                self.changed.next.holds = false;
            } else if self.arrived.val() != self.context.val().consumer {
                self.flushes.next = true;
                self.changed.next.consumer = self.context.val().consumer + 1;
            }
        }
    }
}
