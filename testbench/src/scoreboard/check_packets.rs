//! Compares packets that leave. Each must equal, byte by byte, the one that the oldest reported emission of its port
//! and VL requires whose packet has not left.
use super::failure::{Failure, Kind};
use super::packets::{Expected, REMEMBERED};
use super::{queue_pair_of, Checked};
use crate::device::Transmitted;
use crate::station::Station;
use crate::trace::dissection::Dissection;
use crate::trace::log;
use hca_golden::event::DropReason;
use hca_golden::wire::frame::Frame;

/// Number of clock cycles to wait for the packet of a refused emission, so that the report can show it.
const REFUSED_WAIT: u64 = 10_000;

impl Checked {
    pub(super) fn packet_out(&mut self, packet: Transmitted) -> Result<(), Box<Failure>> {
        let start = packet.first_beat * self.period;
        let Some(Expected {
            event,
            bytes: expected,
            instead,
            spoiled,
            round,
            pace,
            ..
        }) = self
            .packets
            .next_beside(self.link, &packet.bytes, start, self.model.port_mut(packet.port))
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
        let counted = self.model.port_mut(packet.port).starts(&packet.bytes, round);
        let paced = match pace {
            Some(pace) => self.model.packet_starts(pace, &packet.bytes, start),
            None => Ok(()),
        };
        if let Err(violation) = counted.and(paced) {
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

    /// Judges a link packet. It has no event, because its contents follow from the packets before it.
    pub(super) fn link_packet_out(&mut self, packet: Transmitted) -> Result<(), Box<Failure>> {
        if let Err(violation) = self.model.port_mut(packet.port).link_packet_starts(&packet.bytes) {
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

    /// Returns true if the headers are those of the expected packet, and a receiver drops the packet because of a CRC.
    fn is_spoiled(&self, expected: &[u8], actual: &[u8]) -> bool {
        let headers = Dissection::on(self.link, expected).payload.start;
        let refused = Frame::decode(self.link, actual).err();
        actual.len() == expected.len()
            && actual[..headers] == expected[..headers]
            && refused.is_some_and(|m| matches!(m.reason, DropReason::Vcrc | DropReason::Icrc))
    }

    /// Returns the report of a refused emission, once it is clear that its packet does not leave.
    pub(super) fn refused_without_output(&mut self) -> Option<Box<Failure>> {
        let refused = self.packets.refused.take()?;
        let kind = Kind::Violation {
            violation: refused.violation,
            expected: refused.own,
            actual: None,
        };
        Some(self.failure(queue_pair_of(&refused.event), Some(refused.event), kind))
    }

    /// Returns true if the packet of a refused emission is no longer waited for.
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

    /// Returns the cycle in which the same bytes were sent before, if recently.
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
