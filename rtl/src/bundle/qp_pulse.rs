//! Something that happened to a queue pair.
use super::pulse;
use rust_hdl_core::prelude::*;

pulse!(
    /// A queue pair, named once and always taken. `QB`: log2 of the number of queue pairs.
    QpPulseSource to QpPulseSink<QB> {
        index: Out Bits<QB>,
    }
);
