//! Forms the requester's retire records (`host::retire`).
use crate::retire::RetireRecord;
use hca_hdl::prelude::*;
use hca_host::retire;

/// Builds records. At most one of `accepted` to `stopped` is high.
#[derive(LogicBlock, SmartDefault)]
pub struct RequesterReport {
    /// QPN of the record.
    pub qpn: Signal<In, Bits<24>>,
    /// PSN of the record.
    pub psn: Signal<In, Bits<24>>,
    /// Syndrome, drop reason, status or cause of the record.
    pub code: Signal<In, Bits<8>>,
    /// Arrival number of the packet, or index of the WQE.
    pub number: Signal<In, Bits<32>>,
    /// High if a response is accepted.
    pub accepted: Signal<In, Bit>,
    /// High if a response is dropped.
    pub dropped: Signal<In, Bit>,
    /// High if a WQE ends in error for a local fault.
    pub refused: Signal<In, Bit>,
    /// High if the ack timer has expired.
    pub expired: Signal<In, Bit>,
    /// High if the QP goes back to the oldest PSN.
    pub rewound: Signal<In, Bit>,
    /// High if the QP goes to Error.
    pub changed: Signal<In, Bit>,
    /// High if the QP goes to SQE.
    pub stopped: Signal<In, Bit>,
    /// High if any of these decisions is reported.
    pub valid: Signal<Out, Bit>,
    /// The record of the requester's lane.
    pub record: Signal<Out, RetireRecord>,
    /// The record of the lane of send WQEs: send WQE `number` starts.
    pub fetched_record: Signal<Out, RetireRecord>,

    /// High for a kind that names all fields.
    names_all: Signal<Local, Bit>,
    #[default(crate::retire::kind(retire::kind::RESPONSE_ACCEPTED))]
    kind_accepted: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::PACKET_DROPPED))]
    kind_dropped: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::SEND_REFUSED))]
    kind_refused: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::ACK_TIMER_EXPIRED))]
    kind_expired: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::REWOUND))]
    kind_rewound: Constant<RetireRecord>,
    #[default(crate::retire::kind_code(retire::kind::STATE_CHANGED, hca_host::command::STATE_ERROR as u8))]
    kind_changed: Constant<RetireRecord>,
    #[default(crate::retire::kind_code(retire::kind::STATE_CHANGED, hca_host::command::STATE_SQE as u8))]
    kind_stopped: Constant<RetireRecord>,
    #[default(crate::retire::kind_code(retire::kind::WQE_FETCHED, retire::QUEUE_SEND))]
    kind_fetched: Constant<RetireRecord>,
}

#[kernel]
impl Logic for RequesterReport {
    fn update(&mut self) {
        self.valid.next = true;
        self.names_all.next = true;
        self.record.next = bits::<96>(0).into();
        if self.accepted.val() {
            self.record.next = self.kind_accepted.val();
        } else if self.dropped.val() {
            self.record.next = self.kind_dropped.val();
        } else if self.refused.val() {
            self.record.next = self.kind_refused.val();
        } else if self.expired.val() {
            self.record.next = self.kind_expired.val();
        } else if self.rewound.val() {
            self.record.next = self.kind_rewound.val();
        } else if self.changed.val() {
            self.record.next = self.kind_changed.val();
            self.names_all.next = false;
        } else if self.stopped.val() {
            self.record.next = self.kind_stopped.val();
            self.names_all.next = false;
        } else {
            self.valid.next = false;
            self.names_all.next = false;
        }
        if self.valid.val() {
            self.record.next.qpn = self.qpn.val();
        }
        if self.names_all.val() {
            self.record.next.code = self.code.val();
            self.record.next.psn = self.psn.val();
            self.record.next.index = self.number.val();
        }
        self.fetched_record.next = self.kind_fetched.val();
        self.fetched_record.next.qpn = self.qpn.val();
        self.fetched_record.next.index = bit_cast::<32, 16>(self.number.val().get_bits::<16>(0));
    }
}
