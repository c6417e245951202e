//! Doorbells, exported and Verilated.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod doorbells;
