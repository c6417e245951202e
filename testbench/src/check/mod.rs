//! Judges traffic that others made: the rules that show on the wire, connection by connection, in the order of the capture.
//!
//! A capture may begin in the middle: what was sent before it is not judged. It may not lose packets in between: a packet
//! that the capture missed is a gap like any other.
mod connection;
mod credits;
mod finding;
mod message;
mod requests;
mod responses;

pub use connection::Judge;
pub use finding::{Finding, Rule};
