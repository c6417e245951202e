//! Work queues, exported and Verilated: doorbells, and the entries that are read for them.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod doorbells;
mod prefetch;
mod read_plan;
mod store;
mod turns;
