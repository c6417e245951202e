//! Reports of completion queues on the retire port (`host::retire`).
use super::CompletionRecord;
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::retire;

/// The record of a completion that is written or lost, or of a consumer doorbell. Pure function. `CB`: CQ index bits.
#[derive(LogicBlock, SmartDefault)]
pub struct CqReport<const CB: usize> {
    /// The completion.
    pub record: Signal<In, CompletionRecord>,
    /// High if the completion is lost, low if it is written.
    pub lost: Signal<In, Bit>,
    /// High for a consumer doorbell, low for a completion.
    pub consumes: Signal<In, Bit>,
    /// CQ of the doorbell.
    pub index: Signal<In, Bits<CB>>,
    /// Number of CQEs polled, modulo 2^16.
    pub consumer: Signal<In, Bits<16>>,
    /// The retire record.
    pub retired: Signal<Out, RetireRecord>,
    #[default(crate::retire::kind(retire::kind::COMPLETION_WRITTEN))]
    kind_written: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::CQ_OVERFLOW))]
    kind_overflow: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::CQ_CONSUMED))]
    kind_consumed: Constant<RetireRecord>,
}

#[kernel]
impl<const CB: usize> Logic for CqReport<CB> {
    fn update(&mut self) {
        self.retired.next = self.kind_written.val();
        if self.lost.val() {
            self.retired.next = self.kind_overflow.val();
        }
        self.retired.next.code = self.record.val().status;
        self.retired.next.qpn = self.record.val().qpn;
        self.retired.next.psn = bit_cast::<24, 16>(self.record.val().cqn);
        self.retired.next.index = (bit_cast::<32, 1>(self.record.val().receive.into()) << 16)
            | bit_cast::<32, 16>(self.record.val().index);
        if self.consumes.val() {
            self.retired.next = self.kind_consumed.val();
            self.retired.next.qpn = bit_cast::<24, CB>(self.index.val());
            self.retired.next.index = bit_cast::<32, 16>(self.consumer.val());
        }
    }
}
