//! The abilities and the identity of an adapter and its ports.

/// Values that no manager changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    pub system_image_guid: u64,
    pub node_guid: u64,
    /// Vendor ID, 24 bits.
    pub vendor_id: u32,
    pub device_id: u16,
    pub revision: u32,
    pub ports: u8,
    /// Number of data VLs, as a code from 1 to 5 (`protocol/link.md` section 3).
    pub vl_cap: u8,
    /// Largest MTU, a code of `pmtu.csv` from 1 to 5.
    pub mtu_cap: u8,
    /// Numbers of entries of the two arbitration tables, at most 64.
    pub vl_arb_high_cap: u8,
    pub vl_arb_low_cap: u8,
    /// Number of entries of a port's P_Key table.
    pub p_key_cap: u16,
    /// Number of entries of a port's GUID table.
    pub guid_cap: u8,
    /// Bits of link widths and speeds.
    pub link_width_supported: u8,
    /// Supported link speeds, one bit each; 4 bits.
    pub link_speed_supported: u8,
}

impl Capabilities {
    /// Returns the GUID of a port, which is also entry 0 of its GUID table (CF548).
    pub fn port_guid(&self, port: u8) -> u64 {
        self.node_guid.wrapping_add(port.into())
    }

    /// Returns the number of data VLs.
    pub fn data_vls(&self) -> u8 {
        match self.vl_cap {
            5 => 15,
            code => 1 << code.saturating_sub(1).min(3),
        }
    }

    /// Returns true if SLs map to more than one VL.
    pub fn maps_sls(&self) -> bool {
        self.vl_cap > 1
    }
}
