//! A packet's headers as they are kept until an engine takes them.
use hca_hdl::prelude::*;

record! {
    /// The headers as the receive side keeps them; the first field is at the least significant end of the 810 bits.
    pub struct RawHeader {
        /// BTH and the ten words behind it.
        pub transport: Bits<416>,
        /// SL, DLID and SLID of a native packet; source MAC address and UDP source port of a frame; each in the lower
        /// bits.
        pub link: Bits<64>,
        /// Source GID; IPv4 as ::ffff:a.b.c.d.
        pub sgid: Bits<128>,
        /// HopLmt of the GRH, hop limit of IPv6, or TTL of IPv4.
        pub hop_limit: Bits<8>,
        /// Flow label of the GRH or of IPv6.
        pub flow_label: Bits<20>,
        /// TClass of the GRH or of IPv6, or TOS of IPv4.
        pub traffic_class: Bits<8>,
        /// High if the packet has a GRH or an IP header.
        pub has_grh: Bit,
        /// High if the packet has an IPv4 header.
        pub ipv4: Bit,
        /// Destination GID; IPv4 as ::ffff:a.b.c.d.
        pub dgid: Bits<128>,
        /// Low 32 bits of the destination MAC address of a frame; bit 32 is high for the address of an IPv6 group.
        pub dest_mac: Bits<33>,
        /// High if the destination MAC address is that of a group.
        pub group_mac: Bit,
        /// High for the port's own packet.
        pub own: Bit,
        /// High if the packet came by port 2.
        pub port: Bit,
    }
}
