//! Rows of the table of multicast groups.
use hca_hdl::prelude::*;

record! {
    /// A group of a port. First field at the least significant end of the 146 bits.
    pub struct GroupRow {
        /// High if this row is a group.
        pub exists: Bit,
        /// LID of the group; 0 over Ethernet.
        pub mlid: Bits<16>,
        /// MGID of the group; over Ethernet its IP address, IPv4 as ::ffff:a.b.c.d.
        pub mgid: Bits<128>,
        /// High for a group of port 2.
        pub port: Bit,
    }
}

record! {
    /// A place of a group. First field at the least significant end of the 25 bits.
    pub struct MemberRow {
        /// High if a queue pair is attached here.
        pub exists: Bit,
        /// QPN of that queue pair.
        pub qpn: Bits<24>,
    }
}

record! {
    /// Outcome of a search among the groups.
    pub struct GroupMatch {
        /// High if the group exists.
        pub found: Bit,
        /// With `found`: index of the group.
        pub index: Bits<3>,
        /// High if the MGID is that of a group with another LID.
        pub elsewhere: Bit,
        /// High if there is room for one more group.
        pub room: Bit,
        /// With `room`: index of that room.
        pub free: Bits<3>,
        /// High if some group has the MAC address.
        pub mapped: Bit,
    }
}
