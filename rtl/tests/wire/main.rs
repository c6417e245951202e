//! The wire blocks, exported and Verilated, at every stream width and in both framings.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod delay;
mod gid_match;
mod management_check;
mod receive;
mod transmit;
