//! What stands between the engines and host memory, under Verilator: the walk along scatter/gather lists with its
//! checks, the pieces held back until their packet is decided, and the cache of work queue entries.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod cache;
mod invalidation;
mod keyed_walker;
mod lookup_drain;
mod piece_queue;
mod protection;
mod random;
mod reference;
mod segment_list;
mod update;
mod walk;
