//! The write side, exported and Verilated: pieces and atomics on their way to host memory.
mod atomic_words;
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod compare;
mod cut;
mod fault_report;
mod memory;
mod placement_drain;
mod plan;
mod random;
mod rate;
mod rig;
mod written;
