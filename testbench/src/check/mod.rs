//! Judges traffic that others made: the rules that show on the wire, connection by connection, in the order of the
//! capture.
//!
//! A capture may begin in the middle: what was sent before it is not judged. It may lack packets in between: a gap is a
//! finding until an answer shows that what is missing was sent, or a sequence NAK that it was lost on its way. A first
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
pub use message::is_positive;
pub use pairing::{Pairing, Pairs};
