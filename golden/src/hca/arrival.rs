//! Packets that have arrived at a port and that the device has not decided about.
use crate::capabilities::Capabilities;
use crate::decision::ud::responder::AREA_BYTES;
use crate::decision::{link, special_qps};
use crate::port::PortConfig;
use crate::wire::header::HeaderFormat;
use crate::wire::lrh::Lrh;
use crate::wire::malformed::Malformed;
use crate::wire::packet::{Packet, Route};
use etherparse::Ethernet2Header;
use std::collections::BTreeSet;

/// A packet that arrived.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    Sound(Sound),
    /// The packet is dropped at the link, or before it names a QP.
    Malformed(Discarded),
}

/// A packet that names no QP that could take it.
#[derive(Clone, Debug)]
pub(super) struct Discarded {
    pub malformed: Malformed,
    /// Number of the port at which it arrived.
    pub port: u8,
}

/// A packet that passed the checks of the link.
#[derive(Clone, Debug)]
pub(super) struct Sound {
    pub packet: Packet,
    /// Number of the port at which it arrived, or whose own packet it is.
    pub port: u8,
    /// The QP that its DestQP names; `None` if it names none.
    pub qpn: Option<u32>,
    /// Bytes that a datagram writes to the start of its receive buffer (`ud.md` section 3.2); `None` if the buffer's
    /// start stays unchanged.
    pub area: Option<[u8; AREA_BYTES]>,
    /// The packet is the port's own multicast packet, looped back before it left.
    pub own: bool,
    /// Members of its multicast group that the device has not decided about; `None` before its first decision.
    pub members: Option<BTreeSet<u32>>,
}

impl Arrival {
    /// Makes the loopback copy of the port's own multicast packet that has just left, for these members of its group.
    pub fn of_own(port: u8, packet: Packet, bytes: &[u8], members: BTreeSet<u32>) -> Arrival {
        Arrival::Sound(Sound {
            area: area(&packet.route, bytes),
            port,
            qpn: Some(packet.bth.dest_qp),
            packet,
            own: true,
            members: Some(members),
        })
    }

    /// Checks a packet that arrives at this port by steps 1 to 4 of `responder.md` section 1.
    pub fn of(port: &PortConfig, capabilities: &Capabilities, bytes: &[u8]) -> Arrival {
        let groups = capabilities.max_groups > 0;
        match link::judge_with_groups(port, groups, bytes) {
            Ok(packet) => Arrival::Sound(Sound {
                area: area(&packet.route, bytes),
                port: port.number,
                qpn: special_qps::named(capabilities.ports, port.number, packet.bth.dest_qp),
                packet,
                own: false,
                members: None,
            }),
            Err(malformed) => Arrival::Malformed(Discarded {
                malformed,
                port: port.number,
            }),
        }
    }

    /// Returns the number of the port at which the packet arrived, or whose own packet it is.
    pub fn port(&self) -> u8 {
        match self {
            Arrival::Sound(sound) => sound.port,
            Arrival::Malformed(discarded) => discarded.port,
        }
    }

    /// Returns the QP and the direction (true for responses) to which the packet belongs. Events of the same QP and
    /// direction keep the order of arrival.
    pub fn lane(&self) -> Option<(u32, bool)> {
        match self {
            Arrival::Sound(Sound { packet, qpn, .. }) => Some(((*qpn)?, is_response(packet))),
            Arrival::Malformed(_) => None,
        }
    }
}

/// Returns the bytes of the GRH or of the IPv6 header. An IPv4 header comes at the end, after zeros (CF328, CF330,
/// CF331).
fn area(route: &Route, bytes: &[u8]) -> Option<[u8; AREA_BYTES]> {
    let (from, header) = match route {
        Route::Local(_) => return None,
        Route::Global(..) => (Lrh::BYTES, AREA_BYTES),
        Route::Roce(roce) => (Ethernet2Header::LEN, roce.network.bytes()),
    };
    let mut area = [0; AREA_BYTES];
    let place = area.get_mut(AREA_BYTES.checked_sub(header)?..)?;
    place.copy_from_slice(bytes.get(from..from + header)?);
    Some(area)
}

/// Returns true if the packet is for the requester (step 8).
pub(super) fn is_response(packet: &Packet) -> bool {
    packet.opcode().is_some_and(|o| o.is_response())
}
