//! Spoils packets whose data host memory did not return: their first bytes have left, so that the peer must drop them.
use super::{LeftPacket, TransmitPacket};
use crate::bundle::{CopiedBeatSource, DataFaultSource};
use crate::wire::TxHeader;
use hca_hdl::prelude::*;

/// Inverts the last byte of a packet whose data could not be read, so that its last CRC is wrong, once its fault is
/// reported. For a read response it also makes the NAK 63h that replaces it (`protocol/responder.md` section 7, CF142).
///
/// `W`: stream bits, `K` = `W` / 8. Up to 32 packets may be between the routing and the link.
#[derive(LogicBlock, SmartDefault)]
pub struct Spoil<const W: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle for each packet when it enters the routing.
    pub departed_valid: Signal<In, Bit>,
    /// With `departed_valid`: header of the packet.
    pub header: Signal<In, TxHeader>,
    /// With `departed_valid`: index of its P_Key in the table of the port.
    pub p_key_index: Signal<In, Bits<2>>,
    /// With `departed_valid`: high if that packet leaves by port 2.
    pub port: Signal<In, Bit>,
    /// With `departed_valid`: kind of the packet (`KIND_*`).
    pub kind: Signal<In, Bits<2>>,
    /// With `departed_valid`: QPN of the QP of this side.
    pub qpn: Signal<In, Bits<24>>,
    /// High while another packet may depart.
    pub room: Signal<Out, Bit>,
    /// High for one cycle for each packet with payload, in order, when its payload has been read.
    pub ended_valid: Signal<In, Bit>,
    /// With `ended_valid`: high if host memory failed to return some of it.
    pub ended_error: Signal<In, Bit>,

    /// From the builder, AXI4-Stream: byte 0 of the packet in bits 7:0.
    pub s_axis: StreamSink<W, K>,
    /// Packets to the link, some of them spoiled.
    pub m_axis: StreamSource<W, K>,

    /// Reports a packet that leaves spoiled; its last beat waits until the report is taken.
    pub fault: DataFaultSource,
    /// NAKs in place of read responses that left spoiled.
    pub nak: OfferSource<TransmitPacket>,
    /// High for one cycle when the last beat of a packet leaves.
    pub left_valid: Signal<Out, Bit>,
    /// High for one cycle when the last beat of a request of an unreliable service leaves.
    pub handed_valid: Signal<Out, Bit>,
    /// With `handed_valid`: high if the request left spoiled.
    pub handed_spoiled: Signal<Out, Bit>,
    /// Beats of multicast datagrams that the link takes.
    pub copy: CopiedBeatSource<W, K>,

    /// One entry for each packet whose payload has been read: high (bit 0) if host memory failed.
    ends: Fifo<Bits<1>, 7>,
    /// One [`LeftPacket`] for each packet between routing and link.
    left: Fifo<LeftPacket, 5>,
    /// NAKs to send, each a [`LeftPacket`]; if there is no room for one more, its QP sends no NAK.
    naks: Fifo<LeftPacket, 4>,
    flips: Concat<8, K, W>,
    lanes: ByteReverse<W>,
    /// High once the fault of the packet at the link is reported.
    fault_reported: Register<Bit>,
    /// High if the packet at the link may leave as it is, as known in the clock before.
    sound: Register<Bit>,
    /// High if the packet at the link leaves spoiled, as known in the clock before.
    faulty: Register<Bit>,
    /// Entry of `left` of the packet at the link.
    fields: Register<LeftPacket>,

    head: Signal<Local, LeftPacket>,
    carries: Signal<Local, Bit>,
    spoiled: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    reports: Signal<Local, Bit>,
    last_byte: Signal<Local, Bits<K>>,
    #[default(constant(super::KIND_REQUEST))]
    request: Constant<Bits<2>>,
    #[default(constant(super::KIND_READ_RESPONSE))]
    read_response: Constant<Bits<2>>,
    #[default(constant(super::KIND_ACK))]
    ack: Constant<Bits<2>>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Spoil<W, K> {
    fn update(&mut self) {
        clock_and_reset!(self, ends, left, naks);

        self.room.next = self.left.write.ready.val();
        self.left.write.valid.next = self.departed_valid.val();
        // Opcodes of classes 001 and 011.
        self.left.write.item.next.multicast =
            (self.header.val().opcode.get_bits::<3>(5) == 3) && self.header.val().dest_qp.all();
        self.left.write.item.next.unreliable =
            (self.kind.val() == self.request.val()) && self.header.val().opcode.get_bit(5);
        self.left.write.item.next.sl = self.header.val().sl;
        self.left.write.item.next.p_key_index = self.p_key_index.val();
        self.left.write.item.next.port = self.port.val();
        self.left.write.item.next.dlid = self.header.val().dlid;
        self.left.write.item.next.slid = self.header.val().slid;
        self.left.write.item.next.dest_qp = self.header.val().dest_qp;
        self.left.write.item.next.msn = self.header.val().msn;
        self.left.write.item.next.psn = self.header.val().psn;
        self.left.write.item.next.qpn = self.qpn.val();
        self.left.write.item.next.response = self.kind.val() == self.read_response.val();
        self.left.write.item.next.carries = self.header.val().payload.any();
        self.ends.write.valid.next = self.ended_valid.val();
        self.ends.write.item.next = self.ended_error.val().into();

        // The packet at the link, as known a clock before: its last beat waits until its payload is read or its fault
        // is reported.
        self.head.next = self.left.read.item.val();
        self.carries.next = self.head.val().carries;
        self.spoiled.next = self.left.read.valid.val()
            && self.carries.val()
            && self.ends.read.valid.val()
            && self.ends.read.item.val().get_bit(0);
        self.fields.d.next = self.head.val();
        self.holds.next = self.s_axis.tlast.val() && !self.sound.q.val() && !self.fault_reported.q.val();
        self.m_axis.tvalid.next = self.s_axis.tvalid.val() && !self.holds.val();
        self.s_axis.tready.next = self.m_axis.tready.val() && !self.holds.val();
        wires!(self.s_axis, self.m_axis, tlast, tkeep);
        self.last_byte.next = self.s_axis.tkeep.val() & !(self.s_axis.tkeep.val() >> 1);
        for i in 0..K {
            self.flips.i[i].next = bits::<8>(0);
            if self.last_byte.val().get_bit(i) {
                self.flips.i[i].next = bits::<8>(0xFF);
            }
        }
        self.lanes.i.next = self.flips.o.val();
        self.m_axis.tdata.next = self.s_axis.tdata.val();
        if self.fault_reported.q.val() && self.s_axis.tlast.val() {
            self.m_axis.tdata.next = self.s_axis.tdata.val() ^ self.lanes.o.val();
        }
        self.copy.valid.next = self.m_axis.tvalid.val()
            && self.m_axis.tready.val()
            && self.left.read.valid.val()
            && self.head.val().multicast;
        inputs!(self.copy, data: m_axis.tdata, keep: s_axis.tkeep, last: s_axis.tlast);
        self.leaves.next = self.s_axis.tvalid.val()
            && self.s_axis.tlast.val()
            && self.m_axis.tready.val()
            && !self.holds.val();
        self.left.read.ready.next = self.leaves.val();
        self.left_valid.next = self.leaves.val();
        self.handed_valid.next = self.leaves.val() && self.fields.q.val().unreliable;
        self.handed_spoiled.next = self.fault_reported.q.val();
        self.ends.read.ready.next = self.leaves.val() && self.fields.q.val().carries;

        self.sound.d.next = !self.leaves.val()
            && self.left.read.valid.val()
            && (!self.carries.val() || (self.ends.read.valid.val() && !self.ends.read.item.val().get_bit(0)));
        self.faulty.d.next = !self.leaves.val() && self.spoiled.val();
        self.reports.next = self.faulty.q.val() && !self.fault_reported.q.val();
        self.fault.valid.next = self.reports.val();
        self.fault.qpn.next = self.fields.q.val().qpn;
        self.fault.psn.next = self.fields.q.val().psn;
        self.fault.response.next = self.fields.q.val().response;
        self.fault.unreliable.next = self.fields.q.val().unreliable;
        if self.reports.val() && self.fault.ready.val() {
            self.fault_reported.d.next = true;
        }
        if self.leaves.val() || self.reset.val() {
            self.fault_reported.d.next = false;
        }
        if self.reset.val() {
            clear!(self, sound, faulty);
        }

        self.naks.write.valid.next = self.reports.val()
            && self.fault.ready.val()
            && self.fault.first.val()
            && self.fields.q.val().response;
        self.naks.write.item.next = self.fields.q.val();
        self.nak.valid.next = self.naks.read.valid.val();
        self.naks.read.ready.next = self.nak.ready.val();
        self.nak.item.next.kind = self.ack.val();
        self.nak.item.next.last = false;
        self.nak.item.next.qpn = self.naks.read.item.val().qpn;
        self.nak.item.next.dlid = self.naks.read.item.val().dlid;
        self.nak.item.next.slid = self.naks.read.item.val().slid;
        self.nak.item.next.sl = self.naks.read.item.val().sl;
        self.nak.item.next.opcode = bits::<8>(0x11);
        self.nak.item.next.solicited = false;
        self.nak.item.next.p_key_index = self.naks.read.item.val().p_key_index;
        self.nak.item.next.dest_qp = self.naks.read.item.val().dest_qp;
        self.nak.item.next.ack_req = false;
        self.nak.item.next.psn = self.naks.read.item.val().psn;
        self.nak.item.next.va = bits::<64>(0);
        self.nak.item.next.r_key =
            (bits::<32>(0x63) << 24) | bit_cast::<32, 24>(self.naks.read.item.val().msn);
        self.nak.item.next.swap_add = bits::<64>(0);
        self.nak.item.next.compare = bits::<64>(0);
        self.nak.item.next.discard = false;
        self.nak.item.next.payload = bits::<13>(0);
        self.nak.item.next.lane = bits::<5>(16);
        self.nak.item.next.port = self.naks.read.item.val().port;
        self.nak.item.next.subnet = false;
        self.nak.item.next.general = false;
        self.nak.item.next.mark = bits::<3>(0);
    }
}
