//! PortInfo.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// State and settings of a port, with the fields of `portinfo.csv` in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct PortInfo {
    pub m_key: u64,
    pub gid_prefix: u64,
    pub lid: u16,
    pub master_sm_lid: u16,
    pub capability_mask: u32,
    pub diag_code: u16,
    /// Lease period in seconds; 0 is endless.
    pub m_key_lease_period: u16,
    pub local_port_num: u8,
    pub link_width_enabled: u8,
    pub link_width_supported: u8,
    pub link_width_active: u8,
    #[deku(bits = 4)]
    pub link_speed_supported: u8,
    #[deku(bits = 4)]
    pub port_state: u8,
    #[deku(bits = 4)]
    pub port_physical_state: u8,
    #[deku(bits = 4)]
    pub link_down_default_state: u8,
    #[deku(bits = 2)]
    pub m_key_protect_bits: u8,
    #[deku(bits = 3, pad_bits_before = "3")]
    pub lmc: u8,
    #[deku(bits = 4)]
    pub link_speed_active: u8,
    #[deku(bits = 4)]
    pub link_speed_enabled: u8,
    /// MTU of the neighbour, a code of `pmtu.csv`.
    #[deku(bits = 4)]
    pub neighbor_mtu: u8,
    #[deku(bits = 4)]
    pub master_sm_sl: u8,
    /// Number of VLs, as a code (`protocol/link.md` section 3).
    #[deku(bits = 4)]
    pub vl_cap: u8,
    #[deku(bits = 4)]
    pub init_type: u8,
    pub vl_high_limit: u8,
    pub vl_arb_high_cap: u8,
    pub vl_arb_low_cap: u8,
    #[deku(bits = 4)]
    pub init_type_reply: u8,
    /// Largest MTU of the port, a code of `pmtu.csv`.
    #[deku(bits = 4)]
    pub mtu_cap: u8,
    #[deku(bits = 3)]
    pub vl_stall_count: u8,
    #[deku(bits = 5)]
    pub hoq_life: u8,
    /// Number of operational VLs, as a code.
    #[deku(bits = 4)]
    pub operational_vls: u8,
    #[deku(bits = 1)]
    pub partition_enforcement_inbound: bool,
    #[deku(bits = 1)]
    pub partition_enforcement_outbound: bool,
    #[deku(bits = 1)]
    pub filter_raw_inbound: bool,
    #[deku(bits = 1)]
    pub filter_raw_outbound: bool,
    pub m_key_violations: u16,
    pub p_key_violations: u16,
    pub q_key_violations: u16,
    pub guid_cap: u8,
    #[deku(bits = 1)]
    pub client_reregister: bool,
    #[deku(bits = 2)]
    pub mcast_p_key_trap_suppression: u8,
    /// Traps are at least 4.096 us * 2^n apart, where n is this value.
    #[deku(bits = 5)]
    pub subnet_timeout: u8,
    #[deku(bits = 5, pad_bits_before = "3")]
    pub resp_time_value: u8,
    #[deku(bits = 4)]
    pub local_phy_errors: u8,
    #[deku(bits = 4)]
    pub overrun_errors: u8,
    pub max_credit_hint: u16,
    #[deku(bits = 24, pad_bits_before = "8")]
    pub link_round_trip_latency: u32,
    pub capability_mask2: u16,
    #[deku(bits = 4)]
    pub link_speed_ext_active: u8,
    #[deku(bits = 4)]
    pub link_speed_ext_supported: u8,
    #[deku(bits = 5, pad_bits_before = "3")]
    pub link_speed_ext_enabled: u8,
}

impl Record for PortInfo {
    const BYTES: usize = 64;
}
