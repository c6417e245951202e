//! Configuration and state of queue pairs, by index (the low bits of the QPN).
pub mod config_fields;
mod p_key_entry;
pub mod route_fields;
pub mod state_rights;

pub use config_fields::ConfigFields;
pub use p_key_entry::PKeyEntry;
pub use route_fields::RouteFields;
