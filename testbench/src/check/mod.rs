//! Judges the traffic of other programs by the rules that packets show, connection by connection, in the order of the
//! capture.
//!
//! A capture may begin in the middle: what was sent before it is not judged. It may lack packets: a gap is a finding
//! until an answer shows that the missing packets were sent, or a sequence NAK shows that they were lost on their way.
//! [`Pairing`] finds the flow of requests to which each flow of answers belongs. [`Ahead`] passes every packet to it in
//! order, and later to [`Judge`] in the same order.
mod agreement;
mod ahead;
mod credits;
mod datagram;
mod finding;
mod flow;
mod found;
mod history;
mod judge;
mod ladder;
mod observed;
mod pairing;
mod q_keys;
mod renewed;
mod requests;
mod responses;
mod stray;
mod unreliable;

pub use ahead::{Ahead, Seen, What};
pub use finding::{Finding, Rule};
pub use flow::Tenant;
pub use found::Found;
pub use judge::{Counts, Judge};
pub use ladder::Rung;
pub use observed::{Body, Observed};
pub use pairing::{Pairing, Pairs};
