//! Finds what kind of address a GID is.
use hca_hdl::prelude::*;

/// Pure function. Multicast addresses are those of `protocol/ud.md` section 4.1.
#[derive(LogicBlock, SmartDefault)]
pub struct GidKind {
    /// The GID; over Ethernet the IP address, IPv4 as ::ffff:a.b.c.d.
    pub gid: Signal<In, Bits<128>>,
    /// High if the GID is the IPv4 address of a RoCEv2 port: ::ffff:a.b.c.d.
    pub ipv4: Signal<Out, Bit>,
    /// High if the GID is the address of a multicast group of native InfiniBand, or of IPv6: byte 0 is FFh.
    pub group: Signal<Out, Bit>,
    /// High if the GID is the address of a multicast group of RoCEv2: `group`, or one of 224.0.0.0/4.
    pub roce_group: Signal<Out, Bit>,
    #[default(constant(0xFFFF))]
    mapped_prefix: Constant<Bits<96>>,
}

#[kernel]
impl Logic for GidKind {
    fn update(&mut self) {
        self.ipv4.next = self.gid.val().get_bits::<96>(32) == self.mapped_prefix.val();
        self.group.next = self.gid.val().get_bits::<8>(120).all();
        self.roce_group.next =
            self.group.val() || (self.ipv4.val() && (self.gid.val().get_bits::<4>(28) == 0xE));
    }
}
