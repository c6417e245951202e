//! Wire formats, one header a file, declared with deku (`protocol/headers.md`, `headers.csv`).
//!
//! Fields are named after `headers.csv`. A value that is wider than its field is refused rather than truncated.
pub mod aeth;
pub mod atomic_ack_eth;
pub mod atomic_eth;
pub mod bth;
pub(crate) mod check;
pub mod crc;
pub mod credit;
mod decode;
pub mod deth;
pub mod extension;
pub mod flow_control;
pub mod frame;
pub mod grh;
pub mod header;
pub mod ieth;
pub mod immdt;
pub mod length;
pub mod lrh;
pub mod malformed;
pub mod multicast;
pub mod opcode;
pub mod packet;
pub mod raw;
pub mod rdeth;
pub mod reth;
pub mod roce;
pub mod rwh;
pub mod xrceth;
