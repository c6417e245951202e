//! Acks before requests, packet by packet; and how far each QP has sent.
use super::RequestRecord;
use crate::host::retire;
use crate::primitive::{comment, Fifo, LutRam};
use crate::wire::TxHeader;
use rust_hdl_core::prelude::*;

/// Hands one packet at a time to the builder and reports it. `QB`: QP index bits.
#[derive(LogicBlock)]
pub struct TransmitArbiter<const QB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// `receive::acks::AckRecord`.
    pub ack: Signal<In, Bits<156>>,
    pub ack_valid: Signal<In, Bit>,
    pub ack_ready: Signal<Out, Bit>,

    pub request: Signal<In, RequestRecord>,
    pub request_valid: Signal<In, Bit>,
    pub request_ready: Signal<Out, Bit>,

    /// Without the route.
    pub header: Signal<Out, TxHeader>,
    /// QP of this side that it belongs to.
    pub header_index: Signal<Out, Bits<QB>>,
    pub header_valid: Signal<Out, Bit>,
    pub header_ready: Signal<In, Bit>,

    /// One pulse: QP `start_index` sends from `start_psn` on.
    pub start_valid: Signal<In, Bit>,
    pub start_index: Signal<In, Bits<QB>>,
    pub start_psn: Signal<In, Bits<24>>,

    /// Highest PSN sent of QP `next_psn_index`, plus one.
    pub next_psn_index: Signal<In, Bits<QB>>,
    pub next_psn: Signal<Out, Bits<24>>,

    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, Bits<96>>,

    requests: Fifo<147, 3>,
    sent: LutRam<24, QB>,
    head: Signal<Local, Bits<147>>,
    go: Signal<Local, Bit>,
    kind_request: Constant<Bits<96>>,
    kind_ack: Constant<Bits<96>>,
}

impl<const QB: usize> Default for TransmitArbiter<QB> {
    fn default() -> Self {
        TransmitArbiter {
            clock: Default::default(),
            reset: Default::default(),
            ack: Default::default(),
            ack_valid: Default::default(),
            ack_ready: Default::default(),
            request: Default::default(),
            request_valid: Default::default(),
            request_ready: Default::default(),
            header: Default::default(),
            header_index: Default::default(),
            header_valid: Default::default(),
            header_ready: Default::default(),
            start_valid: Default::default(),
            start_index: Default::default(),
            start_psn: Default::default(),
            next_psn_index: Default::default(),
            next_psn: Default::default(),
            retire_valid: Default::default(),
            retire_record: Default::default(),
            requests: Default::default(),
            sent: Default::default(),
            head: Default::default(),
            go: Default::default(),
            kind_request: crate::retire::kind(retire::kind::REQUEST_EMITTED),
            kind_ack: crate::retire::kind(retire::kind::ACK_EMITTED),
        }
    }
}

impl<const QB: usize> Logic for TransmitArbiter<QB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module transmit_arbiter");
        self.requests.clock.next = self.clock.val();
        self.requests.reset.next = self.reset.val();
        self.sent.clock.next = self.clock.val();
        self.requests.write_data.next = bit_cast::<147, 147>(self.request.val().into());
        self.requests.write_valid.next = self.request_valid.val();
        self.request_ready.next = self.requests.write_ready.val();

        // Fields of RequestRecord and AckRecord, first field at the least significant end.
        self.head.next = self.requests.read_data.val();
        self.header.next.dlid = self.head.val().get_bits::<16>(0);
        self.header.next.slid = self.head.val().get_bits::<16>(16);
        self.header.next.sl = self.head.val().get_bits::<4>(32);
        self.header.next.vl = bits::<4>(0);
        // Local packets: no GRH.
        self.header.next.has_grh = false;
        self.header.next.ipv4 = false;
        self.header.next.traffic_class = bits::<8>(0);
        self.header.next.flow_label = bits::<20>(0);
        self.header.next.hop_limit = bits::<8>(0);
        self.header.next.sgid = bits::<128>(0);
        self.header.next.dgid = bits::<128>(0);
        self.header.next.dest_mac = bits::<48>(0);
        self.header.next.source_mac = bits::<48>(0);
        self.header.next.source_port = bits::<16>(0);
        self.header.next.opcode = self.head.val().get_bits::<8>(36);
        self.header.next.solicited = self.head.val().get_bit(44);
        self.header.next.migrated = false;
        self.header.next.p_key = self.head.val().get_bits::<16>(45);
        self.header.next.dest_qp = self.head.val().get_bits::<24>(61);
        self.header.next.ack_req = self.head.val().get_bit(85);
        self.header.next.psn = self.head.val().get_bits::<24>(86);
        self.header.next.ee_context = bits::<24>(0);
        self.header.next.q_key = bits::<32>(0);
        self.header.next.source_qp = bits::<24>(0);
        self.header.next.va = bits::<64>(0);
        self.header.next.r_key = bits::<32>(0);
        self.header.next.dma_len = bits::<32>(0);
        self.header.next.swap_add = bits::<64>(0);
        self.header.next.compare = bits::<64>(0);
        self.header.next.syndrome = bits::<8>(0);
        self.header.next.msn = bits::<24>(0);
        self.header.next.original = bits::<64>(0);
        self.header.next.immediate = bits::<32>(0);
        self.header.next.payload = self.head.val().get_bits::<13>(110);
        self.header_index.next = self.head.val().get_bits::<QB>(123);
        self.retire_record.next = self.kind_request.val()
            | (bit_cast::<96, 24>(self.head.val().get_bits::<24>(123)) << 56)
            | (bit_cast::<96, 24>(self.head.val().get_bits::<24>(86)) << 32);
        if self.ack_valid.val() {
            self.header.next.dlid = self.ack.val().get_bits::<16>(0);
            self.header.next.slid = self.ack.val().get_bits::<16>(16);
            self.header.next.sl = self.ack.val().get_bits::<4>(32);
            self.header.next.opcode = bits::<8>(0x11);
            self.header.next.solicited = false;
            self.header.next.p_key = self.ack.val().get_bits::<16>(36);
            self.header.next.dest_qp = self.ack.val().get_bits::<24>(52);
            self.header.next.ack_req = false;
            self.header.next.psn = self.ack.val().get_bits::<24>(100);
            self.header.next.syndrome = self.ack.val().get_bits::<8>(124);
            self.header.next.msn = self.ack.val().get_bits::<24>(132);
            self.header.next.payload = bits::<13>(0);
            self.header_index.next = self.ack.val().get_bits::<QB>(76);
            self.retire_record.next = self.kind_ack.val()
                | (bit_cast::<96, 8>(self.ack.val().get_bits::<8>(124)) << 80)
                | (bit_cast::<96, 24>(self.ack.val().get_bits::<24>(76)) << 56)
                | (bit_cast::<96, 24>(self.ack.val().get_bits::<24>(100)) << 32);
        }
        self.header_valid.next =
            (self.ack_valid.val() || self.requests.read_valid.val()) && !self.start_valid.val();
        self.go.next = self.header_ready.val() && !self.start_valid.val();
        self.ack_ready.next = self.go.val();
        self.requests.read_ready.next = self.go.val() && !self.ack_valid.val();
        self.retire_valid.next = self.go.val() && (self.ack_valid.val() || self.requests.read_valid.val());

        self.sent.write_enable.next =
            self.go.val() && !self.ack_valid.val() && self.requests.read_valid.val();
        self.sent.write_address.next = self.head.val().get_bits::<QB>(123);
        self.sent.write_data.next = self.head.val().get_bits::<24>(86) + 1;
        if self.start_valid.val() {
            self.sent.write_enable.next = true;
            self.sent.write_address.next = self.start_index.val();
            self.sent.write_data.next = self.start_psn.val();
        }
        self.sent.read_address_a.next = self.next_psn_index.val();
        self.sent.read_address_b.next = self.next_psn_index.val();
        self.next_psn.next = self.sent.read_data_a.val();
    }
}
