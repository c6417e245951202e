//! End-to-end credits under Verilator (`protocol/aeth.md` sections 3 to 5).
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod limit;
mod posted;
mod table;
mod turns;
