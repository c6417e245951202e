//! The ports of the adapter: their registers, and both sides of their links.
mod port;
mod port_address;
mod port_merge;
mod port_set;

pub use port::Port;
pub use port_address::PortAddress;
pub use port_merge::PortMerge;
pub use port_set::PortSet;
