//! The requester under Verilator: whole lives of QPs against a peer that is written down here from
//! `protocol/responder.md`, over a link that loses packets.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod drained;
mod emissions;
mod errors;
mod loss;
mod message;
mod peer;
mod rig;
