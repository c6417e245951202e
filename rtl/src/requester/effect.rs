//! Effect of a response, or of an ack timer that expires, on the row.
use super::{ReadSpan, RequesterRow};
use crate::completion::CqeStatuses;
use hca_hdl::prelude::*;
use hca_host::retire::rewind;

/// `protocol/requester.md` sections 6 and 7, `aeth.md` section 6. Pure function of the row and of the verdict.
#[derive(LogicBlock, SmartDefault)]
pub struct ResponseEffect {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Highest PSN sent, plus one.
    pub horizon: Signal<In, Bits<24>>,
    /// Retry count of the QP.
    pub retry_count: Signal<In, Bits<3>>,
    /// RNR retry count of the QP.
    pub rnr_retry_count: Signal<In, Bits<3>>,

    /// High if everything up to the PSN of the response is done. This port and the next seven have the meanings of
    /// [`super::Verdict`]; all are low if the response is dropped.
    pub ack: Signal<In, Bit>,
    /// High if the response is the read response that the row waits for.
    pub data: Signal<In, Bit>,
    /// High if the response is the atomic ack that the row waits for.
    pub atomic: Signal<In, Bit>,
    /// High if the response answers the last PSN of its Read, or the atomic.
    pub ends: Signal<In, Bit>,
    /// High if responses before this one were lost: an implied NAK.
    pub lost: Signal<In, Bit>,
    /// High if the response is a NAK for a PSN sequence error.
    pub sequence_nak: Signal<In, Bit>,
    /// High if the response is an RNR NAK.
    pub rnr_nak: Signal<In, Bit>,
    /// High if the WQE that holds the PSN ends with `fatal_status`.
    pub fatal: Signal<In, Bit>,
    /// Completion status of that WQE (`host::cqe`).
    pub fatal_status: Signal<In, Bits<8>>,
    /// High if the ack timer has expired and there is no response.
    pub timeout: Signal<In, Bit>,
    /// Every PSN before this one is done.
    pub bound: Signal<In, Bits<24>>,
    /// The Read or atomic after the oldest: first PSN 24 | last PSN 24 | WQE 16 | length 32 | atomic 1, from the most
    /// significant end.
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

    retries: Signal<Local, Bits<3>>,
    retrying: Signal<Local, Bit>,
    positive: Signal<Local, Bit>,
    repeated: Signal<Local, Bit>,
    retry: Signal<Local, Bit>,
    exhausted: Signal<Local, Bit>,
    /// An RNR NAK that begins a delay.
    delayed: Signal<Local, Bit>,
    rnr_exhausted: Signal<Local, Bit>,
    answered: Signal<Local, Bits<24>>,
    none_left: Signal<Local, Bit>,
    answers_read: Signal<Local, Bit>,
    rewinding: Signal<Local, Bit>,
    statuses: CqeStatuses,
    #[default(cause(rewind::SEQUENCE_NAK))]
    cause_sequence: Constant<Bits<2>>,
    #[default(cause(rewind::IMPLIED_NAK))]
    cause_implied: Constant<Bits<2>>,
    #[default(cause(rewind::RNR_WAIT_OVER))]
    cause_rnr: Constant<Bits<2>>,
    #[default(cause(rewind::ACK_TIMEOUT))]
    cause_timeout: Constant<Bits<2>>,
}

fn cause(value: u8) -> Constant<Bits<2>> {
    constant(value)
}

#[kernel]
impl Logic for ResponseEffect {
    fn update(&mut self) {
        self.new_row.next = self.row.val();
        self.positive.next = self.ack.val() || self.data.val() || self.atomic.val();

        // Everything before the bound is done; progress counts retries anew (CF190).
        self.progress.next = self.bound.val() != self.row.val().una;
        self.new_row.next.una = self.bound.val();
        self.answered.next = self.bound.val() - self.row.val().start;
        self.new_row.next.wrapped = self.row.val().wrapped || self.answered.val().get_bit(23);
        self.retries.next = self.row.val().retries;
        self.retrying.next = self.row.val().retrying;
        if self.progress.val() {
            self.retries.next = self.retry_count.val();
            self.retrying.next = false;
        }
        self.new_row.next.retries = self.retries.val();
        self.new_row.next.retrying = self.retrying.val();
        // CF116.
        if self.positive.val() {
            self.new_row.next.rnr_retries = self.rnr_retry_count.val();
        }
        self.none_left.next = self.bound.val() == self.horizon.val();

        // A NAK that repeats the cause of a retry under way uses up no retry. A NAK that comes before the first packet
        // is sent again requires nothing more, and an RNR delay goes on.
        self.repeated.next = (self.retrying.val() || self.row.val().rewinding) && !self.timeout.val();
        self.retry.next =
            (self.lost.val() || self.sequence_nak.val() || self.timeout.val()) && !self.repeated.val();
        // CF189.
        self.exhausted.next = self.retry.val() && !self.retries.val().any();
        // CF114, CF115: 7 never ends.
        self.delayed.next = self.rnr_nak.val()
            && !(self.row.val().rewinding && (self.row.val().cause == self.cause_rnr.val()));
        self.rnr_exhausted.next =
            self.delayed.val() && (self.rnr_retry_count.val() != 7) && !self.row.val().rnr_retries.any();
        self.fails.next = self.fatal.val() || self.exhausted.val() || self.rnr_exhausted.val();
        self.status.next = self.fatal_status.val();
        if self.exhausted.val() {
            self.status.next = self.statuses.retry_exc_err.val();
        }
        if self.rnr_exhausted.val() {
            self.status.next = self.statuses.rnr_retry_exc_err.val();
        }

        self.rewinding.next = self.row.val().rewinding && !self.none_left.val();
        if self.none_left.val() {
            self.new_row.next.waiting = false;
        }
        if self.retry.val() {
            self.rewinding.next = true;
            self.new_row.next.waiting = false;
            self.new_row.next.retrying = true;
            self.new_row.next.retries = self.retries.val() - 1;
            self.new_row.next.cause = self.cause_sequence.val();
            if self.lost.val() {
                self.new_row.next.cause = self.cause_implied.val();
            }
            if self.timeout.val() {
                self.new_row.next.cause = self.cause_timeout.val();
            }
        }
        if self.delayed.val() {
            self.rewinding.next = true;
            self.new_row.next.waiting = true;
            self.new_row.next.cause = self.cause_rnr.val();
            if self.rnr_retry_count.val() != 7 {
                self.new_row.next.rnr_retries = self.row.val().rnr_retries - 1;
            }
        }
        self.new_row.next.rewinding = self.rewinding.val();

        // The next Read or atomic becomes the oldest.
        self.answers_read.next = (self.data.val() && self.ends.val()) || self.atomic.val();
        if self.answers_read.val() {
            self.new_row.next.reads = self.row.val().reads - 1;
            self.new_row.next.read_head = self.row.val().read_head + 1;
            self.new_row.next.read_first = self.following.val().first;
            self.new_row.next.read_last = self.following.val().last;
            self.new_row.next.read_wqe = self.following.val().wqe;
            self.new_row.next.read_length = self.following.val().length;
            self.new_row.next.read_atomic = self.following.val().atomic;
        }

        // It runs while something is outstanding and nothing has to be sent again (aeth.md section 6).
        self.waits.next = self.delayed.val() && !self.fails.val();
        self.runs.next = !self.fails.val() && !self.rewinding.val() && !self.none_left.val();
        self.sets_timer.next =
            self.progress.val() || self.fails.val() || self.retry.val() || self.delayed.val();
        if self.row.val().waiting && !self.fails.val() && !self.retry.val() && !self.none_left.val() {
            self.sets_timer.next = self.delayed.val();
        }
    }
}
