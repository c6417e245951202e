//! The addresses, partitions, VLs, state and counters of a port.
use super::route::{self, OwnPort};
use super::{Driver, DriverError, Ticket};
use hca_host::register;
use std::ops::{Deref, DerefMut};

/// Number of entries of the port's P_Key table.
pub const P_KEYS: usize = register::PORT_P_KEY_COUNT as usize;
/// Entries of the GID table of a native port.
pub const GIDS: usize = register::GIDS as usize;

/// Number of entries of each arbitration table of the data VLs.
pub const VL_ARBITRATION_ENTRIES: usize = register::VL_ARBITRATION_ENTRIES as usize;

/// An arbitration table: VL (4 bits) and weight, in blocks of 64 bytes, of each entry.
pub type VlArbitrationTable = [(u8, u8); VL_ARBITRATION_ENTRIES];

/// Returns the table of these values of its registers.
pub fn vl_arbitration_table(words: [u32; VL_ARBITRATION_ENTRIES / 2]) -> VlArbitrationTable {
    std::array::from_fn(|n| {
        let half = words[n / 2] >> (16 * (n % 2));
        ((half >> 8) as u8 & 0xF, half as u8)
    })
}

/// Returns the address of the first register of a table. Each register has two entries, of 2 bytes each.
fn first_word(is_high: bool) -> u32 {
    match is_high {
        true => register::VL_ARBITRATION,
        false => register::VL_ARBITRATION + 2 * register::VL_ARBITRATION_ENTRIES,
    }
}

/// A counter of the port. It stays at the largest value that its bits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortCounter {
    PKeyViolations,
    QKeyViolations,
    /// Dropped packets on VL 15; native InfiniBand only.
    Vl15Dropped,
    /// Packets that did not leave because of the port's state, the VL of their SL, or the active MTU; native InfiniBand
    /// only.
    XmitDiscards,
    /// Number of times that an Active port lost its physical link and regained it in time; native InfiniBand only.
    LinkErrorRecovery,
    /// Number of times that the port went Down because its physical link was lost; native InfiniBand only.
    LinkDowned,
    /// Words of 32 bits, from the LRH to the ICRC, of the packets that have left; native InfiniBand only.
    XmitData,
    /// Packets that have left, without link packets; native InfiniBand only.
    XmitPackets,
    /// Clock cycles in which a packet waited for credits or arbitration, and none was under way; native InfiniBand
    /// only.
    XmitWait,
    /// Packets and link packets with an error of the link; native InfiniBand only, like the following counters.
    RcvErrors,
    /// Packets that ended as bad.
    RcvRemotePhysicalErrors,
    /// Packets on data VLs that found no room in the buffer.
    ExcessiveBufferOverrun,
    /// Words of 32 bits of the packets that arrived without an error.
    RcvData,
    /// Packets that arrived without an error.
    RcvPackets,
}

impl PortCounter {
    /// Returns the address of the counter's register.
    fn register(self) -> u32 {
        match self {
            PortCounter::PKeyViolations => register::P_KEY_VIOLATIONS,
            PortCounter::QKeyViolations => register::Q_KEY_VIOLATIONS,
            PortCounter::Vl15Dropped => register::VL15_DROPPED,
            PortCounter::XmitDiscards => register::PORT_XMIT_DISCARDS,
            PortCounter::LinkErrorRecovery => register::LINK_ERROR_RECOVERY,
            PortCounter::LinkDowned => register::LINK_DOWNED,
            PortCounter::XmitData => register::PORT_XMIT_DATA,
            PortCounter::XmitPackets => register::PORT_XMIT_PKTS,
            PortCounter::XmitWait => register::PORT_XMIT_WAIT,
            PortCounter::RcvErrors => register::PORT_RCV_ERRORS,
            PortCounter::RcvRemotePhysicalErrors => register::PORT_RCV_REMOTE_PHYSICAL_ERRORS,
            PortCounter::ExcessiveBufferOverrun => register::EXCESSIVE_BUFFER_OVERRUN,
            PortCounter::RcvData => register::PORT_RCV_DATA,
            PortCounter::RcvPackets => register::PORT_RCV_PKTS,
        }
    }
}

/// The driver for calls about a port other than the first ([`Driver::port`]).
pub struct OfPort<'a>(&'a mut Driver);

impl Deref for OfPort<'_> {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        self.0
    }
}

impl DerefMut for OfPort<'_> {
    fn deref_mut(&mut self) -> &mut Driver {
        self.0
    }
}

impl Drop for OfPort<'_> {
    fn drop(&mut self) {
        self.0.addressed = 0;
    }
}

/// Calls about a port: the first, or the one of [`port`](Driver::port).
impl Driver {
    /// Makes calls about a port mean this one, from 1 on, as long as the result lives. The adapter must have the port.
    pub fn port(&mut self, number: u8) -> OfPort<'_> {
        self.addressed = usize::from(number.saturating_sub(1)).min(self.ports.len() - 1);
        OfPort(self)
    }

    /// Returns the address of a register of the port that calls mean.
    fn of_port(&self, register: u32) -> u32 {
        register + self.addressed as u32 * register::PORT_STRIDE
    }

    /// Returns what the driver knows of the port of this number; of the first if there is no such port.
    pub(super) fn own_port_of(&self, number: u8) -> &OwnPort {
        let at = usize::from(number).checked_sub(1);
        at.and_then(|at| self.ports.get(at)).unwrap_or(&self.ports[0])
    }

    fn own_port(&mut self) -> &mut OwnPort {
        &mut self.ports[self.addressed]
    }

    pub(super) fn read_of_port(&mut self, register: u32) -> Ticket {
        self.read_register(self.of_port(register))
    }

    pub(super) fn write_of_port(&mut self, register: u32, value: u32) -> Ticket {
        self.write_register(self.of_port(register), value)
    }

    /// Reads a counter. The outcome is its value.
    pub fn port_counter(&mut self, counter: PortCounter) -> Ticket {
        self.read_of_port(counter.register())
    }

    /// Sets a counter to `count`.
    pub fn set_port_counter(&mut self, counter: PortCounter, count: u32) -> Ticket {
        self.write_of_port(counter.register(), count)
    }

    /// Requests a state of a native port, by its code in [`register::port_state`]: Down, Armed or Active. An illegal
    /// step changes nothing, except that a request for Down enables a disabled port. The adapter takes the next request
    /// once `changing` of [`port_state`](Driver::port_state) is 0.
    pub fn set_port_state(&mut self, state: u32) -> Ticket {
        self.write_of_port(register::PORT_STATE, state)
    }

    /// Disables a native port. It goes Down, and leaves Down only after [`set_port_state`](Driver::set_port_state) has
    /// been called with Down.
    pub fn disable_port(&mut self) -> Ticket {
        let value = register::port_state::DOWN | register::port_state::DISABLED;
        self.write_of_port(register::PORT_STATE, value)
    }

    /// Reads register `PORT_STATE`. The outcome is its value.
    pub fn port_state(&mut self) -> Ticket {
        self.read_of_port(register::PORT_STATE)
    }

    /// Sets the VLs on which packets of the SLs 0 to 15 leave, 4 bits each. Packets that map to VL 15 are discarded.
    /// The table applies to every packet that leaves once the ticket is done.
    pub fn set_sl_to_vl(&mut self, vls: &[u8; 16]) -> Ticket {
        let word = |vls: &[u8]| {
            vls.iter()
                .rev()
                .fold(0, |word, vl| word << 4 | u32::from(vl & 0xF))
        };
        let (low, high) = vls.split_at(8);
        self.write_of_port(register::SL_TO_VL, word(low));
        self.write_of_port(register::SL_TO_VL + 4, word(high))
    }

    /// Reads the two registers `SL_TO_VL`. The outcomes are their values.
    pub fn sl_to_vl(&mut self) -> [Ticket; 2] {
        [0, 4].map(|at| self.read_of_port(register::SL_TO_VL + at))
    }

    /// Sets the number of operational data VLs: codes 1, 2, 3, 4 stand for 1, 2, 4, 8. A code of 0, or one above the
    /// port's number of VLs, changes nothing.
    pub fn set_operational_vls(&mut self, code: u8) -> Ticket {
        let control = if self.own_port().flow_control {
            register::port_vls::FLOW_CONTROL
        } else {
            0
        };
        let value = u32::from(code) & register::port_vls::OPERATIONAL;
        self.write_of_port(register::PORT_VLS, value | control)
    }

    /// Lets data packets leave by the neighbour's credits if `is_on`, else without credits, as after a reset.
    pub fn set_flow_control(&mut self, is_on: bool) -> Ticket {
        self.own_port().flow_control = is_on;
        self.set_operational_vls(0)
    }

    /// Reads register `PORT_VLS`. The outcome is its value.
    pub fn port_vls(&mut self) -> Ticket {
        self.read_of_port(register::PORT_VLS)
    }

    /// Sets the active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5. Another code changes nothing.
    pub fn set_mtu(&mut self, code: u8) -> Ticket {
        self.write_of_port(register::PORT_MTU, code.into())
    }

    /// Reads register `PORT_MTU`. The outcome is the code of the active MTU.
    pub fn mtu(&mut self) -> Ticket {
        self.read_of_port(register::PORT_MTU)
    }

    /// Sets the high or the low arbitration table of the data VLs. The turns of both begin anew. The table is set once
    /// the ticket is done.
    pub fn set_vl_arbitration(&mut self, is_high: bool, table: &VlArbitrationTable) -> Ticket {
        let half = |(vl, weight): (u8, u8)| u32::from(weight) | u32::from(vl & 0xF) << 8;
        let mut ticket = None;
        for (at, pair) in (first_word(is_high)..).step_by(4).zip(table.chunks(2)) {
            ticket = Some(self.write_of_port(at, half(pair[0]) | half(pair[1]) << 16));
        }
        ticket.expect("the table has entries")
    }

    /// Reads the high or the low arbitration table. The outcomes are values of registers, which
    /// [`vl_arbitration_table`] puts together.
    pub fn vl_arbitration(&mut self, is_high: bool) -> [Ticket; VL_ARBITRATION_ENTRIES / 2] {
        std::array::from_fn(|n| self.read_of_port(first_word(is_high) + 4 * n as u32))
    }

    /// Sets VLHighLimit, in units of 4096 bytes: how much the high table may send before the low table sends a packet.
    /// 0: one packet; 255: no limit.
    pub fn set_vl_high_limit(&mut self, limit: u8) -> Ticket {
        self.write_of_port(register::VL_HIGH_LIMIT, limit.into())
    }

    /// Reads register `VL_HIGH_LIMIT`. The outcome is its value, with the limit in its low 8 bits.
    pub fn vl_high_limit(&mut self) -> Ticket {
        self.read_of_port(register::VL_HIGH_LIMIT)
    }

    /// Sets the port's base LID and LMC (3 bits).
    pub fn set_port(&mut self, lid: u16, lmc: u8) -> Ticket {
        self.own_port().lmc = lmc & 7;
        let value = u32::from(lid) | u32::from(lmc & 7) << 16;
        self.write_of_port(register::PORT, value)
    }

    /// Reads the port's base LID (bits 15:0) and LMC (18:16).
    pub fn lid_and_lmc(&mut self) -> Ticket {
        self.read_of_port(register::PORT)
    }

    /// Sets the port's GID, entry 0 of its GID table. With RoCEv2 it is the IP address, IPv4 as ::ffff:a.b.c.d. The GID
    /// is set once the ticket is done.
    pub fn set_gid(&mut self, gid: &[u8; 16]) -> Ticket {
        self.own_port().gid = *gid;
        let [first, second, third, fourth] = route::words(gid);
        self.write_of_port(register::PORT_GID, first);
        self.write_of_port(register::PORT_GID + 4, second);
        self.write_of_port(register::PORT_GID + 8, third);
        self.write_of_port(register::PORT_GID + 12, fourth)
    }

    /// Sets the GUIDs of the other entries of the GID table, which have the prefix of entry 0; 0 empties an entry. A
    /// RoCEv2 port has no such entries. They are set once the ticket is done.
    pub fn set_guids(&mut self, guids: &[u64; GIDS - 1]) -> Ticket {
        let words = guids.iter().flat_map(|guid| [(guid >> 32) as u32, *guid as u32]);
        let mut ticket = None;
        for (at, word) in (register::PORT_GUID..).step_by(4).zip(words) {
            ticket = Some(self.write_of_port(at, word));
        }
        ticket.expect("the table has entries")
    }

    /// Sets the port's MAC address (RoCEv2). The address is set once the ticket is done.
    pub fn set_mac(&mut self, mac: &[u8; 6]) -> Ticket {
        let (high, low) = route::mac_words(mac);
        self.write_of_port(register::PORT_MAC_HIGH, high);
        self.write_of_port(register::PORT_MAC_LOW, low)
    }

    /// Sets one entry of the port's P_Key table; 0 empties it. The entry applies to every packet that is checked, or
    /// leaves, once the ticket is done.
    pub fn set_p_key(&mut self, index: u16, p_key: u16) -> Result<Ticket, DriverError> {
        if usize::from(index) >= P_KEYS {
            let (field, value, bits) = ("P_Key index", u32::from(index), 2);
            return Err(DriverError::FieldTooWide { field, value, bits });
        }
        Ok(self.write_of_port(register::PORT_P_KEY + 4 * u32::from(index), p_key.into()))
    }

    /// Reads the port's P_Key table.
    pub fn p_keys(&mut self) -> [Ticket; P_KEYS] {
        std::array::from_fn(|n| self.read_of_port(register::PORT_P_KEY + 4 * n as u32))
    }

    /// Sets the port's P_Key table; 0 is an empty entry. The table is set once the ticket is done.
    pub fn set_p_keys(&mut self, p_keys: &[u16; P_KEYS]) -> Ticket {
        let [first, second, third, fourth] = p_keys.map(u32::from);
        self.write_of_port(register::PORT_P_KEY, first);
        self.write_of_port(register::PORT_P_KEY + 4, second);
        self.write_of_port(register::PORT_P_KEY + 8, third);
        self.write_of_port(register::PORT_P_KEY + 12, fourth)
    }
}
