//! The fields of a packet in the transmit queue.
use crate::wire::TxHeader;
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// Unpacks a [`TransmitPacket`](super::TransmitPacket) into the header of a packet that has no route yet.
#[derive(LogicBlock, Default)]
pub struct PacketFields {
    pub packet: Signal<In, Bits<534>>,
    pub kind: Signal<Out, Bits<2>>,
    pub last: Signal<Out, Bit>,
    pub qpn: Signal<Out, Bits<24>>,
    pub header: Signal<Out, TxHeader>,
}

impl Logic for PacketFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module packet_fields");
        self.kind.next = self.packet.val().get_bits::<2>(0);
        self.last.next = self.packet.val().get_bit(2);
        self.qpn.next = self.packet.val().get_bits::<24>(3);
        self.header.next.dlid = self.packet.val().get_bits::<16>(27);
        self.header.next.slid = self.packet.val().get_bits::<16>(43);
        self.header.next.sl = self.packet.val().get_bits::<4>(59);
        self.header.next.vl = bits::<4>(0);
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
        self.header.next.opcode = self.packet.val().get_bits::<8>(63);
        self.header.next.solicited = self.packet.val().get_bit(71);
        self.header.next.migrated = false;
        self.header.next.p_key = self.packet.val().get_bits::<16>(72);
        self.header.next.dest_qp = self.packet.val().get_bits::<24>(88);
        self.header.next.ack_req = self.packet.val().get_bit(112);
        self.header.next.psn = self.packet.val().get_bits::<24>(113);
        self.header.next.ee_context = bits::<24>(0);
        self.header.next.q_key = bits::<32>(0);
        self.header.next.source_qp = bits::<24>(0);
        self.header.next.va = self.packet.val().get_bits::<64>(137);
        self.header.next.r_key = self.packet.val().get_bits::<32>(201);
        self.header.next.dma_len = self.packet.val().get_bits::<32>(233);
        self.header.next.swap_add = self.packet.val().get_bits::<64>(265);
        self.header.next.compare = self.packet.val().get_bits::<64>(329);
        self.header.next.syndrome = self.packet.val().get_bits::<8>(393);
        self.header.next.msn = self.packet.val().get_bits::<24>(401);
        self.header.next.original = self.packet.val().get_bits::<64>(425);
        self.header.next.immediate = self.packet.val().get_bits::<32>(489);
        self.header.next.payload = self.packet.val().get_bits::<13>(521);
    }
}
