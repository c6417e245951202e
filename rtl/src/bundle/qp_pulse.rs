//! Something that happened to a queue pair.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// A queue pair, named once and always taken. `QB`: log2 of the number of queue pairs.
    QpPulseSource<QB> to QpPulseSink<QB> {
        /// High for one cycle when `index` is named.
        valid: Out Bit,
        index: Out Bits<QB>,
    }
);
