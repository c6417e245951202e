//! Asynchronous events of queue pairs.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// Kinds of events of a queue pair. `QB`: log2 of the number of queue pairs.
    QpNoticeSource to QpNoticeSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// High bits: the kinds of events that occurred (`crate::event::QpNotices`).
        kinds: Out Bits<6>,
    }
);
