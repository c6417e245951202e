//! The response engine, and the blocks of the requester that know no packet: completer, timers, scheduler.
#[path = "../bench/mod.rs"]
#[allow(dead_code)]
mod bench;

mod acks;
mod completer;
mod engine;
mod job_queue;
mod messages;
mod replay;
mod scheduler;
mod timers;
