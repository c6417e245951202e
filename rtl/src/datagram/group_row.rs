//! Rows of the table of multicast groups.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// A group of the port. First field at the least significant end of the 145 bits.
    pub struct GroupRow {
        pub exists: Bit,
        /// LID of the group; 0 over Ethernet.
        pub mlid: Bits<16>,
        /// IPv4 as ::ffff:a.b.c.d.
        pub mgid: Bits<128>,
    }
}

record! {
    /// A place of a group. First field at the least significant end of the 25 bits.
    pub struct MemberRow {
        /// High if a queue pair is attached here.
        pub exists: Bit,
        pub qpn: Bits<24>,
    }
}

record! {
    /// What a search among the groups found.
    pub struct GroupMatch {
        /// The group exists.
        pub found: Bit,
        /// Its index.
        pub index: Bits<3>,
        /// The MGID is that of a group with another LID.
        pub elsewhere: Bit,
        /// There is room for one more group.
        pub room: Bit,
        /// Index of that room.
        pub free: Bits<3>,
        /// Some group has the MAC address.
        pub mapped: Bit,
    }
}
