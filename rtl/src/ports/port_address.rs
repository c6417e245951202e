//! What names a port, and what it takes by name.
use hca_hdl::prelude::*;

record! {
    /// The settings of a port that the checks of packets, and their headers, need. First field at the least significant
    /// end of the 458 bits.
    pub struct PortAddress {
        /// Base LID; its low `lmc` bits are zero. Without meaning over Ethernet.
        pub lid: Bits<16>,
        /// LMC: number of low bits of the LID that name a path. Without meaning over Ethernet.
        pub lmc: Bits<3>,
        /// Entry 0 of the GID table: prefix and GUID; over Ethernet the IP address.
        pub gid: Bits<128>,
        /// GUIDs of entries 1 to 3 of the GID table ([`crate::control::GuidTable`]); 0 over Ethernet.
        pub guids: Bits<192>,
        /// MAC address; without meaning on a native link.
        pub mac: Bits<48>,
        /// The P_Key table: entry `n` at bits `16 * n + 15 : 16 * n`.
        pub p_keys: Bits<64>,
        /// Number of data VLs that are operational, from VL 0 on; 1 over Ethernet.
        pub data_vls: Bits<4>,
        /// Active MTU, a code of `protocol/pmtu.csv` from 1 to 5.
        pub mtu: Bits<3>,
    }
}
