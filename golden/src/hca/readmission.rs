//! Packets that a port discarded because their VL was not operational, and that the device may let leave after all.
use super::shut_out::ShutOut;
use super::Port;
use crate::event::Event;
use crate::verbs::PortCounter;

/// Time for which a packet may be under way in the device after its emission, in picoseconds.
const UNDER_WAY: u64 = 16_000_000;

impl Port {
    /// Counts a packet that the port discards because its VL is not operational.
    pub(super) fn shut_out(&mut self, event: Event, bytes: Vec<u8>) {
        self.discard();
        let now = self.now;
        self.shut_out.retain(|packet| now < packet.at + UNDER_WAY);
        self.shut_out.push(ShutOut {
            at: now,
            event,
            bytes,
        });
    }

    /// Takes the packets that met a change of the number of operational VLs under way: the device may go by the number
    /// of now and let them leave (`link.md` section 3; AD). They are not counted as discarded any more.
    pub fn take_readmitted(&mut self) -> Vec<(Event, Vec<u8>)> {
        let (now, vls) = (self.now, self.config.data_vls);
        let is_readmitted = |packet: &mut ShutOut| {
            let vl = packet.bytes.first().map_or(0, |first| first >> 4);
            now < packet.at + UNDER_WAY && vl < vls
        };
        let readmitted: Vec<ShutOut> = self.shut_out.extract_if(.., is_readmitted).collect();
        for _ in &readmitted {
            self.counters.take_back(PortCounter::XmitDiscards);
        }
        readmitted
            .into_iter()
            .map(|packet| (packet.event, packet.bytes))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMITTED: Event = Event::RequestEmitted { qpn: 3, psn: 7 };

    fn discards(port: &mut Port) -> u32 {
        *port.counters.of(PortCounter::XmitDiscards)
    }

    #[test]
    fn a_packet_under_way_may_leave_on_a_vl_that_becomes_operational() {
        let mut port = Port::flow_controlled();
        port.set_data_vls(1);
        port.shut_out(EMITTED, vec![0x10]);
        assert!(port.take_readmitted().is_empty());
        assert_eq!(discards(&mut port), 1);
        port.set_data_vls(2);
        assert_eq!(port.take_readmitted(), [(EMITTED, vec![0x10])]);
        assert_eq!(discards(&mut port), 0);
        assert!(port.take_readmitted().is_empty());
    }

    #[test]
    fn a_packet_of_long_ago_has_been_discarded() {
        let mut port = Port::flow_controlled();
        port.set_data_vls(1);
        port.shut_out(EMITTED, vec![0x10]);
        port.now += UNDER_WAY;
        port.set_data_vls(2);
        assert!(port.take_readmitted().is_empty());
        assert_eq!(discards(&mut port), 1);
    }
}
