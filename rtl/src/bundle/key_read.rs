//! Looks keys up in the protection table.
use super::bundle;
use crate::memory::RegionRow;
use hca_hdl::prelude::*;

bundle!(
    /// Reads rows of the protection table ([`crate::memory::KeyTable`]).
    KeyReadSource to KeyReadSink {
        /// High while a row is requested; the signal comes from a register.
        asks: Out Bit,
        /// L_Key or R_Key that names the row.
        key: Out Bits<32>,
        /// High in a cycle in which the row is read; others may read in the cycles before.
        taken: In Bit,
        /// The row, in the cycle after `taken`.
        row: In RegionRow,
        /// High while a walk is under way: an invalidation waits until all have ended.
        walks: Out Bit,
        /// High while an invalidation waits or is under way: no walk may start.
        busy: In Bit,
    }
);
