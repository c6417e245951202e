//! The connection manager of RoCE: messages over QP1 make and end reliable connections.
//!
//! It does no I/O and keeps no clock: MADs and the time go in, MADs and events come out. Its user carries the MADs over
//! an adapter's own QP1. MADs of other classes are dropped and counted. On RoCE the connection manager does not ask a
//! subnet manager for a path.
mod manager;
mod message;

pub use manager::{Event, Limits, Manager, Offer, Refused};
pub use message::{ip_header, tcp_service, BadMad, Ids, Mad, Message, Rep, Req, IP_HEADER_BYTES, MAD_BYTES};
