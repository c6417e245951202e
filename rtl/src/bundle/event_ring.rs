//! The ring of the event queue.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// The settings of the event queue that software makes.
    EventRingSource to EventRingSink {
        /// High for one cycle when the event queue starts empty, or stops.
        control_valid: Out Bit,
        /// With `control_valid`: high if the event queue starts.
        enable: Out Bit,
        /// Byte address of the ring.
        base: Out Bits<64>,
        /// Log2 of the number of EQEs in the ring.
        log_size: Out Bits<4>,
        /// Number of EQEs that software has consumed, modulo 2^16.
        consumer: Out Bits<16>,
    }
);
