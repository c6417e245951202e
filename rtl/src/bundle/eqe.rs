//! Entries of the event queue.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// EQEs that are to be written. The offer ends untaken when the event queue starts or stops.
    EqeSource to EqeSink {
        /// Byte address of the EQE.
        address: Out Bits<64>,
        /// The EQE, byte 0 at the most significant end.
        item: Out Bits<128>,
    }
);
