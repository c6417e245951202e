//! The registers that count packets. At the end of a run they are compared with the packets at the ports.
use super::port_standing::PortStanding;
use hca_golden::port::Link;
use hca_host::register;
use hca_host::retire::{kind, Record, SIDE_SEND};

/// Expected values of the registers.
pub struct Counters {
    received: u32,
    sent: u32,
    dropped: [u32; register::DROPPED_COUNT as usize],
    /// By number, the first at place 0.
    ports: Vec<PortStanding>,
}

impl Counters {
    /// Makes the values of an adapter out of reset with so many ports, which are Active.
    pub fn over(link: Link, ports: usize) -> Counters {
        Counters {
            received: 0,
            sent: 0,
            dropped: [0; register::DROPPED_COUNT as usize],
            ports: vec![PortStanding::over(link); ports],
        }
    }

    /// Returns where the port of this number stands. The adapter must have it.
    pub fn port(&mut self, number: u8) -> &mut PortStanding {
        &mut self.ports[usize::from(number) - 1]
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
                // The translation reports a record of a port that does not exist.
                if let Some(port) = self.ports.get_mut(record.qpn as usize) {
                    port.takes(record.index);
                }
            }
            _ => {}
        }
    }

    fn drop(&mut self, record: &Record) {
        // A code beyond the registers is not a reason. The translation of the record reports that.
        if let Some(count) = self.dropped.get_mut(usize::from(record.code)) {
            *count = count.wrapping_add(1);
        }
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
        ];
        for (at, port) in (0..).zip(&self.ports) {
            registers.push((
                format!("PORT_STATE of port {}", at + 1),
                register::PORT_STATE + at * register::PORT_STRIDE,
                port.register(),
            ));
        }
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
