//! Address of the peer of a connected QP.
use hca_hdl::prelude::*;

record! {
    /// What packets of the peer carry as their source, if they have a GRH.
    pub struct PeerAddress {
        /// GID of the peer.
        pub gid: Bits<128>,
        /// High if packets of the peer carry a GRH.
        pub has_grh: Bit,
    }
}
