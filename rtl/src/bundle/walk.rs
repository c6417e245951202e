//! Requests for walks along lists of SGEs.
use super::bundle;
use crate::memory::WalkRequest;
use hca_hdl::prelude::*;

bundle!(
    /// Asks a walker ([`crate::memory::Walker`]); its answers come in the order of requests.
    WalkSource to WalkSink {
        /// High while a walk is requested.
        valid: Out Bit,
        /// High in a cycle in which the request is taken.
        ready: In Bit,
        /// The request.
        item: Out WalkRequest,
        /// High for one cycle when the walk of the oldest request ends, with its last piece or later; pieces before a
        /// fault must not be used.
        done: In Bit,
        /// With `done`: `memory::walker::FAULT_*`.
        fault: In Bits<2>,
    }
);
