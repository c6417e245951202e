//! The blocks of the requester that know no packet: completer, timers, scheduler.
#[path = "../bench/mod.rs"]
#[allow(dead_code)]
mod bench;

mod completer;
mod scheduler;
mod timers;
