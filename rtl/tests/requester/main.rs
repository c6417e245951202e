//! The requester under Verilator: whole lives of QPs against a peer that is written down here from
//! `protocol/responder.md`, over a link that loses packets.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod datagrams;
mod drained;
mod effects;
mod emissions;
mod errors;
mod gathering;
mod loss;
mod message;
mod outcome;
mod peer;
mod pick;
mod plan;
mod position;
mod rig;
mod row;
mod scatter;
mod settle;
mod wakes;
