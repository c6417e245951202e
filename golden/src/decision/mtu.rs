//! The active MTU of a native port, for packets that leave (`link.md` section 13).
use crate::verbs::Pmtu;
use crate::wire::bth::Bth;
use crate::wire::check::native;
use crate::wire::crc::{ICRC_BYTES, VCRC_BYTES};
use crate::wire::frame::Frame;
use crate::wire::header::HeaderFormat;
use crate::wire::lrh::Lrh;

/// Length in bytes of the shortest headers and CRCs.
const LEAST_OVERHEAD_BYTES: usize = Lrh::BYTES + Bth::BYTES + ICRC_BYTES + VCRC_BYTES;

/// Returns true if a port with this active MTU lets this packet leave, first LRH byte to last VCRC byte.
pub fn admits(mtu: Pmtu, bytes: &[u8]) -> bool {
    if bytes.len() <= mtu.bytes() + LEAST_OVERHEAD_BYTES {
        return true;
    }
    match native::decode(bytes) {
        Ok(Frame::Iba(packet)) => packet.payload.len() <= mtu.bytes(),
        _ => true,
    }
}
