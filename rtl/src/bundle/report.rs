//! What a block reports on the retire port.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// A retire record ([`crate::host::retire`]).
    ReportSource to ReportSink {
        /// High for one cycle when `record` reports a decision.
        valid: Out Bit,
        record: Out Bits<96>,
    }
);
