//! The write side, exported and Verilated: pieces, atomics and completions on their way to host memory.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod completions;
mod memory;
mod plan;
mod random;
mod rate;
mod rig;
