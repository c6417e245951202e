//! Completion queues and the event queue, exported and Verilated.
mod arming;
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod event_queue;
mod order;
mod port_notices;
mod qp_notices;
mod record;
mod rig;
mod rings;
