//! Effect of a response, or of an ack timer that expires: passes the verdict to [`ResponseEffect`].
use super::{ReadSpan, RequesterRow, ResponseEffect, Verdict};
use crate::completion::CqeStatuses;
use crate::context::{QpAttributes, QpConfig};
use hca_hdl::prelude::*;

/// `protocol/requester.md` sections 6 to 8. Pure function.
#[derive(LogicBlock, Default)]
pub struct AnswerEffect {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// `MODIFY_QP` arguments 0 to 13, 22 and 23.
    pub attributes: Signal<In, QpAttributes>,
    /// Highest PSN sent, plus one.
    pub horizon: Signal<In, Bits<24>>,
    /// Meaning of the response.
    pub verdict: Signal<In, Verdict>,
    /// Every PSN before this one is done.
    pub bound: Signal<In, Bits<24>>,
    /// High if the response may not be written to the memory that its WQE names.
    pub local_fault: Signal<In, Bit>,
    /// High if `local_fault` is caused by a malformed SGE list.
    pub list_fault: Signal<In, Bit>,
    /// High if the response is one that the adapter makes itself for a packet of an unreliable service: an ack if the
    /// packet was handed to the link or discarded, a NAK if host memory failed to return its payload.
    pub own: Signal<In, Bit>,
    /// High if the ack timer has expired and there is no response.
    pub timeout: Signal<In, Bit>,
    /// The Read or atomic after the oldest, as in [`ResponseEffect`].
    pub following: Signal<In, ReadSpan>,

    /// State of the QP afterwards.
    pub new_row: Signal<Out, RequesterRow>,
    /// High if PSNs are newly acknowledged.
    pub progress: Signal<Out, Bit>,
    /// High if the oldest WQE ends with `status` and the QP fails.
    pub fails: Signal<Out, Bit>,
    /// Completion status of the oldest WQE if the QP fails (`host::cqe`).
    pub status: Signal<Out, Bits<8>>,
    /// High if the timer is set or stopped.
    pub sets_timer: Signal<Out, Bit>,
    /// With `sets_timer`: high if the timer is set to an RNR delay.
    pub waits: Signal<Out, Bit>,
    /// With `sets_timer`: high if the timer is set to the ack timeout; with neither `waits` nor `runs` it stops.
    pub runs: Signal<Out, Bit>,
    /// High if packets that leave start no timer.
    pub arms: Signal<Out, Bit>,

    effect: ResponseEffect,
    qp: Signal<Local, QpConfig>,
    responds: Signal<Local, Bit>,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for AnswerEffect {
    fn update(&mut self) {
        self.responds.next = !self.timeout.val();
        self.effect.fatal_status.next = self.verdict.val().fatal_status;
        if self.own.val() {
            // `uc.md` section 2, local errors.
            self.effect.fatal_status.next = self.statuses.loc_qp_op_err.val();
        }
        if self.local_fault.val() {
            // `requester.md` section 8.
            self.effect.fatal_status.next = self.statuses.loc_prot_err.val();
            if self.list_fault.val() {
                self.effect.fatal_status.next = self.statuses.loc_qp_op_err.val();
            }
        }
        inputs!(self.effect, row, horizon, timeout, bound, following);
        self.qp.next = self.attributes.val().row;
        self.effect.retry_count.next = self.qp.val().retry_count;
        self.effect.rnr_retry_count.next = self.qp.val().rnr_retry_count;
        self.effect.ack.next = self.responds.val() && self.verdict.val().ack;
        self.effect.data.next = self.responds.val() && self.verdict.val().data && !self.local_fault.val();
        self.effect.atomic.next = self.responds.val() && self.verdict.val().atomic && !self.local_fault.val();
        self.effect.ends.next = self.verdict.val().ends;
        self.effect.lost.next = self.responds.val() && self.verdict.val().lost;
        self.effect.sequence_nak.next = self.responds.val() && self.verdict.val().sequence_nak;
        self.effect.rnr_nak.next = self.responds.val() && self.verdict.val().rnr_nak;
        self.effect.fatal.next = self.responds.val() && (self.verdict.val().fatal || self.local_fault.val());
        outputs!(self.effect, new_row, progress, fails, status, sets_timer, waits, runs);
        self.arms.next =
            self.effect.fails.val() || self.effect.waits.val() || (self.bound.val() != self.horizon.val());
    }
}
