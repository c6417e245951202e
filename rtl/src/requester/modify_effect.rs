//! Effect of MODIFY_QP on a requester.
use super::{RequesterRow, Standing};
use crate::context::QpConfig;
use hca_hdl::prelude::*;

/// The row after a modification (`protocol/qp_cq.md` section 1). Pure function of the row and of the command.
#[derive(LogicBlock, SmartDefault)]
pub struct ModifyEffect {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Number of packets of the QP that are gone, modulo 2^8.
    pub gone: Signal<In, Bits<8>>,
    /// `MODIFY_QP` arguments 0 to 13.
    pub modify_row: Signal<In, QpConfig>,
    /// High if `resets` was high one cycle earlier for the same row and command.
    pub reset_asked: Signal<In, Bit>,
    /// High if `starts` was high one cycle earlier for the same row and command.
    pub start_asked: Signal<In, Bit>,
    /// High if `errs` was high one cycle earlier for the same row and command.
    pub error_asked: Signal<In, Bit>,
    /// High if software has seen the QP in SQE and lets it send again.
    pub restarts: Signal<In, Bit>,
    /// Index of the oldest WQE that is not complete, modulo 2^16.
    pub oldest: Signal<In, Bits<16>>,
    /// State of the QP after the command.
    pub new_row: Signal<Out, RequesterRow>,
    /// High if the command moves the QP to Reset.
    pub resets: Signal<Out, Bit>,
    /// High if the command moves the QP from RTR to RTS: the send side starts at `start_psn`.
    pub starts: Signal<Out, Bit>,
    /// First PSN of the send side.
    pub start_psn: Signal<Out, Bits<24>>,
    /// High if the command moves the QP to Error.
    pub errs: Signal<Out, Bit>,
    /// State of a QP after a reset.
    pub cleared_row: Signal<Out, RequesterRow>,
    /// High if the QP stays in Error or SQE, which it entered while the command was on its way.
    stays: Signal<Local, Bit>,
    standing: Standing,
    #[default(Constant::new(RequesterRow::default()))]
    cleared: Constant<RequesterRow>,
}

#[kernel]
impl Logic for ModifyEffect {
    fn update(&mut self) {
        self.standing.state.next = self.row.val().state;
        self.standing.new_state.next = self.modify_row.val().state;
        outputs!(self.standing, resets: new_is_reset, starts);
        self.start_psn.next = self.modify_row.val().sq_psn;
        self.errs.next = self.standing.new_is_error.val();
        self.cleared_row.next = self.cleared.val();

        self.new_row.next = self.row.val();
        // The QP stays failed if it failed while the command was on its way.
        self.stays.next = self.standing.failed.val()
            || (self.standing.stopped.val() && self.standing.new_sends.val() && !self.restarts.val());
        if !self.stays.val() {
            self.new_row.next.state = self.modify_row.val().state;
        }
        // `uc.md` section 2, SQE to RTS: what was flushed is gone, and the PSNs go on.
        if self.standing.stopped.val() && self.restarts.val() {
            self.new_row.next.flushing = false;
            self.new_row.next.refused = false;
            self.new_row.next.broken = false;
            self.new_row.next.una = self.row.val().psn;
            self.new_row.next.started = self.oldest.val();
            self.new_row.next.current = self.oldest.val();
            self.new_row.next.offset = bits::<32>(0);
        }
        if self.reset_asked.val() {
            self.new_row.next = self.cleared.val();
            self.new_row.next.issued = self.row.val().issued;
        }
        if self.start_asked.val() {
            self.new_row.next.una = self.modify_row.val().sq_psn;
            self.new_row.next.psn = self.modify_row.val().sq_psn;
            self.new_row.next.start = self.modify_row.val().sq_psn;
            self.new_row.next.resent = self.modify_row.val().sq_psn;
            self.new_row.next.went_back = true;
            self.new_row.next.since = self.gone.val();
            self.new_row.next.retries = self.modify_row.val().retry_count;
            self.new_row.next.rnr_retries = self.modify_row.val().rnr_retry_count;
        }
        if self.error_asked.val() {
            self.new_row.next.flushing = true;
            self.new_row.next.unreported = false;
        }
    }
}
