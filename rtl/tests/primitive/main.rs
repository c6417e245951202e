//! Each queue of the adapter, exported and Verilated, by itself: beside a plain queue, filled up and emptied, word by
//! word.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod parts;
mod passage;
mod queue;
