//! Atomics to be carried out.
use super::bundle;
use rust_hdl_core::prelude::*;

bundle!(
    /// Operands of atomics, in the order in which their targets come as pieces. `ready` stays high until one is taken. `S`: bits of a slot.
    AtomicJobSource<S> to AtomicJobSink<S> {
        /// High while one is offered.
        valid: Out Bit,
        /// High in a cycle in which the offered one is taken.
        ready: In Bit,
        /// High for FetchAdd, low for CompareSwap.
        fetch_add: Out Bit,
        /// What CompareSwap compares with.
        compare: Out Bits<64>,
        /// What is swapped in or added.
        swap_add: Out Bits<64>,
        /// Where the original value is kept.
        slot: Out Bits<S>,
    }
);
