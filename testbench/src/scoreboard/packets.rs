//! The packets that the model expects.
use crate::device::Transmitted;
use crate::trace::dissection::Dissection;
use crate::trace::log;
use hca_golden::event::{Event, MemoryFault};
use hca_golden::hca::{Hca, Pace, Port, Violation};
use hca_golden::port::Link;
use hca_golden::wire::multicast::is_for_group;
use std::collections::VecDeque;

/// Number of packets that are remembered to recognise one that is sent twice.
pub(super) const REMEMBERED: usize = 16;

/// The packets that the model expects on the wire, and those that are compared already.
#[derive(Default)]
pub struct Packets {
    pub(super) expected: VecDeque<Expected>,
    /// Compared packets, for the link.
    pub checked: VecDeque<Transmitted>,
    pub(super) sent: VecDeque<Transmitted>,
    /// An emission that the model refused. The packets expected before it still come first.
    pub refused: Option<Refused>,
}

/// A packet that must leave because of an event.
pub(super) struct Expected {
    pub(super) event: Event,
    /// Number of the port by which it leaves.
    pub(super) port: u8,
    pub(super) bytes: Vec<u8>,
    /// Packets that may leave in its place.
    pub(super) instead: Vec<Vec<u8>>,
    /// Host memory failed its data, so it must end with a wrong CRC.
    pub(super) spoiled: bool,
    /// The port may have given it up, because it had no credits as far as the device could know.
    pub(super) may_be_given_up: bool,
    /// The port's round of counts at the event ([`hca_golden::hca::Port::round`]).
    pub(super) round: u32,
    /// How the packet follows others of its source.
    pub(super) pace: Option<Pace>,
}

impl Expected {
    /// Returns true if these are its bytes, or bytes that may leave in their place.
    pub(super) fn is(&self, bytes: &[u8]) -> bool {
        self.bytes == bytes || self.instead.iter().any(|other| other == bytes)
    }
}

/// An emission that was not permitted, with what the model would have sent.
pub struct Refused {
    pub(super) event: Event,
    pub(super) violation: Violation,
    pub(super) own: Option<Vec<u8>>,
    pub(super) cycle: u64,
}

impl Packets {
    /// Expects these bytes to leave next by this port, because of this event.
    pub fn expect(&mut self, event: Event, pace: Option<Pace>, port: u8, bytes: Vec<u8>, round: u32) {
        self.expected.push_back(Expected {
            event,
            port,
            bytes,
            instead: Vec::new(),
            spoiled: false,
            may_be_given_up: false,
            round,
            pace,
        });
    }

    /// Notes whether the port may give the last expected packet up, because its VL may not be operational.
    pub fn may_give_up_last(&mut self, may_be_given_up: bool) {
        if let Some(last) = self.expected.back_mut() {
            last.may_be_given_up |= may_be_given_up;
        }
    }

    /// Permits these bytes to leave in place of the last expected ones.
    pub fn permit_instead(&mut self, bytes: Vec<u8>) {
        if let Some(last) = self.expected.back_mut() {
            last.instead.push(bytes);
        }
    }

    /// Notes that host memory failed an access for this QP: the packet with that data leaves with a wrong CRC.
    pub fn spoil(&mut self, qpn: u32, fault: MemoryFault) {
        let is_its = |event: &Event| match (fault, *event) {
            (MemoryFault::RequestData { psn }, Event::RequestEmitted { qpn: of, psn: p }) => {
                (of, p) == (qpn, psn)
            }
            (MemoryFault::ResponseData { psn }, Event::ReadResponseEmitted { qpn: of, psn: p, .. }) => {
                (of, p) == (qpn, psn)
            }
            _ => false,
        };
        let mut begun = self.expected.iter_mut();
        if let Some(packet) = begun.find(|e| is_its(&e.event) && !e.spoiled) {
            packet.spoiled = true;
        }
    }

    /// Notes that the send side of this port has another state, which may let no data packet leave. Packets without
    /// credits are then given up. The device may not have known of the latest credits.
    pub fn port_moved(&mut self, port: &mut Port) {
        let (number, round) = (port.number(), port.round());
        self.expected.retain(|e| {
            let is_other = e.port != number || e.round != round;
            let stays = e.may_be_given_up || is_other || port.might_start(&e.bytes);
            stays || !port.gives_up(&e.bytes)
        });
        let is_shut = port.is_flow_controlled() && !port.sends_data();
        let of_port = self.expected.iter_mut().filter(|e| e.port == number);
        of_port.for_each(|e| e.may_be_given_up |= is_shut);
    }

    /// Notes that another number of this port's data VLs is operational. What waits on the others is given up, unless
    /// it starts before the device knows.
    pub fn vls_changed(&mut self, port: &Port) {
        let of_port = self.expected.iter_mut().filter(|e| e.port == port.number());
        of_port.for_each(|e| e.may_be_given_up |= port.is_on_idle_vl(&e.bytes));
    }

    /// Expects the packets that met the last change of the number of operational VLs under way. The device may also
    /// have discarded them.
    pub fn readmit(&mut self, port: &mut Port) {
        let (number, round) = (port.number(), port.round());
        for (event, bytes) in port.take_readmitted() {
            self.expect(event, None, number, bytes, round);
            self.may_give_up_last(true);
        }
    }

    /// Returns true if a datagram for a group waits to leave by this native port.
    pub fn hold_multicast(&self, port: u8) -> bool {
        self.expected
            .iter()
            .any(|e| e.port == port && is_for_group(&e.bytes))
    }

    /// Notes that nothing more leaves: packets that a port may have given up were given up, or still wait for their
    /// turn.
    pub fn give_up(&mut self, model: &mut Hca) {
        self.expected.retain(|e| {
            let port = model.port_mut(e.port);
            let may_wait =
                e.round == port.round() && !(port.surely_starts(&e.bytes) && port.is_served(&e.bytes));
            match (e.may_be_given_up, may_wait) {
                (true, true) => port.perhaps_discards(),
                (true, false) => port.discard(),
                (false, _) => {}
            }
            !e.may_be_given_up
        });
    }

    /// Notes that the model refused this emission. Its packet is still to come.
    pub fn refuse(&mut self, event: Event, violation: Violation, own: Option<Vec<u8>>, cycle: u64) {
        self.refused = Some(Refused {
            event,
            violation,
            own,
            cycle,
        });
    }

    /// Returns the number of packets that this port may have given up, and has not counted in the model.
    pub fn perhaps_given_up(&self, port: u8) -> usize {
        let of_port = self.expected.iter().filter(|e| e.port == port);
        of_port.filter(|e| e.may_be_given_up).count()
    }

    /// Returns, as text, the packets that were reported and have not left.
    pub fn open(&self, link: Link) -> impl Iterator<Item = String> + '_ {
        let open = self.expected.iter().filter(|e| !e.may_be_given_up);
        open.map(move |e| format!("packet on the wire: {}", log::summary(link, &e.bytes)))
    }

    /// Returns true if a packet waits for credits, or for an entry of the arbitration tables for its VL, and the first
    /// packet of no other VL could start (CF449). Then no packet that is still to depart is late: an earlier one of its
    /// queue pair may be the packet that waits.
    pub fn wait_for_turns(&self, link: Link, model: &Hca) -> bool {
        let mut waiting: Vec<(u8, Option<u8>)> = Vec::new();
        for packet in &self.expected {
            let lane = (packet.port, lane(link, &packet.bytes));
            if waiting.contains(&lane) {
                continue;
            }
            let port = model.port(packet.port);
            let starts = port.surely_starts(&packet.bytes) && port.is_served(&packet.bytes);
            // What could start and the port has given up does not come.
            let is_gone = packet.round != port.round() || (packet.may_be_given_up && starts);
            match (is_gone, starts) {
                (true, _) => {}
                (false, true) => return false,
                (false, false) => waiting.push(lane),
            }
        }
        !waiting.is_empty()
    }

    /// Takes the packet that has to be next on the VL of this one, by this port; if none is expected there, the next of
    /// the port. `start`: time of the packet's first beat, in picoseconds.
    pub(super) fn next_beside(
        &mut self,
        link: Link,
        bytes: &[u8],
        start: u64,
        port: &mut Port,
    ) -> Option<Expected> {
        // On a slow stream a packet that started in an earlier round may end after the same one has departed again.
        let is_of_round = start >= port.round_began();
        loop {
            let (number, vl) = (port.number(), lane(link, bytes));
            let is_of_vl = |e: &Expected| e.port == number && lane(link, &e.bytes) == vl;
            let same = self.expected.iter().position(is_of_vl);
            let at = same.or_else(|| self.expected.iter().position(|e| e.port == number));
            let next = self.expected.remove(at?)?;
            let leaves = next.is(bytes) && !(is_of_round && self.leaves_anew(link, &next, bytes));
            if !next.may_be_given_up || leaves {
                return Some(next);
            }
            port.discard();
        }
    }

    /// Returns true if a packet with these bytes is one that was sent again since the port began anew, and not this
    /// one, which the port may have given up. Of two in the same round it may be either, and the other was given up.
    fn leaves_anew(&mut self, link: Link, given_up: &Expected, bytes: &[u8]) -> bool {
        let of_vl = |e: &&mut Expected| e.port == given_up.port && lane(link, &e.bytes) == lane(link, bytes);
        let decides = |e: &&mut Expected| !e.may_be_given_up || (e.round > given_up.round && e.is(bytes));
        let again = self.expected.iter_mut().filter(of_vl).find(decides);
        let Some(again) = again.filter(|e| given_up.may_be_given_up && e.is(bytes)) else {
            return false;
        };
        let is_either = again.round == given_up.round;
        again.may_be_given_up |= is_either;
        !is_either
    }
}

/// Returns the VL of a native packet, because packets of different VLs have no order (CF271). Those over Ethernet have
/// one order.
pub(super) fn lane(link: Link, bytes: &[u8]) -> Option<u8> {
    let first = bytes.first().filter(|_| link == Link::InfiniBand);
    first.map(|first| first >> 4)
}

/// Returns the QP that a packet is for and its opcode, if the packet is good enough to name them.
pub fn destination(link: Link, packet: &[u8]) -> Option<(u32, u8)> {
    let packet = Dissection::on(link, packet);
    let (qpn, opcode) = (packet.value("BTH.DestQP")?, packet.value("BTH.Opcode")?);
    Some((qpn as u32, opcode as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::port_of;
    use crate::Side;
    use hca_golden::arbitration::Arbitration;
    use hca_golden::wire::flow_control::FlowControl;

    /// One block on this VL.
    fn packet(vl: u8) -> Vec<u8> {
        let mut bytes = vec![0; 26];
        bytes[0] = vl << 4;
        bytes
    }

    /// Returns true if a device whose neighbour grants credits on VL 1 alone may be idle while packets on these VLs
    /// have departed.
    fn is_excused(model: &Hca, vls: &[u8]) -> bool {
        let mut packets = Packets::default();
        for &vl in vls {
            let event = Event::RequestEmitted { qpn: 1, psn: 1 };
            packets.expect(event, None, 1, packet(vl), model.port(1).round());
        }
        packets.wait_for_turns(Link::InfiniBand, model)
    }

    /// CF449.
    #[test]
    fn a_vl_without_credits_excuses_no_other() {
        let mut model = Hca::new(port_of(Side::X));
        assert!(!is_excused(&model, &[0, 1]), "without flow control");
        model.port_mut(1).set_flow_control(true);
        let (op, vl, fctbs, fccl) = (0, 1, 0, 9);
        let credits = FlowControl { op, fctbs, vl, fccl };
        model.port_mut(1).receive_link(&credits.encode().unwrap());
        assert!(is_excused(&model, &[0]));
        assert!(is_excused(&model, &[0, 0]));
        assert!(!is_excused(&model, &[0, 1]));
        assert!(!is_excused(&model, &[0, 15]));
        assert!(!is_excused(&model, &[]));
        // The port may have given one up that could start, and VL 0 waits.
        let mut packets = departed(&[(model.port(1).round(), false)]);
        let event = Event::RequestEmitted { qpn: 1, psn: 1 };
        packets.expect(event, None, 1, packet(1), model.port(1).round());
        assert!(!packets.wait_for_turns(Link::InfiniBand, &model));
        packets.may_give_up_last(true);
        assert!(packets.wait_for_turns(Link::InfiniBand, &model));
        // A VL that no entry serves.
        model.port_mut(1).set_arbitration(&Arbitration::of(1));
        assert!(is_excused(&model, &[0, 1]));
    }

    /// The packets that have departed on VL 0, each with its round and whether the port may have given it up.
    fn departed(packets: &[(u32, bool)]) -> Packets {
        let mut departed = Packets::default();
        for &(round, may_be_given_up) in packets {
            let event = Event::RequestEmitted { qpn: 1, psn: 1 };
            departed.expect(event, None, 1, packet(0), round);
            departed.may_give_up_last(may_be_given_up);
        }
        departed
    }

    /// A request that is sent again is the same packet as the one that may have been given up.
    #[test]
    fn a_packet_sent_again_is_not_the_one_given_up() {
        let mut model = Hca::new(port_of(Side::X));
        let mut packets = departed(&[(0, true), (1, false)]);
        let next = packets.next_beside(Link::InfiniBand, &packet(0), 0, model.port_mut(1));
        assert_eq!(next.map(|e| e.round), Some(1));
        assert!(packets.expected.is_empty());
        // Also if that one may be given up, too.
        let mut packets = departed(&[(0, true), (1, true)]);
        let next = packets.next_beside(Link::InfiniBand, &packet(0), 0, model.port_mut(1));
        assert_eq!(next.map(|e| e.round), Some(1));
        // If it started before the port began anew, it is the first.
        let mut packets = departed(&[(0, true), (1, false)]);
        model.advance_to(1_000);
        model.port_mut(1).set_flow_control(true);
        let next = packets.next_beside(Link::InfiniBand, &packet(0), 999, model.port_mut(1));
        assert_eq!(next.map(|e| e.round), Some(0));
        assert_eq!(packets.open(Link::InfiniBand).count(), 1);
        // In one round either may have left.
        let mut packets = departed(&[(0, true), (0, false)]);
        packets.next_beside(Link::InfiniBand, &packet(0), 1_000, model.port_mut(1));
        assert_eq!(packets.perhaps_given_up(1), 1);
        assert_eq!(packets.open(Link::InfiniBand).count(), 0);
    }
}
