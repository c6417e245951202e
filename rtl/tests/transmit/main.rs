//! The way out under Verilator: reads of host memory, and payload gathered ahead.
mod arbiter;
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod gather;
mod memory;
