//! Applies a verdict to the context of a queue pair of UC (`protocol/uc.md` section 3).
use crate::context::QpStates;
use crate::receive::RequestArrival;
use crate::responder::{RequestFlags, RequestVerdict, ResponderContext};
use hca_hdl::prelude::*;

/// Pure function.
#[derive(LogicBlock, Default)]
pub struct UcEffect {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Results of its checks.
    pub flags: Signal<In, RequestFlags>,
    /// The decision on the request.
    pub verdict: Signal<In, RequestVerdict>,
    /// Context of the QP before the request.
    pub context: Signal<In, ResponderContext>,
    /// Context of the QP after the request.
    pub changed: Signal<Out, ResponderContext>,
    /// High if a receive WQE completes, in success or in error.
    pub completes: Signal<Out, Bit>,
    /// High if this packet takes a receive WQE.
    pub takes: Signal<Out, Bit>,
    /// High if the packet reached the checks of section 3: admission let it in.
    pub met: Signal<Out, Bit>,
    states: QpStates,
}

#[kernel]
impl Logic for UcEffect {
    fn update(&mut self) {
        self.changed.next = self.context.val();
        self.completes.next = false;
        self.takes.next = false;
        self.met.next = self.flags.val().receives && !self.arrival.val().drop;
        if self.met.val() {
            if self.flags.val().begins || self.flags.val().expected {
                self.changed.next.epsn = self.arrival.val().psn + 1;
            }
            // Section 3.1: an abandoned Send gives its receive WQE back.
            if self.context.val().open_send && (self.flags.val().begins || self.verdict.val().drop) {
                self.changed.next.holds = true;
            }
            self.changed.next.open_send = false;
            self.changed.next.open_write = false;
        }
        if self.verdict.val().execute {
            // Steps 15 and 16.
            self.takes.next = self.flags.val().takes_wqe;
            self.changed.next.open_send = self.flags.val().send && !self.flags.val().ends;
            self.changed.next.open_write = self.flags.val().write && !self.flags.val().ends;
            self.changed.next.received = self.flags.val().total.get_bits::<32>(0);
            self.completes.next =
                self.flags.val().ends && (self.flags.val().send || self.flags.val().immediate);
            if self.flags.val().send || self.flags.val().immediate {
                self.changed.next.holds = false;
            }
            if self.flags.val().write {
                self.changed.next.write_va =
                    self.flags.val().write_va + bit_cast::<64, 13>(self.arrival.val().payload);
                self.changed.next.write_key = self.flags.val().write_key;
                self.changed.next.write_left =
                    self.flags.val().write_left - bit_cast::<32, 13>(self.arrival.val().payload);
            }
        }
        if self.verdict.val().refuse {
            // Step 15: the receive WQE of the message ends, and the QP goes to Error.
            self.takes.next = self.verdict.val().took_wqe;
            self.completes.next = true;
            self.changed.next.holds = false;
            self.changed.next.state = self.states.error.val();
            self.changed.next.reported = false;
        }
        if (self.verdict.val().execute && self.flags.val().takes_wqe)
            || (self.verdict.val().refuse && self.verdict.val().took_wqe)
        {
            self.changed.next.consumer = self.context.val().consumer + 1;
        }
    }
}
