//! Wire formats, one header a file, parse and emit side by side (`protocol/headers.md`, `headers.csv`).
//!
//! Fields are named after `headers.csv`. Emitting takes the low bits of a value that is wider than its field.
pub mod aeth;
pub mod bth;
pub mod crc;
pub mod extension;
pub mod immdt;
pub mod length;
pub mod lrh;
pub mod opcode;
pub mod packet;
