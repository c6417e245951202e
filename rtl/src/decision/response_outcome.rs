//! The outcome of a response, and of an expired ack timer (`protocol/requester.md` sections 5 to 7).
use crate::completion::CqeStatuses;
use crate::receive::ResponseArrival;
use crate::requester::{
    RequesterRow, ResponseDecode, ResponseEffect, ResponseRegion, ResponseVerdict, Standing, Verdict,
};
use hca_hdl::prelude::*;

/// The requester's blocks from the region to the effect. A fault of keys is an input.
#[derive(LogicBlock, Default)]
pub struct ResponseOutcome {
    /// Row of the QP before the event.
    pub row: Signal<In, RequesterRow>,
    /// Highest PSN sent, plus one.
    pub horizon: Signal<In, Bits<24>>,
    /// Path MTU of the QP, a code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Number of retries that the QP may make without progress.
    pub retry_count: Signal<In, Bits<3>>,
    /// Number of RNR retries that the QP may make without progress; 7: without limit.
    pub rnr_retry_count: Signal<In, Bits<3>>,
    /// The response.
    pub response: Signal<In, ResponseArrival>,
    /// High if the ack timer expires, without a response.
    pub timeout: Signal<In, Bit>,
    /// High if the WQE's memory must not be written.
    pub faulty: Signal<In, Bit>,
    /// First PSN of the Read or atomic after the oldest.
    pub following_first: Signal<In, Bits<24>>,
    /// Last PSN of the Read or atomic after the oldest.
    pub following_last: Signal<In, Bits<24>>,
    /// Index of the WQE of the Read or atomic after the oldest.
    pub following_wqe: Signal<In, Bits<16>>,
    /// Bytes of the Read or atomic after the oldest.
    pub following_length: Signal<In, Bits<32>>,
    /// High if the one after the oldest is an atomic.
    pub following_atomic: Signal<In, Bit>,

    /// The decision.
    pub verdict: Signal<Out, Verdict>,
    /// High if the WQE's memory is walked.
    pub walks: Signal<Out, Bit>,
    /// Every PSN before this one is done.
    pub bound: Signal<Out, Bits<24>>,
    /// Row of the QP after the event.
    pub changed: Signal<Out, RequesterRow>,
    /// High if the oldest WQE ends with `status`, and the QP fails.
    pub fails: Signal<Out, Bit>,
    /// With `fails`: status of the completion (`host::cqe`).
    pub status: Signal<Out, Bits<8>>,
    /// High if the timer is set.
    pub sets_timer: Signal<Out, Bit>,
    /// With `sets_timer`: high if it is set to an RNR delay.
    pub waits: Signal<Out, Bit>,
    /// With `sets_timer`: high if it is set to the ack timeout; else it stops.
    pub runs: Signal<Out, Bit>,

    standing: Standing,
    region: ResponseRegion,
    decode: ResponseDecode,
    judge: ResponseVerdict,
    effect: ResponseEffect,
    fault: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for ResponseOutcome {
    fn update(&mut self) {
        self.standing.state.next = self.row.val().state;
        self.standing.new_state.next = self.row.val().state;
        inputs!(self.region, row, horizon, pmtu);
        self.region.psn.next = self.response.val().psn;

        inputs!(self.judge, row, place: region.place, takes: standing.continues);
        // The requester expects no credits here.
        self.judge.expected.next = false;
        inputs!(self.decode, arrival: response, row, pmtu);
        self.judge.psn.next = self.response.val().psn;
        self.judge.form.next = self.decode.form.val();
        self.verdict.next = self.judge.verdict.val();
        self.walks.next = (self.judge.verdict.val().data && self.response.val().payload.any())
            || self.judge.verdict.val().atomic;
        self.fault.next = self.faulty.val()
            && ((self.judge.verdict.val().data && self.response.val().payload.any())
                || self.judge.verdict.val().atomic);

        self.taken.next = !self.timeout.val();
        inputs!(self.effect, row, horizon, retry_count, rnr_retry_count, timeout);
        self.effect.ack.next = self.taken.val() && self.judge.verdict.val().ack;
        self.effect.data.next = self.taken.val() && self.judge.verdict.val().data && !self.fault.val();
        self.effect.atomic.next = self.taken.val() && self.judge.verdict.val().atomic && !self.fault.val();
        self.effect.ends.next = self.judge.verdict.val().ends;
        self.effect.lost.next = self.taken.val() && self.judge.verdict.val().lost;
        self.effect.sequence_nak.next = self.taken.val() && self.judge.verdict.val().sequence_nak;
        self.effect.rnr_nak.next = self.taken.val() && self.judge.verdict.val().rnr_nak;
        self.effect.fatal.next = self.taken.val() && (self.judge.verdict.val().fatal || self.fault.val());
        self.effect.fatal_status.next = self.judge.verdict.val().fatal_status;
        self.effect.bound.next = self.judge.verdict.val().bound;
        self.bound.next = self.judge.verdict.val().bound;
        if self.fault.val() {
            self.effect.fatal_status.next = self.statuses.loc_prot_err.val();
            self.effect.bound.next = self.response.val().psn;
            self.bound.next = self.response.val().psn;
        }
        if self.timeout.val() {
            self.effect.bound.next = self.row.val().una;
            self.bound.next = self.row.val().una;
        }
        self.effect.following.next.first = self.following_first.val();
        self.effect.following.next.last = self.following_last.val();
        self.effect.following.next.wqe = self.following_wqe.val();
        self.effect.following.next.length = self.following_length.val();
        self.effect.following.next.atomic = self.following_atomic.val();
        outputs!(self.effect, changed: new_row, fails, status, sets_timer, waits, runs);
    }
}
