//! Forms the requester's retire records (`host::retire`).
use hca_hdl::primitive::comment;
use hca_host::retire;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

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
    /// High if one of them is reported.
    pub valid: Signal<Out, Bit>,
    /// The record of the requester's lane.
    pub record: Signal<Out, Bits<96>>,
    /// The record of the lane of send WQEs: send WQE `number` starts.
    pub fetched_record: Signal<Out, Bits<96>>,

    fields: Signal<Local, Bits<96>>,
    #[default(crate::retire::kind(retire::kind::RESPONSE_ACCEPTED))]
    kind_accepted: Constant<Bits<96>>,
    #[default(crate::retire::kind(retire::kind::PACKET_DROPPED))]
    kind_dropped: Constant<Bits<96>>,
    #[default(crate::retire::kind(retire::kind::SEND_REFUSED))]
    kind_refused: Constant<Bits<96>>,
    #[default(crate::retire::kind(retire::kind::ACK_TIMER_EXPIRED))]
    kind_expired: Constant<Bits<96>>,
    #[default(crate::retire::kind(retire::kind::REWOUND))]
    kind_rewound: Constant<Bits<96>>,
    #[default(crate::retire::kind_code(retire::kind::STATE_CHANGED, hca_host::command::STATE_ERROR as u8))]
    kind_changed: Constant<Bits<96>>,
    #[default(crate::retire::kind_code(retire::kind::STATE_CHANGED, hca_host::command::STATE_SQE as u8))]
    kind_stopped: Constant<Bits<96>>,
    #[default(crate::retire::kind_code(retire::kind::WQE_FETCHED, retire::QUEUE_SEND))]
    kind_fetched: Constant<Bits<96>>,
}

impl Logic for RequesterReport {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module requester_report");
        self.fields.next = (bit_cast::<96, 8>(self.code.val()) << 80)
            | (bit_cast::<96, 24>(self.qpn.val()) << 56)
            | (bit_cast::<96, 24>(self.psn.val()) << 32)
            | bit_cast::<96, 32>(self.number.val());
        self.valid.next = true;
        self.record.next = bits::<96>(0);
        if self.accepted.val() {
            self.record.next = self.kind_accepted.val() | self.fields.val();
        } else if self.dropped.val() {
            self.record.next = self.kind_dropped.val() | self.fields.val();
        } else if self.refused.val() {
            self.record.next = self.kind_refused.val() | self.fields.val();
        } else if self.expired.val() {
            self.record.next = self.kind_expired.val() | self.fields.val();
        } else if self.rewound.val() {
            self.record.next = self.kind_rewound.val() | self.fields.val();
        } else if self.changed.val() {
            self.record.next = self.kind_changed.val() | (bit_cast::<96, 24>(self.qpn.val()) << 56);
        } else if self.stopped.val() {
            self.record.next = self.kind_stopped.val() | (bit_cast::<96, 24>(self.qpn.val()) << 56);
        } else {
            self.valid.next = false;
        }
        self.fetched_record.next = self.kind_fetched.val()
            | (bit_cast::<96, 24>(self.qpn.val()) << 56)
            | bit_cast::<96, 16>(self.number.val().get_bits::<16>(0));
    }
}
