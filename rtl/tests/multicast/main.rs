//! Multicast on the receive side: groups and members, copies and refusals, and the port's own packets.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod header;
mod loopback;
mod random;
mod replication;
mod rig;
