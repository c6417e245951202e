//! An event of a queue pair.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// Names a queue pair for one cycle; always taken. `QB`: log2 of the number of queue pairs.
    QpPulseSource to QpPulseSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
    }
);
