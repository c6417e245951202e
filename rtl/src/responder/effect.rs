//! Applies a verdict to the context of the queue pair (`protocol/responder.md` sections 4, 5 and 7).
use super::{RequestFlags, RequestVerdict, ResponderContext, ResponderSettings};
use crate::context::QpStates;
use crate::receive::RequestArrival;
use hca_hdl::prelude::*;

/// Pure function.
#[derive(LogicBlock, Default)]
pub struct RequestEffect {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// Results of its checks.
    pub flags: Signal<In, RequestFlags>,
    /// The decision on the request.
    pub verdict: Signal<In, RequestVerdict>,
    /// Settings of the QP.
    pub settings: Signal<In, ResponderSettings>,
    /// Context of the QP before the request.
    pub context: Signal<In, ResponderContext>,
    /// High if a duplicate repeats a stored operation.
    pub matched: Signal<In, Bit>,
    /// Credit code of a positive answer.
    pub code: Signal<In, Bits<5>>,
    /// Context of the QP after the request.
    pub changed: Signal<Out, ResponderContext>,
    /// High if a receive WQE completes, in success or in error.
    pub completes: Signal<Out, Bit>,
    /// High if this packet takes a receive WQE.
    pub takes: Signal<Out, Bit>,
    /// High if the request takes a read/atomic slot.
    pub stores: Signal<Out, Bit>,
    payload: Signal<Local, Bits<32>>,
    states: QpStates,
}

#[kernel]
impl Logic for RequestEffect {
    fn update(&mut self) {
        self.payload.next = bit_cast::<32, 13>(self.arrival.val().payload);
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
        self.completes.next = false;
        self.takes.next = false;
        self.stores.next = false;
        if self.verdict.val().execute {
            // Section 4.
            self.changed.next.epsn = self.context.val().epsn + self.flags.val().packets;
            self.changed.next.nak_outstanding = false;
            self.changed.next.rnr_outstanding = false;
            self.takes.next = self.flags.val().takes_wqe;
            if self.flags.val().ends || self.flags.val().read || self.flags.val().atomic {
                self.changed.next.msn = self.context.val().msn + 1;
            }
            if self.flags.val().send || self.flags.val().write {
                self.changed.next.acked_psn = self.arrival.val().psn;
                self.changed.next.open_send = self.flags.val().send && !self.flags.val().ends;
                self.changed.next.open_write = self.flags.val().write && !self.flags.val().ends;
                self.changed.next.received = self.flags.val().total.get_bits::<32>(0);
                self.completes.next =
                    self.flags.val().ends && (self.flags.val().send || self.flags.val().immediate);
            }
            if self.flags.val().write {
                self.changed.next.write_va =
                    self.flags.val().write_va + bit_cast::<64, 13>(self.arrival.val().payload);
                self.changed.next.write_key = self.flags.val().write_key;
                self.changed.next.write_left = self.flags.val().write_left - self.payload.val();
            }
            if self.flags.val().read || self.flags.val().atomic {
                self.stores.next = true;
                self.changed.next.taken = self.context.val().taken + 1;
                if self.context.val().stored < self.settings.val().depth {
                    self.changed.next.stored = self.context.val().stored + 1;
                }
            }
        }
        // A positive answer advertises credits.
        if self.verdict.val().execute
            || self.verdict.val().acknowledge
            || (self.verdict.val().replay && self.matched.val())
        {
            self.changed.next.advertised = self.code.val();
            self.changed.next.unanswered = false;
        }
        if self.verdict.val().refuse {
            self.changed.next.nak_outstanding = true;
            self.changed.next.rnr_outstanding = self.verdict.val().syndrome.get_bits::<3>(5) == 1;
            if self.verdict.val().fatal {
                // Section 5: Error; the receive WQE of the message ends first.
                self.changed.next.state = self.states.error.val();
                self.changed.next.reported = false;
                self.takes.next = self.verdict.val().took_wqe;
                self.completes.next = self.context.val().open_send || self.verdict.val().took_wqe;
                self.changed.next.open_send = false;
                self.changed.next.open_write = false;
            }
        }
        if (self.verdict.val().execute && self.flags.val().takes_wqe)
            || (self.verdict.val().refuse && self.verdict.val().took_wqe)
        {
            self.changed.next.consumer = self.context.val().consumer + 1;
        }
    }
}
