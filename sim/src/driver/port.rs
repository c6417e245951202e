//! The port's addresses and partitions.
use super::{route, Driver, DriverError, Ticket};
use hca_host::register;

/// Entries of the port's P_Key table.
pub const P_KEYS: usize = register::PORT_P_KEY_COUNT as usize;

/// What the port counts, up to FFFFh each, or FFh of what becomes of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortCounter {
    PKeyViolations,
    QKeyViolations,
    /// Native InfiniBand only.
    Vl15Dropped,
    /// Packets that the port's state did not let leave; native InfiniBand only.
    XmitDiscards,
    /// Times that an Active port lost its physical link and had it back in time; native InfiniBand only.
    LinkErrorRecovery,
    /// Times that the port went Down because its physical link was lost; native InfiniBand only.
    LinkDowned,
}

impl PortCounter {
    /// The register that counts.
    fn register(self) -> u32 {
        match self {
            PortCounter::PKeyViolations => register::P_KEY_VIOLATIONS,
            PortCounter::QKeyViolations => register::Q_KEY_VIOLATIONS,
            PortCounter::Vl15Dropped => register::VL15_DROPPED,
            PortCounter::XmitDiscards => register::PORT_XMIT_DISCARDS,
            PortCounter::LinkErrorRecovery => register::LINK_ERROR_RECOVERY,
            PortCounter::LinkDowned => register::LINK_DOWNED,
        }
    }
}

impl Driver {
    /// Reads what a counter has reached: the value of the ticket.
    pub fn port_counter(&mut self, counter: PortCounter) -> Ticket {
        self.read_register(counter.register())
    }

    /// Sets that number.
    pub fn set_port_counter(&mut self, counter: PortCounter, count: u16) -> Ticket {
        self.write_register(counter.register(), count.into())
    }

    /// Asks a native port for a state, by its code in [`register::port_state`]: Down, Armed or Active. An illegal step
    /// changes nothing, except that a request for Down enables a disabled port. The adapter takes the next one once `changing` of
    /// [`port_state`](Driver::port_state) is 0.
    pub fn set_port_state(&mut self, state: u32) -> Ticket {
        self.write_register(register::PORT_STATE, state)
    }

    /// Disables a native port: it goes Down, and leaves Down only after [`set_port_state`](Driver::set_port_state) has
    /// been called with Down.
    pub fn disable_port(&mut self) -> Ticket {
        let value = register::port_state::DOWN | register::port_state::DISABLED;
        self.write_register(register::PORT_STATE, value)
    }

    /// Reads register `PORT_STATE`: the value of the ticket.
    pub fn port_state(&mut self) -> Ticket {
        self.read_register(register::PORT_STATE)
    }

    /// Sets the port's base LID and LMC (3 bits).
    pub fn set_port(&mut self, lid: u16, lmc: u8) -> Ticket {
        self.port.lmc = lmc & 7;
        let value = u32::from(lid) | u32::from(lmc & 7) << 16;
        self.write_register(register::PORT, value)
    }

    /// Sets the port's GID; with RoCEv2 its IP address, IPv4 as ::ffff:a.b.c.d. It is set once the ticket is done.
    pub fn set_gid(&mut self, gid: &[u8; 16]) -> Ticket {
        self.port.gid = *gid;
        let [first, second, third, fourth] = route::words(gid);
        self.write_register(register::PORT_GID, first);
        self.write_register(register::PORT_GID + 4, second);
        self.write_register(register::PORT_GID + 8, third);
        self.write_register(register::PORT_GID + 12, fourth)
    }

    /// Sets the port's MAC address (RoCEv2). It is set once the ticket is done.
    pub fn set_mac(&mut self, mac: &[u8; 6]) -> Ticket {
        let (high, low) = route::mac_words(mac);
        self.write_register(register::PORT_MAC_HIGH, high);
        self.write_register(register::PORT_MAC_LOW, low)
    }

    /// Sets one entry of the port's P_Key table; 0 empties it. It counts for every packet that is checked, or leaves, once
    /// the ticket is done.
    pub fn set_p_key(&mut self, index: u16, p_key: u16) -> Result<Ticket, DriverError> {
        if usize::from(index) >= P_KEYS {
            let (field, value, bits) = ("P_Key index", u32::from(index), 2);
            return Err(DriverError::FieldTooWide { field, value, bits });
        }
        Ok(self.write_register(register::PORT_P_KEY + 4 * u32::from(index), p_key.into()))
    }

    /// Sets the port's P_Key table; 0 is an empty entry. It is set once the ticket is done.
    pub fn set_p_keys(&mut self, p_keys: &[u16; P_KEYS]) -> Ticket {
        let [first, second, third, fourth] = p_keys.map(u32::from);
        self.write_register(register::PORT_P_KEY, first);
        self.write_register(register::PORT_P_KEY + 4, second);
        self.write_register(register::PORT_P_KEY + 8, third);
        self.write_register(register::PORT_P_KEY + 12, fourth)
    }
}
