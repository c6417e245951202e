//! What the hardware knows of a queue pair, by index (the low bits of its QPN).
pub mod config;
pub mod route;
pub mod state;

pub use config::ConfigFields;
pub use route::RouteFields;
