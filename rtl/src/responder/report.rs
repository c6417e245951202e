//! Forms the responder's retire records (`host::retire`).
use super::RequestVerdict;
use crate::drop_reasons::DropReasons;
use crate::receive::RequestArrival;
use crate::retire::{kind, kind_code, RetireRecord};
use hca_hdl::prelude::*;
use hca_host::{command, retire};

/// Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct ResponderReport {
    /// The request.
    pub arrival: Signal<In, RequestArrival>,
    /// The decision on the request.
    pub verdict: Signal<In, RequestVerdict>,
    /// High if a replay repeats a stored operation.
    pub matched: Signal<In, Bit>,
    /// PSN of the answer.
    pub psn: Signal<In, Bits<24>>,
    /// Index of the next receive WQE.
    pub consumer: Signal<In, Bits<16>>,
    /// QPN of the QP.
    pub qpn: Signal<In, Bits<24>>,
    /// High if the event is not a packet: a change to Error or, with `advertises`, an unsolicited ack.
    pub applies: Signal<In, Bit>,
    /// High if an unsolicited ack is sent.
    pub advertises: Signal<In, Bit>,
    /// PSN of that ack.
    pub advertised_psn: Signal<In, Bits<24>>,
    /// High if the packet is dropped.
    pub drops: Signal<Out, Bit>,
    /// With `drops`: reason of the drop (`host::retire::drop`).
    pub drop_reason: Signal<Out, Bits<8>>,
    /// High if the packet is for QP0 and dropped for want of a receive WQE, or of a queue pair that receives
    /// (`protocol/special_qps.md` section 3 steps 8, 12 and 13).
    pub drops_smp: Signal<Out, Bit>,
    /// High if the packet is dropped without a report.
    pub silent: Signal<Out, Bit>,
    /// Record of the receive WQE that is taken.
    pub fetched: Signal<Out, RetireRecord>,
    /// Record of the decision.
    pub record: Signal<Out, RetireRecord>,
    why: DropReasons,
    #[default(kind_code(retire::kind::WQE_FETCHED, retire::QUEUE_RECEIVE))]
    kind_fetched: Constant<RetireRecord>,
    #[default(kind(retire::kind::REQUEST_EXECUTED))]
    kind_executed: Constant<RetireRecord>,
    #[default(kind(retire::kind::DUPLICATE_REQUEST))]
    kind_duplicate: Constant<RetireRecord>,
    #[default(kind(retire::kind::REQUEST_REFUSED))]
    kind_refused: Constant<RetireRecord>,
    #[default(kind(retire::kind::PACKET_DROPPED))]
    kind_dropped: Constant<RetireRecord>,
    #[default(kind(retire::kind::COPY_DROPPED))]
    kind_copy_dropped: Constant<RetireRecord>,
    #[default(kind_code(retire::kind::STATE_CHANGED, command::STATE_ERROR as u8))]
    kind_state: Constant<RetireRecord>,
    #[default(kind(retire::kind::UNSOLICITED_ACK))]
    kind_unsolicited: Constant<RetireRecord>,
}

#[kernel]
impl Logic for ResponderReport {
    fn update(&mut self) {
        self.drops.next = !self.applies.val()
            && (self.verdict.val().drop || (self.verdict.val().replay && !self.matched.val()));
        self.drop_reason.next = self.why.unmatched_duplicate.val();
        if self.verdict.val().drop {
            self.drop_reason.next = self.verdict.val().drop_reason;
        }
        // The copy of a multicast packet of the port has no member to go to (`ud.md` section 4.3).
        self.drops_smp.next = self.drops.val()
            && self.arrival.val().subnet
            && ((self.drop_reason.val() == self.why.qp_state.val())
                || (self.drop_reason.val() == self.why.no_receive_wqe.val())
                || (self.drop_reason.val() == self.why.buffer_too_small.val()));
        self.silent.next = self.drops.val() && !self.drop_reason.val().any();
        self.fetched.next = self.kind_fetched.val();
        self.fetched.next.qpn = self.qpn.val();
        self.fetched.next.index = bit_cast::<32, 16>(self.consumer.val());
        self.record.next = self.kind_duplicate.val();
        self.record.next.psn = self.arrival.val().psn;
        if self.drops.val() {
            self.record.next = self.kind_dropped.val();
            if self.arrival.val().copy {
                self.record.next = self.kind_copy_dropped.val();
            }
            self.record.next.code = self.drop_reason.val();
            self.record.next.psn = self.arrival.val().psn;
        } else if self.verdict.val().execute {
            self.record.next = self.kind_executed.val();
            self.record.next.psn = self.arrival.val().psn;
        } else if self.verdict.val().refuse {
            self.record.next = self.kind_refused.val();
            self.record.next.code = self.verdict.val().syndrome;
            self.record.next.psn = self.psn.val();
        }
        self.record.next.qpn = self.arrival.val().dest_qp;
        self.record.next.index = self.arrival.val().packet;
        if self.applies.val() {
            self.record.next = self.kind_state.val();
            if self.advertises.val() {
                self.record.next = self.kind_unsolicited.val();
                self.record.next.psn = self.advertised_psn.val();
            }
            self.record.next.qpn = self.qpn.val();
        }
    }
}
