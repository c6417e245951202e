//! The connection manager of RoCE: messages over QP1 make and end reliable connections.
//!
//! It does no I/O and keeps no clock: MADs and the time go in, MADs and events come out. Its user carries them over an
//! adapter's own QP1. Any other MAD is dropped and counted. On RoCE no path is asked of a subnet manager.
mod manager;
mod message;

pub use manager::{Event, Limits, Manager, Offer, Refused};
pub use message::{ip_header, tcp_service, BadMad, Ids, Mad, Message, Rep, Req, IP_HEADER_BYTES, MAD_BYTES};
