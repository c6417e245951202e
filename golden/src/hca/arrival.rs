//! Packets at the port, until the device decides about them.
use crate::event::DropReason;
use crate::verbs::PortConfig;
use crate::wire::length::MAX_PACKET_BYTES;
use crate::wire::opcode::Transport;
use crate::wire::packet::{check_link, Malformed, Packet};

/// A packet that arrived.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    Sound(Packet),
    /// Dropped at the link or before it names a QP; any of these reasons may be counted.
    Malformed(Vec<DropReason>),
}

impl Arrival {
    /// Steps 1 to 4 of `responder.md` section 1.
    pub fn of(port: &PortConfig, bytes: &[u8]) -> Arrival {
        let lrh = match check_link(bytes) {
            Ok(lrh) => lrh,
            Err(malformed) => return Arrival::Malformed(countable(&malformed, bytes.len())),
        };
        if !is_own(port, lrh.dlid) {
            return Arrival::Malformed(vec![DropReason::Dlid]);
        }
        match Packet::decode_transport(bytes) {
            Ok(packet) => Arrival::Sound(packet),
            Err(malformed) => Arrival::Malformed(countable(&malformed, bytes.len())),
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

/// Step 8: what goes to the requester.
pub(super) fn is_response(packet: &Packet) -> bool {
    packet.opcode().is_some_and(|o| o.is_response())
}

/// Reasons under which a device may count a malformed packet.
fn countable(malformed: &Malformed, bytes: usize) -> Vec<DropReason> {
    let mut reasons = vec![malformed.reason()];
    match malformed {
        // A device need not run the VCRC over more bytes than a packet may have.
        Malformed::Vcrc { .. } if bytes > MAX_PACKET_BYTES => reasons.push(DropReason::Length),
        // Nor know the headers of transports that no QP of its uses.
        Malformed::HeaderIncomplete { opcode, .. } if Transport::of(*opcode) != Transport::Rc => {
            reasons.extend([DropReason::Opcode, DropReason::DestQp, DropReason::QpState]);
            reasons.extend([DropReason::Source, DropReason::PKey]);
        }
        _ => {}
    }
    reasons
}

/// `linklayer.md`: unicast, the low LMC bits do not count (CF046, CF047, CF284).
fn is_own(port: &PortConfig, dlid: u16) -> bool {
    let path_bits = (1_u16 << port.lmc) - 1;
    (1..0xC000).contains(&dlid) && dlid & !path_bits == port.lid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_answers_to_2_to_the_lmc_lids() {
        let port = PortConfig { lid: 0x0010, lmc: 2 };
        let own: Vec<u16> = (0..=0xFFFF).filter(|&dlid| is_own(&port, dlid)).collect();
        assert_eq!(own, [0x10, 0x11, 0x12, 0x13]);
    }
}
