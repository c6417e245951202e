//! The ring of the event queue.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// What software sets of the event queue.
    EventRingSource to EventRingSink {
        /// High for one cycle when the event queue starts empty, or stops.
        control_valid: Out Bit,
        /// High if it starts.
        enable: Out Bit,
        /// Byte address of its ring.
        base: Out Bits<64>,
        /// Log2 of its number of EQEs.
        log_size: Out Bits<4>,
        /// Number of EQEs that software has consumed, modulo 2^16.
        consumer: Out Bits<16>,
    }
);
