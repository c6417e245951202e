//! Chooses which packet leaves next, and reports it to the engines.
use super::packet::{KIND_ACK, KIND_ATOMIC_ACK, KIND_READ_RESPONSE};
use super::{PacketFields, TransmitPacket};
use crate::bundle::{EmittedPacketSource, ReportSource};
use crate::context::PKeyEntry;
use crate::retire::RetireRecord;
use crate::wire::TxHeader;
use hca_hdl::prelude::*;
use hca_host::retire;

/// Sends the queue's packets as soon as their first bytes are here, with acks between them, and reports each. `QB`: QP
/// index bits; `TA`: bits of the number of a route.
///
/// An ack goes before a packet that waits for payload. While packets are ready, an ack goes only 64 clocks after the
/// last one: a busy link carries fewer acks, each for more packets (`protocol/responder.md` section 8).
#[derive(LogicBlock, SmartDefault)]
pub struct Departure<const QB: usize, const TA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The P_Key table of port 1: entry `n` at bits `16 * n + 15 : 16 * n`; from bit 64 on that of port 2.
    pub port_p_keys: Signal<In, Bits<128>>,
    /// Packets of the transmit queue.
    pub packet: OfferSink<TransmitPacket>,
    /// High if the packet has payload.
    pub packet_carries: Signal<In, Bit>,
    /// High for one cycle when the first payload of the next packet with payload is here; the packet leaves in a later
    /// clock.
    pub payload_begins: Signal<In, Bit>,

    /// ACKs, NAKs and RNR NAKs: without payload; they overtake requests and responses.
    pub ack: OfferSink<TransmitPacket>,

    /// Header of the packet that departs, without the route.
    pub header: OfferSource<TxHeader>,
    /// Index of the packet's P_Key in the table.
    pub header_p_key_index: Signal<Out, Bits<2>>,
    /// High if the packet leaves by port 2.
    pub header_port: Signal<Out, Bit>,
    /// Number of the packet's route ([`super::Routing`]).
    pub header_route: Signal<Out, Bits<TA>>,

    /// Each packet when it departs.
    pub emitted: EmittedPacketSource<QB>,
    /// Place whose room the packet takes ([`crate::link::PacketLane`]).
    pub emitted_lane: Signal<Out, Bits<5>>,
    /// Mark of the packet, 0 if it is not paced.
    pub emitted_mark: Signal<Out, Bits<3>>,
    /// QPN of the QP of this side.
    pub emitted_qpn: Signal<Out, Bits<24>>,

    /// Retire records of packets that depart.
    pub retire: ReportSource,

    fields: PacketFields,
    p_key_entry: PKeyEntry,
    /// Number of packets in the queue whose first payload has arrived.
    begun: Register<Bits<8>>,
    has_begun: Register<Bit>,
    /// Clocks since an ack has left, up to 64.
    since_ack: Register<Bits<7>>,

    is_ready: Signal<Local, Bit>,
    takes_ack: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
    qpn: Signal<Local, Bits<24>>,
    psn: Signal<Local, Bits<24>>,
    kind: Signal<Local, Bits<2>>,
    syndrome: Signal<Local, Bits<8>>,
    discards: Signal<Local, Bit>,
    p_key_index: Signal<Local, Bits<2>>,
    /// High if the packet leaves by port 2.
    leaves_second: Signal<Local, Bit>,
    #[default(constant(1usize << (TA - 1)))]
    of_handle: Constant<Bits<TA>>,

    #[default(kind(KIND_READ_RESPONSE))]
    read_response: Constant<Bits<2>>,
    #[default(kind(KIND_ATOMIC_ACK))]
    atomic_ack: Constant<Bits<2>>,
    #[default(kind(KIND_ACK))]
    ack_kind: Constant<Bits<2>>,
    #[default(constant(0x0E))]
    read_response_middle: Constant<Bits<8>>,
    #[default(crate::retire::kind(retire::kind::REQUEST_EMITTED))]
    request_emitted: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::REQUEST_DISCARDED))]
    request_discarded: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::READ_RESPONSE_EMITTED))]
    read_response_emitted: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::ATOMIC_ACK_EMITTED))]
    atomic_ack_emitted: Constant<RetireRecord>,
    #[default(crate::retire::kind(retire::kind::ACK_EMITTED))]
    ack_emitted: Constant<RetireRecord>,
}

fn kind(kind: u8) -> Constant<Bits<2>> {
    constant(kind)
}

#[kernel]
impl<const QB: usize, const TA: usize> Logic for Departure<QB, TA> {
    fn update(&mut self) {
        // A packet without payload is ready at once.
        self.fields.packet.next = self.packet.item.val();
        self.is_ready.next =
            self.packet.valid.val() && (self.has_begun.q.val() || !self.packet_carries.val());
        self.takes_ack.next =
            self.ack.valid.val() && (self.since_ack.q.val().get_bit(6) || !self.is_ready.val());
        self.discards.next = self.fields.discard.val() && !self.takes_ack.val();
        self.emitted.discard.next = self.discards.val();
        self.header.valid.next = (self.ack.valid.val() || self.is_ready.val()) && !self.discards.val();
        self.go.next = self.header.ready.val();
        self.ack.ready.next = self.go.val() && self.takes_ack.val();
        self.packet.ready.next = self.go.val() && self.is_ready.val() && !self.takes_ack.val();

        self.header.item.next = self.fields.header.val();
        self.p_key_index.next = self.fields.p_key_index.val();
        self.leaves_second.next = self.packet.item.val().port;
        self.qpn.next = self.fields.qpn.val();
        self.psn.next = self.fields.header.val().psn;
        self.kind.next = self.fields.kind.val();
        self.syndrome.next = 0.into();
        if (self.fields.kind.val() == self.read_response.val()
            && (self.fields.header.val().opcode != self.read_response_middle.val()))
            || (self.fields.kind.val() == self.atomic_ack.val())
        {
            self.syndrome.next = self.fields.header.val().syndrome;
        }
        if self.takes_ack.val() {
            self.header.item.next.dlid = self.ack.item.val().dlid;
            self.header.item.next.slid = self.ack.item.val().slid;
            self.header.item.next.sl = self.ack.item.val().sl;
            self.header.item.next.vl = bits::<4>(0);
            self.header.item.next.opcode = self.ack.item.val().opcode;
            self.header.item.next.solicited = self.ack.item.val().solicited;
            self.p_key_index.next = self.ack.item.val().p_key_index;
            self.leaves_second.next = self.ack.item.val().port;
            self.header.item.next.dest_qp = self.ack.item.val().dest_qp;
            self.header.item.next.ack_req = self.ack.item.val().ack_req;
            self.header.item.next.psn = self.ack.item.val().psn;
            self.header.item.next.r_key = self.ack.item.val().r_key;
            self.header.item.next.syndrome = self.ack.item.val().r_key.get_bits::<8>(24);
            self.header.item.next.msn = self.ack.item.val().r_key.get_bits::<24>(0);
            self.header.item.next.payload = 0.into();
            self.qpn.next = self.ack.item.val().qpn;
            self.psn.next = self.ack.item.val().psn;
            self.kind.next = self.ack_kind.val();
            self.syndrome.next = self.ack.item.val().r_key.get_bits::<8>(24);
        }
        // A changed entry counts for the next packet (CF464).
        self.p_key_entry.port_p_keys.next = self.port_p_keys.val().get_bits::<64>(0);
        if self.leaves_second.val() {
            self.p_key_entry.port_p_keys.next = self.port_p_keys.val().get_bits::<64>(64);
        }
        self.header_port.next = self.leaves_second.val();
        self.p_key_entry.index.next = self.p_key_index.val();
        self.header.item.next.p_key = self.p_key_entry.p_key.val();
        self.header_p_key_index.next = self.p_key_index.val();
        self.header_route.next = bit_cast::<TA, QB>(self.qpn.val().get_bits::<QB>(0));
        if self.fields.datagram.val() && !self.takes_ack.val() {
            self.header_route.next = bit_cast::<TA, 24>(self.fields.handle.val()) | self.of_handle.val();
        }

        self.counted.next =
            self.go.val() && self.is_ready.val() && !self.takes_ack.val() && self.packet_carries.val();
        if self.payload_begins.val() && !self.counted.val() {
            self.begun.d.next = self.begun.q.val() + 1;
            self.has_begun.d.next = true;
        }
        if self.counted.val() && !self.payload_begins.val() {
            self.begun.d.next = self.begun.q.val() - 1;
            self.has_begun.d.next = self.begun.q.val() != 1;
        }
        if self.go.val() && self.takes_ack.val() {
            self.since_ack.d.next = 0.into();
        } else if !self.since_ack.q.val().get_bit(6) {
            self.since_ack.d.next = self.since_ack.q.val() + 1;
        }

        self.emitted.valid.next = self.go.val() && (self.ack.valid.val() || self.is_ready.val());
        self.emitted.index.next = self.qpn.val().get_bits::<QB>(0);
        self.emitted_lane.next = self.packet.item.val().lane;
        self.emitted_mark.next = self.packet.item.val().mark;
        if self.takes_ack.val() {
            self.emitted_lane.next = self.ack.item.val().lane;
            self.emitted_mark.next = self.ack.item.val().mark;
        }
        self.emitted_qpn.next = self.qpn.val();
        inputs!(self.emitted, kind, psn);
        self.emitted.last.next = self.fields.last.val() && (self.kind.val() == self.read_response.val());

        self.retire.record.next = self.request_emitted.val();
        if self.discards.val() {
            self.retire.record.next = self.request_discarded.val();
        }
        if self.kind.val() == self.read_response.val() {
            self.retire.record.next = self.read_response_emitted.val();
        }
        if self.kind.val() == self.atomic_ack.val() {
            self.retire.record.next = self.atomic_ack_emitted.val();
        }
        if self.kind.val() == self.ack_kind.val() {
            self.retire.record.next = self.ack_emitted.val();
        }
        self.retire.record.next.code = self.syndrome.val();
        self.retire.record.next.qpn = self.qpn.val();
        self.retire.record.next.psn = self.psn.val();
        self.retire.valid.next = self.go.val() && (self.ack.valid.val() || self.is_ready.val());

        if self.reset.val() {
            self.begun.d.next = 0.into();
            self.has_begun.d.next = false;
            self.since_ack.d.next = 0.into();
        }
    }
}
