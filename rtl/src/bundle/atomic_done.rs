//! Atomics that are done.
use super::pulse;
use hca_hdl::prelude::*;

pulse!(
    /// An atomic has taken place in host memory. `S`: bits of a slot.
    AtomicDoneSource to AtomicDoneSink<S> {
        /// High if host memory failed this atomic, or an earlier one whose result it needed.
        error: Out Bit,
        /// Slot that the atomic's job named.
        slot: Out Bits<S>,
        /// Value that memory held before.
        value: Out Bits<64>,
    }
);
