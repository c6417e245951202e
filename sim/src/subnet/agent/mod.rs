//! The agent of subnet management.
mod attributes;
mod port_info;
mod seat;
mod subnet_agent;
mod thresholds;

pub use subnet_agent::{Arrival, Event, Handled, Outgoing, SubnetAgent};
