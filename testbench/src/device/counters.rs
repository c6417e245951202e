//! The registers that count packets, compared at the end with the packets at the ports.
use hca_golden::port::Link;
use hca_golden::verbs::PortCounter;
use hca_host::register;
use hca_host::register::port_state::{ACTIVE, ACTIVE_DEFER, DISABLED, DOWN, LINK_UP};
use hca_host::retire::{drop, kind, Record, SIDE_SEND};

/// Expected values of the registers.
pub struct Counters {
    received: u32,
    sent: u32,
    dropped: [u32; register::DROPPED_COUNT as usize],
    p_key_violations: u16,
    q_key_violations: u16,
    vl15_dropped: u16,
    xmit_discards: u16,
    link_error_recovery: u8,
    link_downed: u8,
    /// State of the send side of the port.
    state: u32,
    /// True from a request of software that takes the port Down until the port reports Down.
    goes_down: bool,
    is_disabled: bool,
    /// The cable is in the port, which is a native one.
    is_linked: bool,
    is_native: bool,
}

impl Counters {
    /// Those of an adapter out of reset whose port is Active.
    pub fn over(link: Link) -> Counters {
        let is_native = link == Link::InfiniBand;
        Counters {
            received: 0,
            sent: 0,
            dropped: [0; register::DROPPED_COUNT as usize],
            p_key_violations: 0,
            q_key_violations: 0,
            vl15_dropped: 0,
            xmit_discards: 0,
            link_error_recovery: 0,
            link_downed: 0,
            state: ACTIVE,
            goes_down: false,
            is_disabled: false,
            is_linked: is_native,
            is_native,
        }
    }

    /// A packet arrives.
    pub fn receive(&mut self) {
        self.received = self.received.wrapping_add(1);
    }

    /// A packet has left.
    pub fn send(&mut self) {
        self.sent = self.sent.wrapping_add(1);
    }

    /// A decision is reported, which may be a drop, or a packet that the port may not send.
    pub fn decide(&mut self, record: &Record) {
        match record.kind {
            kind::PACKET_DROPPED | kind::COPY_DROPPED => self.drop(record),
            kind::PORT_MODIFIED if record.code == SIDE_SEND => self.step(record.index),
            kind::REQUEST_EMITTED
            | kind::ACK_EMITTED
            | kind::READ_RESPONSE_EMITTED
            | kind::ATOMIC_ACK_EMITTED
                if matches!(self.state, DOWN | ACTIVE_DEFER) || (self.state != ACTIVE && record.qpn != 0) =>
            {
                self.xmit_discards = self.xmit_discards.saturating_add(1);
            }
            _ => {}
        }
    }

    /// The port takes another state.
    fn step(&mut self, state: u32) {
        match (self.state, state) {
            (ACTIVE_DEFER, ACTIVE) => self.link_error_recovery = self.link_error_recovery.saturating_add(1),
            (_, DOWN) if !self.goes_down => self.link_downed = self.link_downed.saturating_add(1),
            _ => {}
        }
        self.goes_down &= state != DOWN;
        self.state = state;
    }

    /// Software asks a native port for Down, for good or to come back.
    pub fn take_down(&mut self, is_disabled: bool) {
        self.is_disabled = is_disabled && self.is_native;
        self.goes_down = self.state != DOWN && self.is_native;
    }

    /// The cable is plugged into the port, or pulled.
    pub fn set_cable(&mut self, is_in: bool) {
        self.is_linked = is_in && self.is_native;
    }

    fn drop(&mut self, record: &Record) {
        // A code beyond the registers is no reason; the translation of the record reports that.
        if let Some(count) = self.dropped.get_mut(usize::from(record.code)) {
            *count = count.wrapping_add(1);
        }
        match record.code {
            drop::P_KEY => self.p_key_violations = self.p_key_violations.saturating_add(1),
            drop::Q_KEY => self.q_key_violations = self.q_key_violations.saturating_add(1),
            drop::QP_STATE | drop::NO_RECEIVE_WQE | drop::BUFFER_TOO_SMALL if record.qpn == 0 => {
                self.vl15_dropped = self.vl15_dropped.saturating_add(1);
            }
            _ => {}
        }
    }

    /// Software sets a counter of the port, while no packet is under way.
    pub fn set(&mut self, counter: PortCounter, count: u16) {
        match counter {
            PortCounter::PKeyViolations => self.p_key_violations = count,
            PortCounter::QKeyViolations => self.q_key_violations = count,
            PortCounter::Vl15Dropped => self.vl15_dropped = count,
            PortCounter::XmitDiscards => self.xmit_discards = count,
            PortCounter::LinkErrorRecovery => self.link_error_recovery = count as u8,
            PortCounter::LinkDowned => self.link_downed = count as u8,
        }
    }

    /// Whether the port stays in this state as long as software asks for no other, the cable is left alone and no packet
    /// comes.
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

    /// Name, address and value of each register.
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
            (
                "P_KEY_VIOLATIONS".to_owned(),
                register::P_KEY_VIOLATIONS,
                self.p_key_violations.into(),
            ),
            (
                "Q_KEY_VIOLATIONS".to_owned(),
                register::Q_KEY_VIOLATIONS,
                self.q_key_violations.into(),
            ),
            (
                "VL15_DROPPED".to_owned(),
                register::VL15_DROPPED,
                self.vl15_dropped.into(),
            ),
            (
                "PORT_XMIT_DISCARDS".to_owned(),
                register::PORT_XMIT_DISCARDS,
                self.xmit_discards.into(),
            ),
            (
                "LINK_ERROR_RECOVERY".to_owned(),
                register::LINK_ERROR_RECOVERY,
                self.link_error_recovery.into(),
            ),
            (
                "LINK_DOWNED".to_owned(),
                register::LINK_DOWNED,
                self.link_downed.into(),
            ),
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
