//! Judges traffic that others made: the rules that show on the wire, connection by connection, in the order of the
//! capture.
//!
//! A capture may begin in the middle: what was sent before it is not judged. It may not lose packets in between: a
//! packet that the capture missed is a gap like any other, unless a sequence NAK tells that it never arrived. A first
//! look, by [`Pairing`], tells which answers are for which requests; then [`Judge`] takes the packets in order.
mod connection;
mod credits;
mod finding;
mod flow;
mod ladder;
mod message;
mod pairing;
mod requests;
mod responses;

pub use connection::{Counts, Judge};
pub use finding::{Finding, Rule};
pub use flow::Tenant;
pub use ladder::Rung;
pub use pairing::{Pairing, Pairs};
