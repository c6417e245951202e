//! Asynchronous events of queue pairs.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// Events of a queue pair for software. `QB`: log2 of the number of queue pairs.
    QpNoticeSource to QpNoticeSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// One bit a kind of event: high if it occurred (`crate::event::QpNotices`).
        kinds: Out Bits<6>,
    }
);
