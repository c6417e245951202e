//! Events for software that a request raises.
use super::RequestVerdict;
use crate::context::QpStates;
use hca_hdl::prelude::*;

/// `protocol/qp_cq.md` section 8. Pure function.
#[derive(LogicBlock, Default)]
pub struct RequestNotice {
    /// The decision on the request.
    pub verdict: Signal<In, RequestVerdict>,
    /// High if the packet is one of UC or UD that admission let in, dropped or not (`uc.md` section 3.2).
    pub met: Signal<In, Bit>,
    /// High for UD, which establishes no communication (`ud.md` section 3.1).
    pub datagram: Signal<In, Bit>,
    /// State of the QP (`host::command::STATE_*`).
    pub state: Signal<In, Bits<3>>,
    /// High if an event is wanted when the receive queue runs dry.
    pub dry_event: Signal<In, Bit>,
    /// High if an RNR NAK is outstanding.
    pub rnr_outstanding: Signal<In, Bit>,
    /// One bit a kind of event: high if it occurred. They are numbered as in `crate::event::QpNotices`.
    pub kinds: Signal<Out, Bits<6>>,
    states: QpStates,
}

#[kernel]
impl Logic for RequestNotice {
    fn update(&mut self) {
        self.kinds.next = bits::<6>(0);
        if (self.verdict.val().execute || self.met.val())
            && !self.datagram.val()
            && (self.state.val() == self.states.rtr.val())
        {
            // Communication established: CF105.
            self.kinds.next = bits::<6>(1);
        }
        if self.verdict.val().refuse && !self.verdict.val().silent {
            if (self.verdict.val().syndrome == 0x61) || (self.verdict.val().syndrome == 0x64) {
                // QP request error.
                self.kinds.next = bits::<6>(4);
            }
            if self.verdict.val().syndrome == 0x62 {
                // QP access error.
                self.kinds.next = bits::<6>(8);
            }
            if (self.verdict.val().syndrome.get_bits::<3>(5) == 1)
                && self.dry_event.val()
                && !self.rnr_outstanding.val()
            {
                // Receive queue dry: CF539.
                self.kinds.next = bits::<6>(0x20);
            }
        }
    }
}
