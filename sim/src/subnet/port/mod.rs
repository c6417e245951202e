//! The ports of an adapter, as the agents see them.
mod capabilities;
mod link;
mod memory;
mod settings;

pub use capabilities::Capabilities;
pub use link::{Link, LinkCommand, PhysicalState, PortState};
pub use memory::{MemoryPorts, Restart};
pub use settings::Settings;

use super::attribute::{ArbitrationEntry, BadKey, PortCounters, PortCountersExtended, SlToVl};

/// The two arbitration tables of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArbitrationTable {
    Low,
    High,
}

/// The keys whose mismatches a port counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedKey {
    PKey,
    QKey,
}

/// The registers of an adapter's ports. `protocol/mad.md` section 1 says what the adapter holds and what its agents do.
///
/// Ports are numbered from 1. The agents use no port above [`Capabilities::ports`], and write only values that fit: no
/// field is wider than in its attribute, no table longer than its capacity. A written value applies to the packets that
/// follow.
pub trait Ports {
    /// The reason why registers cannot be read or written.
    type Error;

    /// Returns the state of the link at this port.
    fn link(&mut self, port: u8) -> Result<Link, Self::Error>;

    /// Changes the state of the port. The agents request only steps that `protocol/link.md` section 1 permits.
    fn command(&mut self, port: u8, command: LinkCommand) -> Result<(), Self::Error>;

    /// Returns the settings of the port.
    fn settings(&mut self, port: u8) -> Result<Settings, Self::Error>;
    /// Writes all settings of the port.
    fn set_settings(&mut self, port: u8, settings: &Settings) -> Result<(), Self::Error>;

    /// Returns the whole P_Key table of [`Capabilities::p_key_cap`] entries; 0 is an empty entry.
    fn p_keys(&mut self, port: u8) -> Result<Vec<u16>, Self::Error>;
    /// Writes the whole P_Key table.
    fn set_p_keys(&mut self, port: u8, p_keys: &[u16]) -> Result<(), Self::Error>;

    /// Returns the [`Capabilities::guid_cap`] GUIDs of the port. Each makes a GID with the prefix of the settings.
    fn guids(&mut self, port: u8) -> Result<Vec<u64>, Self::Error>;
    /// Writes all GUIDs of the port.
    fn set_guids(&mut self, port: u8, guids: &[u64]) -> Result<(), Self::Error>;

    /// Returns the VL of each SL.
    fn sl_to_vl(&mut self, port: u8) -> Result<SlToVl, Self::Error>;
    /// Writes the VL of each SL.
    fn set_sl_to_vl(&mut self, port: u8, table: &SlToVl) -> Result<(), Self::Error>;

    /// Returns the whole arbitration table, as long as the capabilities say.
    fn vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
    ) -> Result<Vec<ArbitrationEntry>, Self::Error>;
    /// Writes the whole arbitration table.
    fn set_vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
        entries: &[ArbitrationEntry],
    ) -> Result<(), Self::Error>;

    /// Returns the number of packets dropped because of this key; it stays at FFFFh.
    fn violations(&mut self, port: u8, key: CountedKey) -> Result<u16, Self::Error>;
    /// Clears the number of packets dropped because of this key.
    fn clear_violations(&mut self, port: u8, key: CountedKey) -> Result<(), Self::Error>;

    /// Takes what the violation latch of the port holds, and releases the latch (`protocol/mad.md` section 6.1); `None`
    /// if it was free.
    fn take_violation(&mut self, port: u8) -> Result<Option<(CountedKey, BadKey)>, Self::Error>;

    /// Returns the counters of the port. The select fields are 0.
    fn counters(&mut self, port: u8) -> Result<PortCounters, Self::Error>;
    /// Clears each counter whose select bit is 1.
    fn clear_counters(&mut self, port: u8, select: u16, select2: u8) -> Result<(), Self::Error>;

    /// Returns the 64-bit counters of the port. The select fields are 0.
    fn extended_counters(&mut self, port: u8) -> Result<PortCountersExtended, Self::Error>;
    /// Clears each 64-bit counter whose select bit is 1.
    fn clear_extended_counters(&mut self, port: u8, select: u16) -> Result<(), Self::Error>;
}
