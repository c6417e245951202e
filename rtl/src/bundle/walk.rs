//! Requests for walks along lists of SGEs.
use super::bundle;
use crate::memory::WalkRequest;
use rust_hdl_core::prelude::*;

bundle!(
    /// Asks a walker ([`crate::memory::Walker`]); its answers come in the order of requests.
    WalkSource to WalkSink {
        /// High while a walk is asked for.
        valid: Out Bit,
        /// High in a cycle in which the request is taken.
        ready: In Bit,
        /// The request.
        item: Out WalkRequest,
        /// High for one cycle for a request, with its last piece or after it; pieces before a fault must not be used.
        done: In Bit,
        /// With `done`: `memory::walker::FAULT_*`.
        fault: In Bits<2>,
    }
);
