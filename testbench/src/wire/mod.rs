//! Compares the wire blocks with the model: link receive and packet builder alone, at every width and framing, on
//! random packets, legal and mutated.
//!
//! A case is a function of seed and number. Cases run in batches that share a framing, a port and the bench's
//! behaviour.
pub mod case;
pub(crate) mod draw;
pub mod fields;
pub mod framing;
pub mod hardware;
mod legal;
pub mod mismatch;
mod mutation;
pub mod rate;
pub mod receive;
pub(crate) mod repair;
pub mod run;
mod transmit;

/// Stream widths in bits.
pub const WIDTHS: [usize; 4] = [64, 128, 256, 512];
