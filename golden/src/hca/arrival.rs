//! Packets at the port, until the device decides about them.
use crate::decision::link;
use crate::port::PortConfig;
use crate::wire::malformed::Malformed;
use crate::wire::packet::Packet;

/// A packet that arrived.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    Sound(Packet),
    /// Dropped at the link, or before the packet names a QP.
    Malformed(Malformed),
}

impl Arrival {
    /// Steps 1 to 4 of `responder.md` section 1.
    pub fn of(port: &PortConfig, bytes: &[u8]) -> Arrival {
        match link::judge(port, bytes) {
            Ok(packet) => Arrival::Sound(packet),
            Err(malformed) => Arrival::Malformed(malformed),
        }
    }

    /// The QP and direction that the packet belongs to: events of the same one keep the order of arrival.
    pub fn lane(&self) -> Option<(u32, bool)> {
        match self {
            Arrival::Sound(packet) => Some((packet.bth.dest_qp, is_response(packet))),
            Arrival::Malformed(_) => None,
        }
    }
}

/// Step 8: packets for the requester.
pub(super) fn is_response(packet: &Packet) -> bool {
    packet.opcode().is_some_and(|o| o.is_response())
}
