//! Configuration and state of queue pairs, by index (the low bits of the QPN).
pub mod config;
mod p_key_entry;
pub mod route;
pub mod state;

pub use config::{QpAttributes, QpConfig, QpLimits};
pub use p_key_entry::PKeyEntry;
pub use route::QpRoute;
