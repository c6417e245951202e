//! Decides whether a frame is a packet for its port (`responder.md` section 1, steps 1 to 4). The checks, each with its
//! source, are in [`wire::check`](crate::wire) beside the formats that they read.
use crate::port::Link;
use crate::port::PortConfig;
use crate::wire::check;
use crate::wire::malformed::Malformed;
use crate::wire::packet::Packet;

/// Returns the packet in these bytes, or the first check that they fail. A device counts only this first failure.
///
/// The port takes no packets for multicast groups.
pub fn judge(port: &PortConfig, bytes: &[u8]) -> Result<Packet, Malformed> {
    judge_with_groups(port, false, bytes)
}

/// Does the same as [`judge`]. `groups` says whether the port takes packets for multicast groups; the group itself is
/// looked up after these checks (`ud.md` section 4).
pub fn judge_with_groups(port: &PortConfig, groups: bool, bytes: &[u8]) -> Result<Packet, Malformed> {
    match port.link {
        Link::InfiniBand => check::native::judge(bytes, port, groups),
        Link::Roce => check::roce::judge(bytes, Some(port), groups),
    }
}
