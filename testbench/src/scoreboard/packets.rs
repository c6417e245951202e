//! Packets that leave: each must equal, byte by byte, the one that the last reported emission requires.
use super::failure::{Failure, Kind};
use super::{queue_pair_of, Checked};
use crate::device::Transmitted;
use crate::station::Station;
use crate::trace::dissection::Dissection;
use crate::trace::log;
use hca_golden::event::{DropReason, Event, MemoryFault};
use hca_golden::hca::Violation;
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
    pub fn expect(&mut self, event: Event, bytes: Vec<u8>) {
        self.expected.push_back(Expected {
            event,
            bytes,
            instead: Vec::new(),
            spoiled: false,
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
        self.expected
            .iter()
            .map(move |e| format!("packet on the wire: {}", log::summary(link, &e.bytes)))
    }
}

impl Checked {
    pub(super) fn packet_out(&mut self, packet: Transmitted) -> Result<(), Box<Failure>> {
        let Some(Expected {
            event,
            bytes: expected,
            instead,
            spoiled,
        }) = self.packets.expected.pop_front()
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
        self.rows.sent(&Dissection::on(self.link, &packet.bytes));
        let packets = &mut self.packets;
        if packets.sent.len() == REMEMBERED {
            packets.sent.pop_front();
        }
        packets.sent.push_back(packet.clone());
        packets.checked.push_back(packet);
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
