//! Credits from the neighbour.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// The content of a link packet from the neighbour (`protocol/link.md` section 4).
    CreditUpdateSource to CreditUpdateSink {
        /// High for Op 1: the neighbour initialises.
        initialises: Out Bit,
        /// VL of the packet, which is operational.
        vl: Out Bits<4>,
        /// Number of blocks that the neighbour has sent on the VL, modulo 4096.
        fctbs: Out Bits<12>,
        /// Credit limit of the neighbour for what this port sends on the VL, modulo 4096.
        fccl: Out Bits<12>,
    }
);
