//! Forms the ack that no packet requested (`protocol/aeth.md` section 5, `protocol/scenario_seed001.md` section 2).
use crate::responder::{ResponderContext, ResponderSettings};
use crate::response::{ResponseJob, JOB_ACK};
use hca_hdl::prelude::*;

/// Makes an Acknowledge with the PSN of the latest positive answer (CF151, CF152), never of a NAK (CF153): all requests
/// before ePSN are answered. Its addresses are those of a request of the QP. Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct UnsolicitedAck {
    /// State of the QP as a responder.
    pub context: Signal<In, ResponderContext>,
    /// Settings of the QP as a responder.
    pub settings: Signal<In, ResponderSettings>,
    /// Base LID of the port.
    pub port_lid: Signal<In, Bits<16>>,
    /// Credit code of the ack.
    pub code: Signal<In, Bits<5>>,
    /// Number of packets of this side whose writes come before the ack, modulo 2^16.
    pub fence: Signal<In, Bits<16>>,
    /// The ack as a job of the response engine.
    pub job: Signal<Out, ResponseJob>,
    #[default(constant(JOB_ACK))]
    job_ack: Constant<Bits<2>>,
}

#[kernel]
impl Logic for UnsolicitedAck {
    fn update(&mut self) {
        self.job.next.kind = self.job_ack.val();
        self.job.next.qpn = self.settings.val().qpn;
        self.job.next.psn = self.context.val().epsn - 1;
        self.job.next.syndrome = bit_cast::<8, 5>(self.code.val());
        self.job.next.msn = self.context.val().msn;
        self.job.next.slid = self.port_lid.val() + bit_cast::<16, 7>(self.settings.val().path_bits);
        self.job.next.sl = self.settings.val().sl;
        self.job.next.va = bits::<64>(0);
        self.job.next.r_key = bits::<32>(0);
        self.job.next.length = bits::<32>(0);
        self.job.next.slot = bits::<4>(0);
        self.job.next.fence = self.fence.val();
    }
}
