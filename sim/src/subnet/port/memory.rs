//! Ports whose registers are plain memory, so that the agents run without an adapter.
use super::super::attribute::{ArbitrationEntry, BadKey, PortCounters, PortCountersExtended, SlToVl};
use super::{
    ArbitrationTable, Capabilities, CountedKey, Link, LinkCommand, PhysicalState, PortState, Ports, Settings,
};
use std::convert::Infallible;

/// What the link has to do after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The link trains again.
    Train,
    /// The link stays down.
    Disable,
}

/// Weight of an arbitration entry at reset, in units of 64 bytes.
const FIRST_WEIGHT: u8 = 64;

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MemoryPort {
    link: Link,
    settings: Settings,
    p_keys: Vec<u16>,
    guids: Vec<u64>,
    sl_to_vl: SlToVl,
    low: Vec<ArbitrationEntry>,
    high: Vec<ArbitrationEntry>,
    p_key_violations: u16,
    q_key_violations: u16,
    violation: Option<(CountedKey, BadKey)>,
    counters: PortCounters,
    extended: PortCountersExtended,
    restart: Option<Restart>,
}

impl MemoryPort {
    /// Returns the port's state at reset (`protocol/mad.md` section 5.4).
    fn at_reset(capabilities: &Capabilities, port: u8) -> MemoryPort {
        let mut p_keys = vec![0; capabilities.p_key_cap.into()];
        p_keys.iter_mut().take(1).for_each(|p_key| *p_key = 0xFFFF);
        let mut guids = vec![0; capabilities.guid_cap.into()];
        let own = capabilities.port_guid(port);
        guids.iter_mut().take(1).for_each(|guid| *guid = own);
        let entries = |number: u8| vec![ArbitrationEntry::default(); number.into()];
        // The low table serves every data VL alike (`protocol/link.md` section 6).
        let mut low = entries(capabilities.vl_arb_low_cap);
        for (vl, entry) in (0..capabilities.data_vls()).zip(&mut low) {
            *entry = ArbitrationEntry {
                vl,
                weight: FIRST_WEIGHT,
            };
        }
        let highest = |bits: u8| bits.checked_ilog2().map_or(0, |bit| 1 << bit);
        MemoryPort {
            link: Link {
                state: PortState::Down,
                physical: PhysicalState::Polling,
                width_active: highest(capabilities.link_width_supported),
                speed_active: highest(capabilities.link_speed_supported),
            },
            settings: Settings::at_reset(capabilities),
            p_keys,
            guids,
            sl_to_vl: SlToVl::default(),
            low,
            high: entries(capabilities.vl_arb_high_cap),
            p_key_violations: 0,
            q_key_violations: 0,
            violation: None,
            counters: PortCounters::default(),
            extended: PortCountersExtended::default(),
            restart: None,
        }
    }
}

/// Ports in memory, without an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPorts {
    ports: Vec<MemoryPort>,
}

impl MemoryPorts {
    /// Makes ports at reset, without a link.
    pub fn new(capabilities: &Capabilities) -> MemoryPorts {
        let ports = (1..=capabilities.ports).map(|port| MemoryPort::at_reset(capabilities, port));
        MemoryPorts {
            ports: ports.collect(),
        }
    }

    /// Returns the port with this number.
    ///
    /// # Panics
    /// If there is no port with this number.
    fn at(&mut self, port: u8) -> &mut MemoryPort {
        &mut self.ports[usize::from(port) - 1]
    }

    /// Notes that the physical link is up.
    pub fn link_up(&mut self, port: u8) {
        let link = &mut self.at(port).link;
        if link.physical == PhysicalState::Polling {
            link.physical = PhysicalState::LinkUp;
            link.state = PortState::Init;
        }
    }

    /// Takes the port down because the physical link is lost: the cable was pulled, or the other end went down.
    /// LinkDowned counts it.
    pub fn link_lost(&mut self, port: u8) {
        let port = self.at(port);
        if port.link.state != PortState::Down {
            port.counters.link_downed = port.counters.link_downed.saturating_add(1);
        }
        port.link.state = PortState::Down;
        if port.link.physical == PhysicalState::LinkUp {
            port.link.physical = PhysicalState::Polling;
        }
    }

    /// Takes what the last command requires of the link; `None` if it was taken already.
    pub fn restart(&mut self, port: u8) -> Option<Restart> {
        self.at(port).restart.take()
    }

    /// Puts a port into a state, whatever the state of its link.
    pub fn set_state(&mut self, port: u8, state: PortState) {
        self.at(port).link.state = state;
    }

    /// Returns the counters of a port, for the user that moves its packets.
    pub fn counters_mut(&mut self, port: u8) -> (&mut PortCounters, &mut PortCountersExtended) {
        let port = self.at(port);
        (&mut port.counters, &mut port.extended)
    }

    /// Puts a packet dropped because of a key into the violation latch, if that is free.
    pub fn latch_violation(&mut self, port: u8, key: CountedKey, bad: BadKey) {
        self.at(port).violation.get_or_insert((key, bad));
    }

    /// Sets the number of packets dropped because of a key.
    pub fn set_violations(&mut self, port: u8, key: CountedKey, count: u16) {
        let port = self.at(port);
        match key {
            CountedKey::PKey => port.p_key_violations = count,
            CountedKey::QKey => port.q_key_violations = count,
        }
    }
}

impl Ports for MemoryPorts {
    type Error = Infallible;

    fn link(&mut self, port: u8) -> Result<Link, Infallible> {
        Ok(self.at(port).link)
    }

    fn command(&mut self, port: u8, command: LinkCommand) -> Result<(), Infallible> {
        let port = self.at(port);
        let link = &mut port.link;
        match command {
            LinkCommand::Arm => link.state = PortState::Armed,
            LinkCommand::Activate => link.state = PortState::Active,
            LinkCommand::Down if link.physical == PhysicalState::Disabled => {}
            LinkCommand::Down | LinkCommand::Poll => {
                link.state = PortState::Down;
                link.physical = PhysicalState::Polling;
                port.restart = Some(Restart::Train);
            }
            LinkCommand::Disable => {
                link.state = PortState::Down;
                link.physical = PhysicalState::Disabled;
                port.restart = Some(Restart::Disable);
            }
        }
        Ok(())
    }

    fn settings(&mut self, port: u8) -> Result<Settings, Infallible> {
        Ok(self.at(port).settings)
    }

    fn set_settings(&mut self, port: u8, settings: &Settings) -> Result<(), Infallible> {
        self.at(port).settings = *settings;
        Ok(())
    }

    fn p_keys(&mut self, port: u8) -> Result<Vec<u16>, Infallible> {
        Ok(self.at(port).p_keys.clone())
    }

    fn set_p_keys(&mut self, port: u8, p_keys: &[u16]) -> Result<(), Infallible> {
        self.at(port).p_keys = p_keys.to_vec();
        Ok(())
    }

    fn guids(&mut self, port: u8) -> Result<Vec<u64>, Infallible> {
        Ok(self.at(port).guids.clone())
    }

    fn set_guids(&mut self, port: u8, guids: &[u64]) -> Result<(), Infallible> {
        self.at(port).guids = guids.to_vec();
        Ok(())
    }

    fn sl_to_vl(&mut self, port: u8) -> Result<SlToVl, Infallible> {
        Ok(self.at(port).sl_to_vl)
    }

    fn set_sl_to_vl(&mut self, port: u8, table: &SlToVl) -> Result<(), Infallible> {
        self.at(port).sl_to_vl = *table;
        Ok(())
    }

    fn vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
    ) -> Result<Vec<ArbitrationEntry>, Infallible> {
        let port = self.at(port);
        Ok(match table {
            ArbitrationTable::Low => port.low.clone(),
            ArbitrationTable::High => port.high.clone(),
        })
    }

    fn set_vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
        entries: &[ArbitrationEntry],
    ) -> Result<(), Infallible> {
        let port = self.at(port);
        match table {
            ArbitrationTable::Low => port.low = entries.to_vec(),
            ArbitrationTable::High => port.high = entries.to_vec(),
        }
        Ok(())
    }

    fn violations(&mut self, port: u8, key: CountedKey) -> Result<u16, Infallible> {
        let port = self.at(port);
        Ok(match key {
            CountedKey::PKey => port.p_key_violations,
            CountedKey::QKey => port.q_key_violations,
        })
    }

    fn clear_violations(&mut self, port: u8, key: CountedKey) -> Result<(), Infallible> {
        self.set_violations(port, key, 0);
        Ok(())
    }

    fn take_violation(&mut self, port: u8) -> Result<Option<(CountedKey, BadKey)>, Infallible> {
        Ok(self.at(port).violation.take())
    }

    fn counters(&mut self, port: u8) -> Result<PortCounters, Infallible> {
        Ok(self.at(port).counters)
    }

    fn clear_counters(&mut self, port: u8, select: u16, select2: u8) -> Result<(), Infallible> {
        self.at(port).counters.clear(select, select2);
        Ok(())
    }

    fn extended_counters(&mut self, port: u8) -> Result<PortCountersExtended, Infallible> {
        Ok(self.at(port).extended)
    }

    fn clear_extended_counters(&mut self, port: u8, select: u16) -> Result<(), Infallible> {
        self.at(port).extended.clear(select);
        Ok(())
    }
}
