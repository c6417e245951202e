//! What the credits of a QP let its requester do (`protocol/requester.md` section 4).
use crate::requester::RequesterRow;
use hca_hdl::prelude::*;

/// Pure function of the row.
#[derive(LogicBlock, Default)]
pub struct CreditStanding {
    /// Row of the QP.
    pub row: Signal<In, RequesterRow>,
    /// High if the peer gives credits.
    pub expected: Signal<In, Bit>,
    /// High if a message that takes a receive WQE is limited when it starts: SSN > LSN.
    pub limited: Signal<Out, Bit>,
    /// High if a limited message has sent as much as it may. The QP sends nothing new until it is resolved, by LSN or
    /// by an ack of all that it sent.
    pub stopped: Signal<Out, Bit>,
}

#[kernel]
impl Logic for CreditStanding {
    fn update(&mut self) {
        self.limited.next = self.expected.val()
            && !self.row.val().unlimited
            && (self.row.val().allowance.get_bit(23) || !self.row.val().allowance.any());
        self.stopped.next = self.row.val().probes
            && (self.row.val().psn == self.row.val().stop_psn)
            && (self.row.val().una != self.row.val().stop_psn);
    }
}
