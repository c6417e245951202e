//! Asynchronous events of queue pairs.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// Kinds of events of a queue pair. `QB`: log2 of the number of queue pairs.
    QpNoticeSource to QpNoticeSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// One bit for each kind.
        kinds: Out Bits<5>,
    }
);
