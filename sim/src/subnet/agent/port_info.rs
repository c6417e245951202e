//! PortInfo: what a Get returns, what a Set may change, and in which order.
use super::super::attribute::{PortInfo, SmpData};
use super::super::m_key::Permission;
use super::super::mad::Status;
use super::super::port::{CountedKey, Link, LinkCommand, PortState, Ports, Settings};
use super::super::record::Record;
use super::attributes::Answer;
use super::seat::Seat;
use super::subnet_agent::{Event, SubnetAgent};

/// Capabilities that every port offers (`protocol/mad.md` section 5.2): Trap, IPD, SystemImageGUID, CM, DRNotice,
/// CapMaskNotice, ClientReregistration, OtherLocalChangesNotice.
const OFFERED: u32 = 1 << 3 | 1 << 4 | 1 << 11 | 1 << 16 | 1 << 21 | 1 << 22 | 1 << 25 | 1 << 26;
/// Capability bit: a subnet manager is on the port.
const IS_SM: u32 = 1 << 1;
/// Capability bit: SLs are mapped to VLs.
const SL_MAP: u32 = 1 << 6;
/// RespTimeValue of the agent.
const RESPONSE_TIME: u8 = 16;
/// LIDs of unicast packets.
const UNICAST: std::ops::RangeInclusive<u16> = 0x0001..=0xBFFF;
/// All widths, or all speeds, that are supported.
const ALL_WIDTHS: u8 = 0xFF;
const ALL_SPEEDS: u8 = 15;

impl SubnetAgent {
    /// Returns the capability mask of a port.
    pub fn capability_mask(&self, port: u8) -> u32 {
        let is_sm = if self.seat(port).is_sm { IS_SM } else { 0 };
        let sl_map = if self.capabilities.maps_sls() { SL_MAP } else { 0 };
        OFFERED | is_sm | sl_map
    }

    pub(super) fn get_port_info<P: Ports>(
        &self,
        ports: &mut P,
        port: u8,
        permission: Permission,
    ) -> Result<SmpData, P::Error> {
        let mut info = self.port_info(ports, port)?;
        if permission == Permission::WithoutKey {
            info.m_key = 0;
        }
        Ok(info.encode())
    }

    /// Returns PortInfo of a port, including its M_Key.
    pub fn port_info<P: Ports>(&self, ports: &mut P, port: u8) -> Result<PortInfo, P::Error> {
        let capabilities = &self.capabilities;
        let seat = self.seat(port);
        let link = ports.link(port)?;
        let settings = ports.settings(port)?;
        Ok(PortInfo {
            m_key: seat.m_key.key,
            gid_prefix: settings.gid_prefix,
            lid: settings.lid,
            master_sm_lid: seat.master_sm_lid,
            capability_mask: self.capability_mask(port),
            m_key_lease_period: seat.m_key.lease_period,
            local_port_num: port,
            link_width_enabled: settings.link_width_enabled,
            link_width_supported: capabilities.link_width_supported,
            link_width_active: link.width_active,
            link_speed_supported: capabilities.link_speed_supported,
            port_state: link.state.code(),
            port_physical_state: link.physical as u8,
            link_down_default_state: settings.link_down_default_state,
            m_key_protect_bits: seat.m_key.protect,
            lmc: settings.lmc,
            link_speed_active: link.speed_active,
            link_speed_enabled: settings.link_speed_enabled,
            neighbor_mtu: settings.mtu,
            master_sm_sl: seat.master_sm_sl,
            vl_cap: capabilities.vl_cap,
            vl_high_limit: settings.vl_high_limit,
            vl_arb_high_cap: capabilities.vl_arb_high_cap,
            vl_arb_low_cap: capabilities.vl_arb_low_cap,
            init_type_reply: seat.init_type_reply,
            mtu_cap: capabilities.mtu_cap,
            vl_stall_count: seat.vl_stall_count,
            hoq_life: seat.hoq_life,
            operational_vls: settings.operational_vls,
            m_key_violations: seat.m_key.violations,
            p_key_violations: ports.violations(port, CountedKey::PKey)?,
            q_key_violations: ports.violations(port, CountedKey::QKey)?,
            guid_cap: capabilities.guid_cap,
            subnet_timeout: seat.subnet_timeout,
            resp_time_value: RESPONSE_TIME,
            local_phy_errors: settings.local_phy_errors,
            overrun_errors: settings.overrun_errors,
            ..PortInfo::default()
        })
    }

    /// Carries out a Set: checks all fields, then takes all but the state, then changes the state (`protocol/mad.md`
    /// section 5.2). A Set that fails a check changes nothing.
    pub(super) fn set_port_info<P: Ports>(
        &mut self,
        ports: &mut P,
        port: u8,
        data: &SmpData,
    ) -> Result<Answer, P::Error> {
        let new = PortInfo::decode(data);
        let link = ports.link(port)?;
        let is_legal = addresses_are_legal(&new)
            && self.link_is_legal(&new)
            && self.limits_are_legal(&new)
            && state_is_legal(&new, link.state);
        if !is_legal {
            return Ok(Err(Status::Field));
        }
        let old = ports.settings(port)?;
        ports.set_settings(port, &self.settings(&new, &old))?;
        if new.lid != old.lid {
            self.raise(Event::LidChange { port });
        }
        if new.master_sm_lid != self.seat(port).master_sm_lid {
            self.raise(Event::SmChange { port });
        }
        self.seat_mut(port).take(&new);
        for (key, written) in [
            (CountedKey::PKey, new.p_key_violations),
            (CountedKey::QKey, new.q_key_violations),
        ] {
            if written == 0 {
                ports.clear_violations(port, key)?;
            }
        }
        if new.client_reregister {
            self.raise(Event::ClientReregister { port });
        }
        match state_step(&new, &link) {
            Some(command @ (LinkCommand::Arm | LinkCommand::Activate)) => ports.command(port, command)?,
            command => self.seat_mut(port).after_reply = command,
        }
        let shown = PortInfo {
            client_reregister: new.client_reregister,
            ..self.port_info(ports, port)?
        };
        Ok(Ok(shown.encode()))
    }

    fn link_is_legal(&self, new: &PortInfo) -> bool {
        let widths = self.capabilities.link_width_supported;
        let speeds = self.capabilities.link_speed_supported;
        (new.link_width_enabled == ALL_WIDTHS || new.link_width_enabled & !widths == 0)
            && (new.link_speed_enabled == ALL_SPEEDS || new.link_speed_enabled & !speeds == 0)
            && new.link_down_default_state <= 2
    }

    fn limits_are_legal(&self, new: &PortInfo) -> bool {
        (1..=self.capabilities.mtu_cap).contains(&new.neighbor_mtu)
            && new.operational_vls <= self.capabilities.vl_cap
    }

    /// Returns the adapter's settings after a Set. A field of 0 that stands for "no change" keeps the old value.
    fn settings(&self, new: &PortInfo, old: &Settings) -> Settings {
        let or_old = |new: u8, old: u8| if new == 0 { old } else { new };
        let or_all = |new: u8, all: u8, supported: u8| if new == all { supported } else { new };
        let widths = self.capabilities.link_width_supported;
        let speeds = self.capabilities.link_speed_supported;
        Settings {
            gid_prefix: new.gid_prefix,
            lid: new.lid,
            lmc: new.lmc,
            mtu: new.neighbor_mtu,
            operational_vls: or_old(new.operational_vls, old.operational_vls),
            vl_high_limit: new.vl_high_limit,
            link_width_enabled: or_old(
                or_all(new.link_width_enabled, ALL_WIDTHS, widths),
                old.link_width_enabled,
            ),
            link_speed_enabled: or_old(
                or_all(new.link_speed_enabled, ALL_SPEEDS, speeds),
                old.link_speed_enabled,
            ),
            link_down_default_state: or_old(new.link_down_default_state, old.link_down_default_state),
            local_phy_errors: new.local_phy_errors,
            overrun_errors: new.overrun_errors,
        }
    }
}

impl Seat {
    /// Takes the values of a Set that the agent itself keeps.
    fn take(&mut self, new: &PortInfo) {
        self.m_key.key = new.m_key;
        self.m_key.protect = new.m_key_protect_bits;
        self.m_key.lease_period = new.m_key_lease_period;
        if new.m_key_violations == 0 {
            self.m_key.violations = 0;
        }
        self.master_sm_lid = new.master_sm_lid;
        self.master_sm_sl = new.master_sm_sl;
        self.subnet_timeout = new.subnet_timeout;
        self.init_type_reply = new.init_type_reply;
        self.vl_stall_count = new.vl_stall_count;
        self.hoq_life = new.hoq_life;
    }
}

fn addresses_are_legal(new: &PortInfo) -> bool {
    let path_bits = (1 << new.lmc) - 1;
    UNICAST.contains(&new.lid) && new.lid & path_bits == 0 && UNICAST.contains(&new.master_sm_lid)
}

/// Returns true if the port may take this step from its state (`protocol/link.md` section 1).
fn state_is_legal(new: &PortInfo, state: PortState) -> bool {
    let is_step = match new.port_state {
        0 | 1 => true,
        3 => matches!(state, PortState::Init | PortState::Armed),
        4 => matches!(
            state,
            PortState::Armed | PortState::Active | PortState::ActiveDefer
        ),
        _ => false,
    };
    let is_physical = match new.port_physical_state {
        0 => true,
        1..=3 => new.port_state <= 1,
        _ => false,
    };
    is_step && is_physical
}

/// Returns the command to the link that a legal Set requires; `None` if the port is already in that state.
fn state_step(new: &PortInfo, link: &Link) -> Option<LinkCommand> {
    match (new.port_state, new.port_physical_state) {
        (_, 3) => Some(LinkCommand::Disable),
        (_, 1 | 2) => Some(LinkCommand::Poll),
        (1, _) => Some(LinkCommand::Down),
        (3, _) if link.state == PortState::Init => Some(LinkCommand::Arm),
        (4, _) if link.state == PortState::Armed => Some(LinkCommand::Activate),
        _ => None,
    }
}
