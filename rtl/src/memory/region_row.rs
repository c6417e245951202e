//! A memory region as the protection table holds it (`protocol/qp_cq.md` section 3).
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 222 bits.
    pub struct RegionRow {
        /// High if the region exists and is not invalidated.
        pub valid: Bit,
        /// L_Key of the region.
        pub l_key: Bits<32>,
        /// R_Key of the region.
        pub r_key: Bits<32>,
        /// Protection domain.
        pub pd: Bits<24>,
        /// Byte address of the region in host memory.
        pub base: Bits<64>,
        /// Size in bytes.
        pub length: Bits<64>,
        /// High if local writes are permitted.
        pub local_write: Bit,
        /// High if remote writes are permitted.
        pub remote_write: Bit,
        /// High if remote reads are permitted.
        pub remote_read: Bit,
        /// High if remote atomics are permitted.
        pub remote_atomic: Bit,
        /// High if addresses count from 0, low if they count from `base`.
        pub zero_based: Bit,
    }
}
