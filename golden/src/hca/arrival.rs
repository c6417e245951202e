//! Packets that have arrived at the port and that the device has not decided about.
use crate::decision::link;
use crate::decision::ud::responder::AREA_BYTES;
use crate::port::PortConfig;
use crate::wire::header::HeaderFormat;
use crate::wire::lrh::Lrh;
use crate::wire::malformed::Malformed;
use crate::wire::packet::{Packet, Route};
use etherparse::Ethernet2Header;
use std::collections::BTreeSet;

/// Lowest number of the copies that the port makes of its own multicast packets.
pub(super) const OWN: u32 = 1 << 31;

/// A packet that arrived.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    Sound(Sound),
    /// The packet is dropped at the link, or before it names a QP.
    Malformed(Malformed),
}

/// A packet that passed the checks of the link.
#[derive(Clone, Debug)]
pub(super) struct Sound {
    pub packet: Packet,
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
    pub fn of_own(packet: Packet, bytes: &[u8], members: BTreeSet<u32>) -> Arrival {
        Arrival::Sound(Sound {
            area: area(&packet.route, bytes),
            packet,
            own: true,
            members: Some(members),
        })
    }

    /// Checks an arriving packet by steps 1 to 4 of `responder.md` section 1. `groups` says whether the device takes
    /// multicast packets.
    pub fn of(port: &PortConfig, groups: bool, bytes: &[u8]) -> Arrival {
        match link::judge_with_groups(port, groups, bytes) {
            Ok(packet) => Arrival::Sound(Sound {
                area: area(&packet.route, bytes),
                packet,
                own: false,
                members: None,
            }),
            Err(malformed) => Arrival::Malformed(malformed),
        }
    }

    /// Returns the QP and the direction (true for responses) to which the packet belongs. Events of the same QP and
    /// direction keep the order of arrival.
    pub fn lane(&self) -> Option<(u32, bool)> {
        match self {
            Arrival::Sound(Sound { packet, .. }) => Some((packet.bth.dest_qp, is_response(packet))),
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
