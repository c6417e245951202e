//! The response engine, and the blocks of the requester that know no packet: completer, timers, scheduler.
#[path = "../bench/mod.rs"]
#[allow(dead_code)]
mod bench;

mod acks;
mod completer;
mod engine;
mod replay;
mod scheduler;
mod timers;
