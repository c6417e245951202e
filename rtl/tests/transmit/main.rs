//! The way out under Verilator: reads of host memory, payload gathered ahead, packets on the link.
mod arbiter;
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod departure;
mod gather;
mod link_drain;
mod memory;
mod packet;
mod path;
#[allow(dead_code)]
#[path = "../wire/transmit/reference.rs"]
mod reference;
mod requests_read;
mod routing;
mod side;
mod spoil;
mod withhold;
