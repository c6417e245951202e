//! Multicast packets (`ud.md` section 4): whether a packet is for a group, and for which one.
use crate::decision::{Ruling, Verdict};
use crate::event::DropReason;
use crate::port::{Link, PortConfig};
use crate::wire::multicast::{is_group, is_group_mac, DEST_QP, LIDS};
use crate::wire::opcode::Transport;
use crate::wire::packet::Packet;

/// A packet for a group, and the results of its look-ups.
#[derive(Clone, Copy, Debug)]
pub struct Multicast<'a> {
    pub port: &'a PortConfig,
    pub packet: &'a Packet,
    /// A QP is attached to a group that maps to the packet's destination MAC address. Always true over native
    /// InfiniBand.
    pub mapped: bool,
    /// A QP is attached to the group that [`group_of`] returns.
    pub known: bool,
    /// The packet is the port's own, looped back before it left; it did not come from the link.
    pub own: bool,
}

struct Check {
    reason: DropReason,
    citation: &'static str,
    passes: fn(&Multicast<'_>) -> bool,
}

/// The checks of a packet before it is replicated; the first that fails decides.
const CHECKS: [Check; 5] = [
    Check {
        reason: DropReason::Dlid,
        citation: "ud.md section 4, Ethernet filter, CF361",
        passes: |m| m.mapped || !has_group_address(m.packet),
    },
    Check {
        reason: DropReason::MulticastAddress,
        citation: "ud.md section 3.1 step 3 and section 4, CF354, CF355",
        passes: |m| {
            m.packet.bth.dest_qp == DEST_QP && has_group_address(m.packet) && group_of(m.packet).is_some()
        },
    },
    Check {
        reason: DropReason::SelfMulticast,
        citation: "ud.md section 4.3, CF358",
        passes: |m| m.own || !is_from(m.port, m.packet),
    },
    Check {
        reason: DropReason::MulticastAddress,
        citation: "ud.md section 4, CF353",
        passes: |m| m.known,
    },
    Check {
        reason: DropReason::Opcode,
        citation: "ud.md section 4",
        passes: |m| Transport::of(m.packet.bth.opcode) == Transport::Ud,
    },
];

/// Returns why the packet is dropped before any QP sees it; `None` if it is not.
pub fn judge(multicast: &Multicast<'_>) -> Option<Ruling> {
    let failed = CHECKS.iter().find(|check| !(check.passes)(multicast))?;
    Some(Verdict::Drop(failed.reason).by(failed.citation))
}

/// Returns true if any part of the packet's address is that of a group.
pub fn concerns(packet: &Packet) -> bool {
    packet.bth.dest_qp == DEST_QP || has_group_address(packet)
}

/// Returns MGID and MLID of the group that the packet is for. A RoCE link has no MLIDs; the MLID is 0 there.
pub fn group_of(packet: &Packet) -> Option<([u8; 16], u16)> {
    let (mgid, mlid) = match (packet.roce(), packet.grh()) {
        (Some(roce), _) => (roce.network.dgid(), 0),
        (None, grh) => (grh?.dgid, packet.lrh()?.dlid),
    };
    let link = match packet.roce() {
        Some(_) => Link::Roce,
        None => Link::InfiniBand,
    };
    is_group(link, &mgid).then_some((mgid, mlid))
}

/// Returns true if the packet's link address is that of a group.
fn has_group_address(packet: &Packet) -> bool {
    match (packet.lrh(), packet.roce()) {
        (Some(lrh), _) => LIDS.contains(&lrh.dlid),
        (None, roce) => roce.is_some_and(|roce| is_group_mac(&roce.ethernet.destination)),
    }
}

/// Returns true if the packet's source is the port.
fn is_from(port: &PortConfig, packet: &Packet) -> bool {
    match (packet.lrh(), packet.roce()) {
        (Some(lrh), _) => lrh.slid & !port.path_bits() == port.lid,
        (None, roce) => {
            roce.is_some_and(|roce| roce.ethernet.source == port.mac && roce.network.sgid() == port.gid)
        }
    }
}
