//! Doorbells of completion queues.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// Writes of CQ_CONSUMER and of CQ_ARM.
    CqDoorbellSource to CqDoorbellSink {
        /// Index of the CQ, as software names it.
        index: Out Bits<12>,
        /// High for CQ_ARM, low for CQ_CONSUMER.
        arm: Out Bit,
        /// What software wrote into the register.
        value: Out Bits<32>,
    }
);
