//! The registers of an adapter, as its agents read and write them.
use super::super::attribute::{ArbitrationEntry, BadKey, PortCounters, PortCountersExtended, SlToVl};
use super::super::{
    ArbitrationTable, CountedKey, Link, LinkCommand, PhysicalState, PortState, Ports, Settings,
};
use super::{ManagedError, ManagedHca};
use crate::driver::{
    vl_arbitration_table, KeyViolation, PortCounter, ViolationQuery, VL_ARBITRATION_ENTRIES,
};
use hca_host::register::port_state as code;

impl ManagedHca {
    /// Returns register `PORT_STATE` of a port, once no step is under way.
    fn port_state(&mut self, port: u8) -> Result<u32, ManagedError> {
        self.until("a settled state of the port", {
            let mut asked = None;
            move |managed| {
                let ticket = *asked.get_or_insert_with(|| managed.hca.driver().port(port).port_state());
                let state = managed.hca.outcome(ticket).transpose()?;
                if state.is_some() {
                    asked = None;
                }
                Ok(state.filter(|state| state & code::CHANGING == 0))
            }
        })
    }

    /// Sets the GID table of a port: its prefix, and as many GUIDs as the table has entries.
    pub(super) fn set_gids(&mut self, port: u8) -> Result<(), ManagedError> {
        let Ok(settings) = self.kept.settings(port);
        let Ok(guids) = self.kept.guids(port);
        let guid = |entry: usize| guids.get(entry).copied().unwrap_or(0);
        let gid = u128::from(settings.gid_prefix) << 64 | u128::from(guid(0));
        self.hca.driver().port(port).set_gid(&gid.to_be_bytes());
        let others = std::array::from_fn(|other| guid(other + 1));
        let ticket = self.hca.driver().port(port).set_guids(&others);
        self.call(ticket).map(drop)
    }
}

fn counter(key: CountedKey) -> PortCounter {
    match key {
        CountedKey::PKey => PortCounter::PKeyViolations,
        CountedKey::QKey => PortCounter::QKeyViolations,
    }
}

fn bad_key(held: &KeyViolation) -> BadKey {
    BadKey {
        slid: held.slid,
        dlid: held.dlid,
        key: held.key,
        sl: held.sl,
        source_qpn: held.source_qpn,
        destination_qpn: held.destination_qpn,
        sgid: held.sgid,
        dgid: held.dgid,
    }
}

/// `kept` holds the values without a register: settings that change nothing in the adapter yet, and the GUIDs as they
/// were written.
impl Ports for ManagedHca {
    type Error = ManagedError;

    fn link(&mut self, port: u8) -> Result<Link, ManagedError> {
        let Ok(link) = self.kept.link(port);
        let register = self.port_state(port)?;
        let state = match register & code::STATE {
            code::INIT => PortState::Init,
            code::ARMED => PortState::Armed,
            code::ACTIVE => PortState::Active,
            code::ACTIVE_DEFER => PortState::ActiveDefer,
            _ => PortState::Down,
        };
        let physical = match () {
            () if register & code::DISABLED != 0 => PhysicalState::Disabled,
            () if register & code::LINK_UP != 0 => PhysicalState::LinkUp,
            () => PhysicalState::Polling,
        };
        Ok(Link {
            state,
            physical,
            ..link
        })
    }

    fn command(&mut self, port: u8, command: LinkCommand) -> Result<(), ManagedError> {
        let is_disabled = self.link(port)?.physical == PhysicalState::Disabled;
        let mut driver = self.hca.driver().port(port);
        let ticket = match command {
            LinkCommand::Arm => driver.set_port_state(code::ARMED),
            LinkCommand::Activate => driver.set_port_state(code::ACTIVE),
            LinkCommand::Down if is_disabled => return Ok(()),
            LinkCommand::Down | LinkCommand::Poll => driver.set_port_state(code::DOWN),
            LinkCommand::Disable => driver.disable_port(),
        };
        drop(driver);
        self.call(ticket)?;
        self.port_state(port).map(drop)
    }

    fn settings(&mut self, port: u8) -> Result<Settings, ManagedError> {
        let Ok(kept) = self.kept.settings(port);
        let ticket = self.hca.driver().port(port).lid_and_lmc();
        let value = self.call(ticket)?;
        let ticket = self.hca.driver().port(port).mtu();
        let mtu = self.call(ticket)? as u8;
        let ticket = self.hca.driver().port(port).vl_high_limit();
        Ok(Settings {
            lid: value as u16,
            lmc: (value >> 16) as u8 & 7,
            mtu,
            vl_high_limit: self.call(ticket)? as u8,
            ..kept
        })
    }

    fn set_settings(&mut self, port: u8, settings: &Settings) -> Result<(), ManagedError> {
        let Ok(()) = self.kept.set_settings(port, settings);
        let ticket = self.hca.driver().port(port).set_port(settings.lid, settings.lmc);
        self.call(ticket)?;
        let ticket = self
            .hca
            .driver()
            .port(port)
            .set_operational_vls(settings.operational_vls);
        self.call(ticket)?;
        let ticket = self.hca.driver().port(port).set_mtu(settings.mtu);
        self.call(ticket)?;
        let ticket = self
            .hca
            .driver()
            .port(port)
            .set_vl_high_limit(settings.vl_high_limit);
        self.call(ticket)?;
        self.set_gids(port)
    }

    fn p_keys(&mut self, port: u8) -> Result<Vec<u16>, ManagedError> {
        let mut p_keys = Vec::new();
        let tickets = self.hca.driver().port(port).p_keys();
        for ticket in tickets {
            p_keys.push(self.call(ticket)? as u16);
        }
        Ok(p_keys)
    }

    fn set_p_keys(&mut self, port: u8, p_keys: &[u16]) -> Result<(), ManagedError> {
        let entry = |n: usize| p_keys.get(n).copied().unwrap_or(0);
        let ticket = self
            .hca
            .driver()
            .port(port)
            .set_p_keys(&std::array::from_fn(entry));
        self.call(ticket).map(drop)
    }

    fn guids(&mut self, port: u8) -> Result<Vec<u64>, ManagedError> {
        let Ok(guids) = self.kept.guids(port);
        Ok(guids)
    }

    fn set_guids(&mut self, port: u8, guids: &[u64]) -> Result<(), ManagedError> {
        let Ok(()) = self.kept.set_guids(port, guids);
        self.set_gids(port)
    }

    fn sl_to_vl(&mut self, port: u8) -> Result<SlToVl, ManagedError> {
        let [low, high] = self.hca.driver().port(port).sl_to_vl();
        let halves = [self.call(low)?, self.call(high)?];
        let vl = |sl: usize| (halves[sl / 8] >> (4 * (sl % 8))) as u8 & 15;
        Ok(SlToVl {
            vls: std::array::from_fn(vl),
        })
    }

    fn set_sl_to_vl(&mut self, port: u8, table: &SlToVl) -> Result<(), ManagedError> {
        let ticket = self.hca.driver().port(port).set_sl_to_vl(&table.vls);
        self.call(ticket).map(drop)
    }

    fn vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
    ) -> Result<Vec<ArbitrationEntry>, ManagedError> {
        let tickets = self
            .hca
            .driver()
            .port(port)
            .vl_arbitration(table == ArbitrationTable::High);
        let mut words = [0; VL_ARBITRATION_ENTRIES / 2];
        for (word, ticket) in words.iter_mut().zip(tickets) {
            *word = self.call(ticket)?;
        }
        let entries = vl_arbitration_table(words).into_iter();
        Ok(entries
            .map(|(vl, weight)| ArbitrationEntry { vl, weight })
            .collect())
    }

    fn set_vl_arbitration(
        &mut self,
        port: u8,
        table: ArbitrationTable,
        entries: &[ArbitrationEntry],
    ) -> Result<(), ManagedError> {
        let entry = |n: usize| entries.get(n).map_or((0, 0), |entry| (entry.vl, entry.weight));
        let is_high = table == ArbitrationTable::High;
        let written = std::array::from_fn(entry);
        let ticket = self.hca.driver().port(port).set_vl_arbitration(is_high, &written);
        self.call(ticket).map(drop)
    }

    fn violations(&mut self, port: u8, key: CountedKey) -> Result<u16, ManagedError> {
        Ok(self.port_counter(port, counter(key))? as u16)
    }

    fn clear_violations(&mut self, port: u8, key: CountedKey) -> Result<(), ManagedError> {
        self.clear(port, counter(key))
    }

    fn take_violation(&mut self, port: u8) -> Result<Option<(CountedKey, BadKey)>, ManagedError> {
        // Without an event the latch is not read, which would take clock cycles.
        if !self.was_violated(port)? {
            return Ok(None);
        }
        let query = self.hca.driver().port(port).violation();
        let mut values = [0; ViolationQuery::REGISTERS];
        for (value, ticket) in values.iter_mut().zip(query.0) {
            *value = self.call(ticket)?;
        }
        let Some(held) = KeyViolation::of(values) else {
            return Ok(None);
        };
        let ticket = self.hca.driver().port(port).release_violation();
        self.call(ticket)?;
        let key = match held.is_q_key {
            true => CountedKey::QKey,
            false => CountedKey::PKey,
        };
        Ok(Some((key, bad_key(&held))))
    }

    fn counters(&mut self, port: u8) -> Result<PortCounters, ManagedError> {
        self.read_counters(port)
    }

    fn clear_counters(&mut self, port: u8, select: u16, select2: u8) -> Result<(), ManagedError> {
        self.clear_counters_of(port, select, select2)
    }

    fn extended_counters(&mut self, port: u8) -> Result<PortCountersExtended, ManagedError> {
        self.read_extended_counters(port)
    }

    fn clear_extended_counters(&mut self, port: u8, select: u16) -> Result<(), ManagedError> {
        self.clear_extended_counters_of(port, select)
    }
}
