//! Configuration and state of queue pairs, by index (the low bits of the QPN).
mod p_key_entry;
pub mod qp_config;
pub mod qp_route;
mod qp_states;
mod services;
pub mod state_rights;

pub use p_key_entry::PKeyEntry;
pub use qp_config::{QpAttributes, QpConfig, QpLimits};
pub use qp_route::QpRoute;
pub use qp_states::QpStates;
pub use services::Services;
