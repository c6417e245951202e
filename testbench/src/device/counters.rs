//! The registers that count packets, compared at the end with the packets at the ports.
use hca_golden::verbs::PortCounter;
use hca_host::register;
use hca_host::register::port_state::{ACTIVE, DOWN};
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
    /// State of the send side of the port.
    state: u32,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters {
            received: 0,
            sent: 0,
            dropped: [0; register::DROPPED_COUNT as usize],
            p_key_violations: 0,
            q_key_violations: 0,
            vl15_dropped: 0,
            xmit_discards: 0,
            state: ACTIVE,
        }
    }
}

impl Counters {
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
            kind::PORT_MODIFIED if record.code == SIDE_SEND => self.state = record.index,
            kind::REQUEST_EMITTED
            | kind::ACK_EMITTED
            | kind::READ_RESPONSE_EMITTED
            | kind::ATOMIC_ACK_EMITTED
                if self.state == DOWN || (self.state != ACTIVE && record.qpn != 0) =>
            {
                self.xmit_discards = self.xmit_discards.saturating_add(1);
            }
            _ => {}
        }
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
        }
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
            ("PORT_STATE".to_owned(), register::PORT_STATE, self.state),
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
