//! Packets that leave: each must equal, byte by byte, the one that the last reported emission requires.
use super::failure::{Failure, Kind};
use super::{queue_pair_of, Checked};
use crate::device::Transmitted;
use crate::station::Station;
use crate::trace::dissection::Dissection;
use crate::trace::log;
use hca_golden::event::{DropReason, Event, MemoryFault};
use hca_golden::hca::{Hca, Violation};
use hca_golden::port::Link;
use hca_golden::wire::frame::Frame;
use std::collections::VecDeque;

/// Packets remembered to recognise one that is sent twice.
const REMEMBERED: usize = 16;
/// Clock cycles to wait for the packet of a refused emission, so that the report can show it.
const REFUSED_WAIT: u64 = 10_000;

/// The packets that the model expects on the wire, and those that were compared already.
#[derive(Default)]
pub struct Packets {
    expected: VecDeque<Expected>,
    /// Compared packets, for the link.
    pub checked: VecDeque<Transmitted>,
    sent: VecDeque<Transmitted>,
    /// An emission that the model refused; the packets expected before it still come first.
    pub refused: Option<Refused>,
}

/// A packet that must leave because of an event.
struct Expected {
    event: Event,
    bytes: Vec<u8>,
    /// A packet that may leave in its place.
    instead: Vec<Vec<u8>>,
    /// Host memory failed its data: it must end with a wrong CRC.
    spoiled: bool,
    /// The port may have given it up: it had no credits, as far as the device could know.
    may_be_given_up: bool,
    /// The port's round of counts ([`Hca::round`]).
    round: u32,
}

impl Expected {
    /// Whether these are its bytes, or those that may leave in their place.
    fn is(&self, bytes: &[u8]) -> bool {
        self.bytes == bytes || self.instead.iter().any(|other| other == bytes)
    }
}

/// An emission that was not permitted, with what the model would have sent.
pub struct Refused {
    event: Event,
    violation: Violation,
    own: Option<Vec<u8>>,
    cycle: u64,
}

impl Packets {
    /// These bytes must leave next, because of this event.
    pub fn expect(&mut self, event: Event, bytes: Vec<u8>, round: u32) {
        self.expected.push_back(Expected {
            event,
            bytes,
            instead: Vec::new(),
            spoiled: false,
            may_be_given_up: false,
            round,
        });
    }

    /// These bytes may leave in place of the last expected ones.
    pub fn permit_instead(&mut self, bytes: Vec<u8>) {
        if let Some(last) = self.expected.back_mut() {
            last.instead.push(bytes);
        }
    }

    /// Host memory failed an access for this QP: the packet with that data leaves spoiled.
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

    /// The send side of the port has another state, which may let no data packet leave: packets without credits are
    /// given up. The device may not have known of the latest credits.
    pub fn port_moved(&mut self, model: &mut Hca) {
        let round = model.round();
        self.expected
            .retain(|e| e.may_be_given_up || e.round != round || !model.gives_up(&e.bytes));
        let is_shut = model.is_flow_controlled() && !model.sends_data();
        self.expected
            .iter_mut()
            .for_each(|e| e.may_be_given_up |= is_shut);
    }

    /// Nothing more leaves: what the port may have given up, it has.
    pub fn give_up(&mut self, model: &mut Hca) {
        self.expected.retain(|e| {
            if e.may_be_given_up {
                model.discard();
            }
            !e.may_be_given_up
        });
    }

    /// The model refused this emission; its packet is still to come.
    pub fn refuse(&mut self, event: Event, violation: Violation, own: Option<Vec<u8>>, cycle: u64) {
        self.refused = Some(Refused {
            event,
            violation,
            own,
            cycle,
        });
    }

    /// Packets that were reported and have not left, as text.
    pub fn open(&self, link: Link) -> impl Iterator<Item = String> + '_ {
        let open = self.expected.iter().filter(|e| !e.may_be_given_up);
        open.map(move |e| format!("packet on the wire: {}", log::summary(link, &e.bytes)))
    }

    /// Whether one of them has no credits. Nothing behind it is late: the device has one way out for all VLs.
    pub fn wait_for_credits(&self, model: &Hca) -> bool {
        let mut of_now = self.expected.iter().filter(|e| e.round == model.round());
        of_now.any(|e| !model.may_start(&e.bytes))
    }

    /// The packet that has to be next on the VL of this one; if none is expected there, the next of all.
    fn next_beside(&mut self, link: Link, bytes: &[u8], model: &mut Hca) -> Option<Expected> {
        loop {
            let vl = lane(link, bytes);
            let same = self.expected.iter().position(|e| lane(link, &e.bytes) == vl);
            let next = self.expected.remove(same.unwrap_or(0))?;
            if !next.may_be_given_up || next.is(bytes) {
                return Some(next);
            }
            model.discard();
        }
    }
}

/// The VL of a native packet: packets of different VLs have no order (CF271). Those over Ethernet have all one order.
fn lane(link: Link, bytes: &[u8]) -> Option<u8> {
    let first = bytes.first().filter(|_| link == Link::InfiniBand);
    first.map(|first| first >> 4)
}

impl Checked {
    pub(super) fn packet_out(&mut self, packet: Transmitted) -> Result<(), Box<Failure>> {
        let Some(Expected {
            event,
            bytes: expected,
            instead,
            spoiled,
            round,
            ..
        }) = self
            .packets
            .next_beside(self.link, &packet.bytes, &mut self.model)
        else {
            return Err(self.unexpected(packet));
        };
        let qpn = queue_pair_of(&event);
        if let Some(qpn) = qpn {
            let (link, bytes) = (self.link, packet.bytes.clone());
            let line = move || format!("packet out: {}", log::summary(link, &bytes));
            self.history.push(qpn, packet.cycle, line);
        }
        let right = match spoiled {
            true => self.is_spoiled(&expected, &packet.bytes),
            false => packet.bytes == expected || instead.contains(&packet.bytes),
        };
        if !right {
            if let Some(first) = self.repeated(&packet) {
                return Err(self.failure(qpn, Some(event), extra(packet, Some(first))));
            }
            let kind = Kind::Packet {
                expected,
                actual: packet.bytes,
            };
            return Err(self.failure(qpn, Some(event), kind));
        }
        if let Err(violation) = self.model.starts(&packet.bytes, round) {
            let kind = Kind::Violation {
                violation,
                expected: None,
                actual: Some(packet.bytes),
            };
            return Err(self.failure(qpn, Some(event), kind));
        }
        self.rows.sent(&Dissection::on(self.link, &packet.bytes));
        let packets = &mut self.packets;
        if packets.sent.len() == REMEMBERED {
            packets.sent.pop_front();
        }
        packets.sent.push_back(packet.clone());
        packets.checked.push_back(packet);
        Ok(())
    }

    /// A link packet has no event: what it has to say follows from the packets before it.
    pub(super) fn link_packet_out(&mut self, packet: Transmitted) -> Result<(), Box<Failure>> {
        if let Err(violation) = self.model.link_packet_starts(&packet.bytes) {
            let kind = Kind::Violation {
                violation,
                expected: None,
                actual: Some(packet.bytes),
            };
            return Err(self.failure(None, None, kind));
        }
        self.packets.checked.push_back(packet);
        Ok(())
    }

    /// The headers are those of the packet, and a receiver drops it for a CRC.
    fn is_spoiled(&self, expected: &[u8], actual: &[u8]) -> bool {
        let headers = Dissection::on(self.link, expected).payload.start;
        let refused = Frame::decode(self.link, actual).err();
        actual.len() == expected.len()
            && actual[..headers] == expected[..headers]
            && refused.is_some_and(|m| matches!(m.reason, DropReason::Vcrc | DropReason::Icrc))
    }

    /// The report of a refused emission, once it is clear that its packet does not leave.
    pub(super) fn refused_without_output(&mut self) -> Option<Box<Failure>> {
        let refused = self.packets.refused.take()?;
        let kind = Kind::Violation {
            violation: refused.violation,
            expected: refused.own,
            actual: None,
        };
        Some(self.failure(queue_pair_of(&refused.event), Some(refused.event), kind))
    }

    /// Stops waiting for the packet of a refused emission.
    pub(super) fn refused_too_long_ago(&self) -> bool {
        let waited = self.packets.refused.as_ref().map(|r| self.now() - r.cycle);
        waited.is_some_and(|cycles| cycles > REFUSED_WAIT)
    }

    fn unexpected(&mut self, packet: Transmitted) -> Box<Failure> {
        if let Some(refused) = self.packets.refused.take() {
            let kind = Kind::Violation {
                violation: refused.violation,
                expected: refused.own,
                actual: Some(packet.bytes),
            };
            return self.failure(queue_pair_of(&refused.event), Some(refused.event), kind);
        }
        let first_sent = self.repeated(&packet);
        self.failure(None, None, extra(packet, first_sent))
    }

    /// When the same bytes were sent before, if recently.
    fn repeated(&self, packet: &Transmitted) -> Option<u64> {
        let same = self.packets.sent.iter().rev().find(|s| s.bytes == packet.bytes);
        same.map(|s| s.cycle)
    }
}

fn extra(packet: Transmitted, first_sent: Option<u64>) -> Kind {
    Kind::ExtraPacket {
        actual: packet.bytes,
        first_sent,
    }
}

/// The QP that a packet is for and its opcode, if it gets as far as naming them.
pub fn destination(link: Link, packet: &[u8]) -> Option<(u32, u8)> {
    let packet = Dissection::on(link, packet);
    let (qpn, opcode) = (packet.value("BTH.DestQP")?, packet.value("BTH.Opcode")?);
    Some((qpn as u32, opcode as u8))
}
