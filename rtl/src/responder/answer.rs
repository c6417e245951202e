//! Forms the answer to a request from its verdict (`protocol/responder.md` sections 4 to 9).
use super::{RequestFlags, RequestVerdict, ResponderContext, ResponderSettings};
use crate::receive::RequestArrival;
use crate::response::{ResponseJob, JOB_ACK, JOB_ATOMIC, JOB_READ};
use hca_hdl::prelude::*;

/// A pure function of its inputs.
#[derive(LogicBlock, SmartDefault)]
pub struct RequestAnswer {
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
    /// MSN after the request.
    pub msn: Signal<In, Bits<24>>,
    /// High if a duplicate repeats a stored operation.
    pub matched: Signal<In, Bit>,
    /// Slot of that operation.
    pub place: Signal<In, Bits<4>>,
    /// Credit code of a positive answer.
    pub code: Signal<In, Bits<5>>,
    /// Number of packets of this side whose writes come before the answer, this one included, modulo 2^16.
    pub fence: Signal<In, Bits<16>>,
    /// High if the request is answered.
    pub valid: Signal<Out, Bit>,
    /// The answer, for the response engine.
    pub job: Signal<Out, ResponseJob>,
    /// PSN of the answer.
    pub psn: Signal<Out, Bits<24>>,
    /// PSN of the last packet of the answer.
    pub last_psn: Signal<Out, Bits<24>>,
    #[default(job(JOB_ACK))]
    job_ack: Constant<Bits<2>>,
    #[default(job(JOB_READ))]
    job_read: Constant<Bits<2>>,
    #[default(job(JOB_ATOMIC))]
    job_atomic: Constant<Bits<2>>,
}

fn job(kind: u8) -> Constant<Bits<2>> {
    constant(kind)
}

#[kernel]
impl Logic for RequestAnswer {
    fn update(&mut self) {
        self.valid.next = self.verdict.val().acknowledge
            || self.verdict.val().execute
            || (self.verdict.val().replay && self.matched.val())
            || (self.verdict.val().refuse && !self.verdict.val().silent);
        self.psn.next = self.arrival.val().psn;
        if self.verdict.val().acknowledge {
            // Never the PSN of a Read (CF125).
            self.psn.next = self.context.val().acked_psn;
        }
        if self.verdict.val().refuse {
            // The expected PSN (CF059), which is the packet's own for every NAK but a sequence NAK.
            self.psn.next = self.context.val().epsn;
        }
        self.last_psn.next = (self.arrival.val().psn + self.flags.val().packets) - 1;

        self.job.next.kind = self.job_ack.val();
        self.job.next.qpn = self.settings.val().qpn;
        self.job.next.psn = self.psn.val();
        self.job.next.syndrome = bit_cast::<8, 5>(self.code.val());
        if self.verdict.val().refuse {
            self.job.next.syndrome = self.verdict.val().syndrome;
        }
        self.job.next.msn = self.msn.val();
        self.job.next.slid = self.arrival.val().dlid;
        self.job.next.sl = self.arrival.val().sl;
        self.job.next.va = self.arrival.val().va;
        self.job.next.r_key = self.arrival.val().r_key;
        self.job.next.length = self.arrival.val().dma_len;
        self.job.next.slot = self.context.val().taken.get_bits::<4>(0);
        self.job.next.fence = self.fence.val();
        if self.verdict.val().execute || self.verdict.val().replay {
            if self.flags.val().read {
                self.job.next.kind = self.job_read.val();
            }
            if self.flags.val().atomic {
                self.job.next.kind = self.job_atomic.val();
                // A new atomic clears the slot's saved value.
                self.job.next.length = bits::<32>(8);
            }
        }
        if self.verdict.val().replay {
            self.job.next.slot = self.place.val();
            if self.flags.val().atomic {
                self.job.next.length = bits::<32>(0);
            }
        }
    }
}
