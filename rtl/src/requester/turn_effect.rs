//! Forms the row that a turn leaves behind.
use super::{Plan, RequesterRow};
use hca_hdl::prelude::*;

/// The row after the next packet, and the row after its WQE was found bad (`protocol/requester.md` sections 1 and 8).
#[derive(LogicBlock, Default)]
pub struct TurnEffect {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Number of packets of the QP that are gone, modulo 2^8.
    pub gone: Signal<In, Bits<8>>,
    /// The next packet.
    pub plan: Signal<In, Plan>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// High if the message is a Read.
    pub is_read: Signal<In, Bit>,
    /// High if the message is an atomic.
    pub is_atomic: Signal<In, Bit>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// Status of a bad WQE.
    pub status: Signal<In, Bits<8>>,
    /// High if the message is a Send.
    pub is_send: Signal<In, Bit>,
    /// High if the message takes a receive WQE at the peer: it is a Send, or a Write with immediate data.
    pub consumes: Signal<In, Bit>,
    /// High if the message has no credit when it starts.
    pub limited: Signal<In, Bit>,
    /// High if the packet is the first of its message, the first time.
    pub begins: Signal<Out, Bit>,
    /// PSN of the message's last packet or response.
    pub message_last: Signal<Out, Bits<24>>,
    /// Last PSN that the packet takes.
    pub packet_last: Signal<Out, Bits<24>>,
    /// State of the QP after the packet was sent.
    pub sent_row: Signal<Out, RequesterRow>,
    /// State of the QP after the WQE was found bad.
    pub bad_row: Signal<Out, RequesterRow>,
    /// Place of a Read or atomic in its ring.
    pub read_slot: Signal<Out, Bits<4>>,
    takes_resource: Signal<Local, Bit>,
    full: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for TurnEffect {
    fn update(&mut self) {
        self.begins.next = self.row.val().current == self.row.val().started;
        self.takes_resource.next = self.is_read.val() || self.is_atomic.val();
        self.full.next = bits::<32>(128) << self.pmtu.val();
        self.message_last.next = self.row.val().psn + self.plan.val().psns;
        self.packet_last.next = self.row.val().psn;
        if self.is_read.val() {
            self.packet_last.next = self.message_last.val();
        }
        self.read_slot.next = self.row.val().read_head + self.row.val().reads.get_bits::<4>(0);

        self.sent_row.next = self.row.val();
        self.sent_row.next.issued = self.row.val().issued + 1;
        // Long before `gone` comes round.
        self.sent_row.next.went_back = self.row.val().went_back && (self.gone.val() == self.row.val().since);
        self.sent_row.next.psn = self.packet_last.val() + 1;
        self.sent_row.next.offset = self.row.val().offset + self.full.val();
        if self.plan.val().ends {
            self.sent_row.next.offset = bits::<32>(0);
            self.sent_row.next.current = self.row.val().current + 1;
        }
        self.bad_row.next = self.row.val();
        self.bad_row.next.refused = true;
        self.bad_row.next.refused_first = self.row.val().psn;
        self.bad_row.next.refused_wqe = self.row.val().current;
        self.bad_row.next.refused_status = self.status.val();
        if self.begins.val() {
            self.sent_row.next.started = self.row.val().started + 1;
            // Section 4: LSN grows with what needs no credit.
            self.sent_row.next.ssn = self.row.val().ssn + 1;
            self.sent_row.next.many = self.row.val().many || self.row.val().ssn.get_bits::<6>(0).all();
            if self.consumes.val() {
                self.sent_row.next.allowance = self.row.val().allowance - 1;
            } else {
                self.sent_row.next.free = self.row.val().free + 1;
            }
            self.sent_row.next.probes = self.consumes.val() && self.limited.val();
            self.sent_row.next.stop_psn = self.message_last.val() + 1;
            if self.is_send.val() {
                self.sent_row.next.stop_psn = self.row.val().psn + 1;
            }
            self.bad_row.next.started = self.row.val().started + 1;
            if self.takes_resource.val() {
                self.sent_row.next.reads = self.row.val().reads + 1;
                if !self.row.val().reads.any() {
                    self.sent_row.next.read_first = self.row.val().psn;
                    self.sent_row.next.read_last = self.message_last.val();
                    self.sent_row.next.read_wqe = self.row.val().current;
                    self.sent_row.next.read_length = self.length.val();
                    self.sent_row.next.read_atomic = self.is_atomic.val();
                }
            }
        }
    }
}
