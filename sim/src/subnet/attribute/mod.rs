//! Attributes of subnet management and performance management: the records that MADs carry.
mod class_port_info;
mod guid_info;
pub mod id;
mod node_info;
mod notice;
mod p_key_table;
mod port_counters;
mod port_counters_extended;
mod port_info;
mod sl_to_vl;
mod trap;
mod vl_arbitration;

pub use class_port_info::ClassPortInfo;
pub use guid_info::GuidInfo;
pub use node_info::{NodeInfo, NODE_TYPE_CA};
pub use notice::Notice;
pub use p_key_table::PKeyBlock;
pub use port_counters::PortCounters;
pub use port_counters_extended::PortCountersExtended;
pub use port_info::PortInfo;
pub use sl_to_vl::SlToVl;
pub use trap::{BadKey, LocalChange, RefusedRoute, RefusedSmp, Trap};
pub use vl_arbitration::{ArbitrationBlock, ArbitrationEntry};

/// Size in bytes of an attribute in an SMP.
pub const SMP_DATA_BYTES: usize = 64;
/// The attribute of an SMP as bytes.
pub type SmpData = [u8; SMP_DATA_BYTES];
