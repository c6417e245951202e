//! The registers that count packets. At the end of a run they are compared with the packets at the ports.
use hca_golden::port::Link;
use hca_host::register;
use hca_host::register::port_state::{ACTIVE, ACTIVE_DEFER, DISABLED, DOWN, LINK_UP};
use hca_host::retire::{kind, Record, SIDE_SEND};

/// Expected values of the registers.
pub struct Counters {
    received: u32,
    sent: u32,
    dropped: [u32; register::DROPPED_COUNT as usize],
    /// State of the send side of the port.
    state: u32,
    /// True after software has requested Down until the port reports Down.
    goes_down: bool,
    is_disabled: bool,
    /// True if the port is a native one and the cable is in it.
    is_linked: bool,
    is_native: bool,
}

impl Counters {
    /// Makes the values of an adapter out of reset whose port is Active.
    pub fn over(link: Link) -> Counters {
        let is_native = link == Link::InfiniBand;
        Counters {
            received: 0,
            sent: 0,
            dropped: [0; register::DROPPED_COUNT as usize],
            state: ACTIVE,
            goes_down: false,
            is_disabled: false,
            is_linked: is_native,
            is_native,
        }
    }

    /// Counts a packet that arrives.
    pub fn receive(&mut self) {
        self.received = self.received.wrapping_add(1);
    }

    /// Counts a packet that has left.
    pub fn send(&mut self) {
        self.sent = self.sent.wrapping_add(1);
    }

    /// Counts a reported decision: a drop, or a step of the port.
    pub fn decide(&mut self, record: &Record) {
        match record.kind {
            kind::PACKET_DROPPED | kind::COPY_DROPPED => self.drop(record),
            kind::PORT_MODIFIED if record.code == SIDE_SEND => {
                self.goes_down &= record.index != DOWN;
                self.state = record.index;
            }
            _ => {}
        }
    }

    /// Notes that software requests Down of a native port, with (`is_disabled`) or without disabling it.
    pub fn take_down(&mut self, is_disabled: bool) {
        self.is_disabled = is_disabled && self.is_native;
        self.goes_down = self.state != DOWN && self.is_native;
    }

    /// Notes that the cable is plugged into the port, or pulled.
    pub fn set_cable(&mut self, is_in: bool) {
        self.is_linked = is_in && self.is_native;
    }

    fn drop(&mut self, record: &Record) {
        // A code beyond the registers is not a reason. The translation of the record reports that.
        if let Some(count) = self.dropped.get_mut(usize::from(record.code)) {
            *count = count.wrapping_add(1);
        }
    }

    /// Returns true if the port stays in this state as long as software requests no other, the cable is not moved, and
    /// no packet comes.
    pub fn is_port_settled(&self, state: u32) -> bool {
        match state {
            DOWN => !self.is_linked || self.is_disabled,
            ACTIVE_DEFER => !self.is_linked,
            _ => self.is_linked || !self.is_native,
        }
    }

    fn port_state(&self) -> u32 {
        let is_up = self.is_linked && !self.is_disabled;
        let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        self.state | flag(self.is_disabled, DISABLED) | flag(is_up, LINK_UP)
    }

    /// Returns name, address and expected value of each register.
    pub fn registers(&self) -> Vec<(String, u32, u32)> {
        let dropped = self.dropped.iter().fold(0_u32, |sum, n| sum.wrapping_add(*n));
        let mut registers = vec![
            (
                "PACKETS_RECEIVED".to_owned(),
                register::PACKETS_RECEIVED,
                self.received,
            ),
            ("PACKETS_SENT".to_owned(), register::PACKETS_SENT, self.sent),
            ("PACKETS_DROPPED".to_owned(), register::PACKETS_DROPPED, dropped),
            ("PORT_STATE".to_owned(), register::PORT_STATE, self.port_state()),
        ];
        for (reason, count) in (0..).zip(self.dropped) {
            registers.push((
                format!("DROPPED[{reason}]"),
                register::DROPPED + 4 * reason,
                count,
            ));
        }
        registers
    }
}
