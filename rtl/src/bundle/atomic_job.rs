//! Atomics to be carried out.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// Operands of atomics, in the order in which their targets come as pieces. `ready` stays high until one is taken.
    /// `S`: bits of a slot.
    AtomicJobSource to AtomicJobSink<S> {
        /// High for FetchAdd, low for CompareSwap.
        fetch_add: Out Bit,
        /// Value that CompareSwap compares memory with.
        compare: Out Bits<64>,
        /// Value that CompareSwap writes or FetchAdd adds.
        swap_add: Out Bits<64>,
        /// Slot in which the original value is kept.
        slot: Out Bits<S>,
    }
);
