//! Reports of a block on the retire port.
use super::pulse;
use crate::retire_record::RetireRecord;
use hca_hdl::prelude::*;

pulse!(
    /// What a lane of the retire port reports ([`hca_host::retire`]).
    ReportSource to ReportSink {
        /// The record.
        record: Out RetireRecord,
    }
);
