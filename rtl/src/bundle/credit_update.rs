//! Credits from the neighbour.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// A link packet that was taken (`protocol/link.md` section 4).
    CreditUpdateSource to CreditUpdateSink {
        /// High for Op 1: the neighbour initialises.
        initialises: Out Bit,
        /// Its VL, which is operational.
        vl: Out Bits<4>,
        /// Blocks that the neighbour has sent on it, modulo 4096.
        fctbs: Out Bits<12>,
        /// Its credit limit for what this port sends on it, modulo 4096.
        fccl: Out Bits<12>,
    }
);
