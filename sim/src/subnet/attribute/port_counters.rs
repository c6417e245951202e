//! PortCounters.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// The counters of a port. Each stays at all ones (`port_counters.csv`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct PortCounters {
    #[deku(pad_bytes_before = "1")]
    pub port_select: u8,
    /// Counters that a Set clears, by the select bits of the table.
    pub counter_select: u16,
    pub symbol_errors: u16,
    pub link_error_recovery: u8,
    pub link_downed: u8,
    pub rcv_errors: u16,
    pub rcv_remote_physical_errors: u16,
    pub rcv_switch_relay_errors: u16,
    pub xmit_discards: u16,
    pub xmit_constraint_errors: u8,
    pub rcv_constraint_errors: u8,
    /// Bit 0 is set if a Set clears PortXmitWait.
    pub counter_select2: u8,
    /// Counter of 4 bits.
    #[deku(bits = 4)]
    pub local_link_integrity_errors: u8,
    /// Counter of 4 bits.
    #[deku(bits = 4)]
    pub excessive_buffer_overrun_errors: u8,
    pub qp1_dropped: u16,
    pub vl15_dropped: u16,
    /// Words of four bytes sent, from LRH to ICRC.
    pub xmit_data: u32,
    /// Words of four bytes received, from LRH to ICRC.
    pub rcv_data: u32,
    pub xmit_pkts: u32,
    pub rcv_pkts: u32,
    pub xmit_wait: u32,
}

impl Record for PortCounters {
    const BYTES: usize = 44;
}

impl PortCounters {
    /// Clears each counter whose select bit is 1.
    pub fn clear(&mut self, select: u16, select2: u8) {
        let selected = |bit: u16| select & bit != 0;
        let clear16 = |bit: u16, counter: &mut u16| *counter = if selected(bit) { 0 } else { *counter };
        let clear8 = |bit: u16, counter: &mut u8| *counter = if selected(bit) { 0 } else { *counter };
        let clear32 = |bit: u16, counter: &mut u32| *counter = if selected(bit) { 0 } else { *counter };
        clear16(0x0001, &mut self.symbol_errors);
        clear8(0x0002, &mut self.link_error_recovery);
        clear8(0x0004, &mut self.link_downed);
        clear16(0x0008, &mut self.rcv_errors);
        clear16(0x0010, &mut self.rcv_remote_physical_errors);
        clear16(0x0020, &mut self.rcv_switch_relay_errors);
        clear16(0x0040, &mut self.xmit_discards);
        clear8(0x0080, &mut self.xmit_constraint_errors);
        clear8(0x0100, &mut self.rcv_constraint_errors);
        clear8(0x0200, &mut self.local_link_integrity_errors);
        clear8(0x0400, &mut self.excessive_buffer_overrun_errors);
        clear16(0x0800, &mut self.vl15_dropped);
        clear32(0x1000, &mut self.xmit_data);
        clear32(0x2000, &mut self.rcv_data);
        clear32(0x4000, &mut self.xmit_pkts);
        clear32(0x8000, &mut self.rcv_pkts);
        if select2 & 1 != 0 {
            self.xmit_wait = 0;
        }
    }
}
