//! Reports of a block on the retire port.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// A retire record ([`hca_host::retire`]).
    ReportSource to ReportSink {
        /// The record.
        record: Out Bits<96>,
    }
);
