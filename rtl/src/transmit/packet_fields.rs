//! The fields of a packet in the transmit queue.
use super::TransmitPacket;
use crate::wire::TxHeader;
use hca_hdl::prelude::*;

/// Unpacks a [`TransmitPacket`] into the header of a packet that has no route yet.
#[derive(LogicBlock, Default)]
pub struct PacketFields {
    /// The packet.
    pub packet: Signal<In, TransmitPacket>,
    /// Kind of the packet (`KIND_*`).
    pub kind: Signal<Out, Bits<2>>,
    /// High for the last packet of a read response.
    pub last: Signal<Out, Bit>,
    /// QPN of the QP of this side.
    pub qpn: Signal<Out, Bits<24>>,
    /// High if the packet is not sent.
    pub discard: Signal<Out, Bit>,
    /// High for a datagram.
    pub datagram: Signal<Out, Bit>,
    /// Address handle of a datagram.
    pub handle: Signal<Out, Bits<24>>,
    /// Index into the P_Key table of the port.
    pub p_key_index: Signal<Out, Bits<2>>,
    /// Header of the packet without route and P_Key, which are 0.
    pub header: Signal<Out, TxHeader>,
}

#[kernel]
impl Logic for PacketFields {
    fn update(&mut self) {
        self.kind.next = self.packet.val().kind;
        self.last.next = self.packet.val().last;
        self.qpn.next = self.packet.val().qpn;
        self.header.next.dlid = self.packet.val().dlid;
        self.header.next.slid = self.packet.val().slid;
        self.header.next.sl = self.packet.val().sl;
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
        self.header.next.opcode = self.packet.val().opcode;
        self.header.next.solicited = self.packet.val().solicited;
        self.header.next.migrated = false;
        self.header.next.p_key = bits::<16>(0);
        self.header.next.dest_qp = self.packet.val().dest_qp;
        self.header.next.ack_req = self.packet.val().ack_req;
        self.header.next.psn = self.packet.val().psn;
        self.header.next.ee_context = bits::<24>(0);
        self.header.next.q_key = bits::<32>(0);
        self.header.next.source_qp = bits::<24>(0);
        self.p_key_index.next = self.packet.val().p_key_index;
        self.discard.next = self.packet.val().discard;
        self.handle.next = self.packet.val().va.get_bits::<24>(0);
        self.datagram.next = self.packet.val().opcode.get_bits::<3>(5) == 3;
        if self.datagram.val() {
            if self.packet.val().subnet {
                // QP0 (`protocol/special_qps.md` section 1).
                self.header.next.vl = bits::<4>(15);
            }
            self.header.next.q_key = self.packet.val().r_key;
            self.header.next.source_qp = self.packet.val().qpn;
            // In packets QP0 and QP1 of each port have these numbers (`protocol/link.md` section 8).
            if self.packet.val().subnet || self.packet.val().general {
                self.header.next.source_qp = bit_cast::<24, 1>(self.packet.val().general.into());
            }
        }
        self.header.next.va = self.packet.val().va;
        self.header.next.r_key = self.packet.val().r_key;
        self.header.next.dma_len = self.packet.val().swap_add.get_bits::<32>(32);
        self.header.next.swap_add = self.packet.val().swap_add;
        self.header.next.compare = self.packet.val().compare;
        self.header.next.syndrome = self.packet.val().r_key.get_bits::<8>(24);
        self.header.next.msn = self.packet.val().r_key.get_bits::<24>(0);
        self.header.next.original = self.packet.val().va;
        self.header.next.immediate = self.packet.val().swap_add.get_bits::<32>(0);
        self.header.next.payload = self.packet.val().payload;
    }
}
