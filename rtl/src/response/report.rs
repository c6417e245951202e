//! Forms the retire records of answers before they leave: Reads whose data is fetched or refused, and replays that are
//! dropped.
use super::packet::NAK_REMOTE_ACCESS;
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::retire;

/// Records of the lane `RESPONSE` of the retire port. At most one of `fetched`, `refused` and `dropped` is high.
#[derive(LogicBlock, SmartDefault)]
pub struct AnswerReport {
    /// High if the data of a read response is fetched.
    pub fetched: Signal<In, Bit>,
    /// High if a Read is refused.
    pub refused: Signal<In, Bit>,
    /// High if a replay is dropped.
    pub dropped: Signal<In, Bit>,
    /// QPN of the record.
    pub qpn: Signal<In, Bits<24>>,
    /// PSN of the record.
    pub psn: Signal<In, Bits<24>>,
    /// High if there is a record.
    pub valid: Signal<Out, Bit>,
    /// The record.
    pub record: Signal<Out, RetireRecord>,
    #[default(crate::retire::kind(retire::kind::READ_FETCHED))]
    record_fetched: Constant<RetireRecord>,
    #[default(crate::retire::kind_code(retire::kind::READ_REFUSED, NAK_REMOTE_ACCESS))]
    record_refused: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::REPLAY_DROPPED))]
    record_dropped: Constant<RetireRecord>,
}

#[kernel]
impl Logic for AnswerReport {
    fn update(&mut self) {
        self.valid.next = self.fetched.val() || self.refused.val() || self.dropped.val();
        self.record.next = self.record_fetched.val();
        if self.refused.val() {
            self.record.next = self.record_refused.val();
        }
        if self.dropped.val() {
            self.record.next = self.record_dropped.val();
        }
        self.record.next.qpn = self.qpn.val();
        self.record.next.psn = self.psn.val();
    }
}
