//! Checks whether a packet comes from the address that its queue pair is connected to.
use hca_hdl::prelude::*;

/// `protocol/responder.md` section 1 step 6 (CF049): the LID, and the GID if packets carry one. Pure.
#[derive(LogicBlock, Default)]
pub struct SourceCheck {
    /// SLID of the packet.
    pub slid: Signal<In, Bits<16>>,
    /// High if the packet has a GRH, or an IP header in its place.
    pub has_grh: Signal<In, Bit>,
    /// SGID of the packet; without meaning if `has_grh` is low.
    pub sgid: Signal<In, Bits<128>>,
    /// LID of the QP's peer.
    pub connected_lid: Signal<In, Bits<16>>,
    /// High if packets of the QP's peer carry a GRH, or an IP header in its place.
    pub connected_has_grh: Signal<In, Bit>,
    /// GID of the QP's peer.
    pub connected_gid: Signal<In, Bits<128>>,
    /// The packet is from the peer if all bits are high. Each is a comparison: the LID, the presence of a GID, and the
    /// GID by 16 bits.
    pub agrees: Signal<Out, Bits<10>>,
    parts: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for SourceCheck {
    fn update(&mut self) {
        self.parts.next = bits::<8>(0xFF);
        if self.has_grh.val() {
            self.parts.next = bit_cast::<8, 1>(
                (self.sgid.val().get_bits::<16>(0) == self.connected_gid.val().get_bits::<16>(0)).into(),
            ) | (bit_cast::<8, 1>(
                (self.sgid.val().get_bits::<16>(16) == self.connected_gid.val().get_bits::<16>(16)).into(),
            ) << 1)
                | (bit_cast::<8, 1>(
                    (self.sgid.val().get_bits::<16>(32) == self.connected_gid.val().get_bits::<16>(32))
                        .into(),
                ) << 2)
                | (bit_cast::<8, 1>(
                    (self.sgid.val().get_bits::<16>(48) == self.connected_gid.val().get_bits::<16>(48))
                        .into(),
                ) << 3)
                | (bit_cast::<8, 1>(
                    (self.sgid.val().get_bits::<16>(64) == self.connected_gid.val().get_bits::<16>(64))
                        .into(),
                ) << 4)
                | (bit_cast::<8, 1>(
                    (self.sgid.val().get_bits::<16>(80) == self.connected_gid.val().get_bits::<16>(80))
                        .into(),
                ) << 5)
                | (bit_cast::<8, 1>(
                    (self.sgid.val().get_bits::<16>(96) == self.connected_gid.val().get_bits::<16>(96))
                        .into(),
                ) << 6)
                | (bit_cast::<8, 1>(
                    (self.sgid.val().get_bits::<16>(112) == self.connected_gid.val().get_bits::<16>(112))
                        .into(),
                ) << 7);
        }
        self.agrees.next = bit_cast::<10, 1>((self.slid.val() == self.connected_lid.val()).into())
            | (bit_cast::<10, 1>((self.has_grh.val() == self.connected_has_grh.val()).into()) << 1)
            | (bit_cast::<10, 8>(self.parts.val()) << 2);
    }
}
