//! Configuration and state of queue pairs, by index (the low bits of the QPN).
pub mod config;
pub mod route;
pub mod state;

pub use config::ConfigFields;
pub use route::RouteFields;
