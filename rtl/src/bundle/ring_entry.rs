//! Entries of the rings of completions and events.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// A CQE or an EQE that is to be written to host memory.
    RingEntrySource to RingEntrySink {
        /// Byte address of the entry, a multiple of its size.
        address: Out Bits<64>,
        /// The entry: a CQE, or an EQE in both halves; byte 0 at the most significant end.
        item: Out Bits<256>,
        /// High for an EQE.
        is_event: Out Bit,
    }
);
