//! A memory region as the protection table holds it (`protocol/qp_cq.md` section 3).
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// First field at the least significant end of the 222 bits.
    pub struct RegionRow {
        pub valid: Bit,
        pub l_key: Bits<32>,
        pub r_key: Bits<32>,
        /// Protection domain.
        pub pd: Bits<24>,
        pub base: Bits<64>,
        /// Size in bytes.
        pub length: Bits<64>,
        pub local_write: Bit,
        pub remote_write: Bit,
        pub remote_read: Bit,
        pub remote_atomic: Bit,
        /// High if addresses count from 0, low if they count from `base`.
        pub zero_based: Bit,
    }
}
