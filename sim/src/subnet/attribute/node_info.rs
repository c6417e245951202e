//! NodeInfo.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// The type of a channel adapter.
pub const NODE_TYPE_CA: u8 = 1;

/// Information about a node (`protocol/mad.md` section 5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct NodeInfo {
    pub base_version: u8,
    pub class_version: u8,
    /// Always [`NODE_TYPE_CA`].
    pub node_type: u8,
    pub ports: u8,
    pub system_image_guid: u64,
    pub node_guid: u64,
    /// GUID of the port at which the request arrived.
    pub port_guid: u64,
    /// Number of entries of the P_Key table.
    pub partition_cap: u16,
    pub device_id: u16,
    pub revision: u32,
    /// Number of the port at which the request arrived.
    pub local_port: u8,
    /// Vendor ID, 24 bits.
    #[deku(bits = 24)]
    pub vendor_id: u32,
}

impl Record for NodeInfo {
    const BYTES: usize = 40;
}
