//! The agents of subnet management and performance management.
//!
//! [`SubnetAgent`] answers SMPs and sends traps; [`performance::answer`] answers MADs of performance management. Both
//! are functions of their state, the MAD and the time that they are given: they do no I/O and keep no clock. They read
//! and write an adapter through [`Ports`]; [`MemoryPorts`] are ports without an adapter, and [`ManagedHca`] is a
//! simulated adapter. Their user carries MADs over the adapter's QP0 and QP1, and gives SMPs with a directed route to
//! [`directed_route`] first.
mod agent;
pub mod attribute;
pub mod directed_route;
mod m_key;
pub mod mad;
mod managed;
mod packet;
pub mod performance;
mod port;
mod record;
mod traps;

pub use agent::{Arrival, Event, Handled, Outgoing, SubnetAgent};
pub use managed::{ManagedError, ManagedHca, CONNECTIONS, MESSAGE_BYTES};
pub use packet::{MadPacket, QP0};
pub use port::{
    ArbitrationTable, Capabilities, CountedKey, Link, LinkCommand, MemoryPorts, PhysicalState, PortState,
    Ports, Restart, Settings,
};
pub use record::Record;
