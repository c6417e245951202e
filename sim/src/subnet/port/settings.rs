//! The settings that a manager makes at a port and on which the adapter acts.
use super::Capabilities;

/// GidPrefix at reset.
const DEFAULT_PREFIX: u64 = 0xFE80_0000_0000_0000;
/// LinkDownDefaultState: polling.
const POLLING: u8 = 2;

/// Settings that a Set of PortInfo writes into the adapter (`portinfo.csv`, column "drives").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub gid_prefix: u64,
    /// Base LID; 0 until a manager has assigned one.
    pub lid: u16,
    /// LMC, 3 bits: the port answers to 2^LMC LIDs.
    pub lmc: u8,
    /// Active MTU, a code of `pmtu.csv`.
    pub mtu: u8,
    /// Number of usable VLs, as a code.
    pub operational_vls: u8,
    pub vl_high_limit: u8,
    /// Link widths that the next training of the link may use.
    pub link_width_enabled: u8,
    pub link_speed_enabled: u8,
    pub link_down_default_state: u8,
    /// Thresholds of the counters of local link integrity errors and buffer overruns.
    pub local_phy_errors: u8,
    pub overrun_errors: u8,
}

impl Settings {
    /// Returns the values at reset (`protocol/mad.md` section 5.4).
    pub fn at_reset(capabilities: &Capabilities) -> Settings {
        Settings {
            gid_prefix: DEFAULT_PREFIX,
            lid: 0,
            lmc: 0,
            mtu: capabilities.mtu_cap,
            operational_vls: capabilities.vl_cap,
            vl_high_limit: 0,
            link_width_enabled: capabilities.link_width_supported,
            link_speed_enabled: capabilities.link_speed_supported,
            link_down_default_state: POLLING,
            local_phy_errors: 0,
            overrun_errors: 0,
        }
    }

    /// Returns true if a unicast packet for this LID is for the port (`protocol/link.md` section 2).
    pub fn is_own_lid(&self, lid: u16) -> bool {
        self.lid != 0 && lid >> self.lmc == self.lid >> self.lmc
    }
}
