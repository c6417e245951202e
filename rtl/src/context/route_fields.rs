//! The network part of a queue pair's address: arguments 14 to 21 of `MODIFY_QP`, kept verbatim in a block RAM row.
//!
//! Argument `n` (`host::command::modify_qp`) stands at bits `32 * (21 - n) + 31 : 32 * (21 - n)`.
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// Unpacks a row.
#[derive(LogicBlock, Default)]
pub struct RouteFields {
    /// The row, arguments 14 to 21 of `MODIFY_QP`.
    pub row: Signal<In, Bits<256>>,
    /// High if packets carry a GRH, or the IP header in its place.
    pub has_grh: Signal<Out, Bit>,
    /// Flow label of the GRH.
    pub flow_label: Signal<Out, Bits<20>>,
    /// Hop limit of the GRH, or TTL of an IPv4 header.
    pub hop_limit: Signal<Out, Bits<8>>,
    /// Traffic class of the GRH.
    pub traffic_class: Signal<Out, Bits<8>>,
    /// GID of the peer.
    pub dgid: Signal<Out, Bits<128>>,
    /// With RoCEv2: high if `dgid` is an IPv4 address, ::ffff:a.b.c.d (`protocol/headers.md` section 7).
    pub ipv4: Signal<Out, Bit>,
    /// MAC address of packets to the peer, over Ethernet.
    pub dest_mac: Signal<Out, Bits<48>>,
    /// UDP source port of packets to the peer, over Ethernet.
    pub source_port: Signal<Out, Bits<16>>,
}

impl Logic for RouteFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module route_fields");
        self.flow_label.next = self.row.val().get_bits::<20>(224);
        self.has_grh.next = self.row.val().get_bit(255);
        self.hop_limit.next = self.row.val().get_bits::<8>(192);
        self.traffic_class.next = self.row.val().get_bits::<8>(200);
        self.dgid.next = self.row.val().get_bits::<128>(64);
        self.ipv4.next = self.row.val().get_bits::<96>(96) == 0xFFFF;
        self.dest_mac.next = self.row.val().get_bits::<48>(0);
        self.source_port.next = self.row.val().get_bits::<16>(48);
    }
}
