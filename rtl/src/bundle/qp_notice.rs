//! Asynchronous events of queue pairs.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Kinds of events of a queue pair. `QB`: log2 of the number of queue pairs.
    QpNoticeSource<QB> to QpNoticeSink<QB> {
        /// High for one cycle when the rest holds; always taken.
        valid: Out Bit,
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// One bit for each kind.
        kinds: Out Bits<5>,
    }
);
