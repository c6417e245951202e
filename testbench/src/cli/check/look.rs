//! What of a captured packet can be judged.
use super::super::decode::packet::{Crc, Judgement, Rdma};
use crate::trace::drop_reason;
use hca_golden::port::Link;
use hca_golden::wire::crc::{icrc, icrc_roce_v2, vcrc, ICRC_BYTES, VCRC_BYTES};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::Packet;

/// Bytes of the longest datagram: a longer one is a claim that nothing bears out.
const LARGEST: usize = u16::MAX as usize;
/// FLUSH and ATOMIC WRITE (`opcodes.csv`).
const NEWER: [u8; 2] = [0x1C, 0x1D];
/// Bytes of an Ethernet header.
const ETHERNET_BYTES: usize = 14;

/// A packet, as far as it is known.
pub enum Look {
    Sound(Packet),
    /// Sound but for its ICRC, which was not made yet.
    Unprotected(Packet),
    /// Of an opcode that RC was given later: its BTH is known.
    Newer(Packet),
    /// Whoever it was for could not take it, and why; the packet, where its headers can be read.
    Malformed(Option<Packet>, String),
    /// Cut short within its headers: nothing can be said of it.
    Cut,
    /// Of a service that is not judged.
    Foreign,
}

impl Look {
    /// `zero_icrc`: a packet whose ICRC is 0 was captured before it was made.
    pub fn at(rdma: &Rdma, zero_icrc: bool) -> Look {
        let unmade = zero_icrc && rdma.has_zero_icrc();
        match &rdma.judgement {
            Judgement::Foreign => Look::Foreign,
            Judgement::Truncated => match mended(rdma) {
                Some(packet) => sound(packet),
                None => Look::Cut,
            },
            Judgement::Malformed(malformed) => match mended(rdma) {
                Some(packet) if unmade => Look::Unprotected(packet),
                packet => Look::Malformed(packet, drop_reason::name(malformed.reason).to_owned()),
            },
            Judgement::Sound => match (decoded(rdma.link, &rdma.bytes), &rdma.icrc) {
                (Some(packet), Crc::Wrong { .. }) if unmade => Look::Unprotected(packet),
                (packet, Crc::Wrong { received, computed }) => {
                    Look::Malformed(packet, format!("ICRC {received}, computed {computed}"))
                }
                (Some(packet), _) => sound(packet),
                // A raw packet.
                (None, _) => Look::Foreign,
            },
        }
    }
}

/// A packet that a port takes.
pub fn sound(mut packet: Packet) -> Look {
    if !NEWER.contains(&packet.bth.opcode) {
        return Look::Sound(packet);
    }
    packet.payload.clear();
    Look::Newer(packet)
}

fn decoded(link: Link, bytes: &[u8]) -> Option<Packet> {
    Frame::decode(link, bytes).ok()?.packet()
}

/// The packet with its CRCs put right, and with zeros for what was cut off, which may be payload alone.
fn mended(rdma: &Rdma) -> Option<Packet> {
    let mut bytes = rdma.bytes.clone();
    let kept = bytes.len();
    if kept + rdma.cut > LARGEST {
        return None;
    }
    bytes.resize(kept + rdma.cut, 0);
    let (begin, behind) = match rdma.link {
        Link::InfiniBand => (0, VCRC_BYTES),
        Link::Roce => (ETHERNET_BYTES, 0),
    };
    let end = bytes.len().checked_sub(ICRC_BYTES + behind)?;
    let covered = bytes.get(begin..end)?;
    let crc = match rdma.link {
        Link::InfiniBand => icrc(covered),
        Link::Roce => icrc_roce_v2(covered),
    };
    bytes[end..end + ICRC_BYTES].copy_from_slice(&crc);
    if rdma.link == Link::InfiniBand {
        let covered = bytes.len() - VCRC_BYTES;
        let crc = vcrc(&bytes[..covered]);
        bytes[covered..].copy_from_slice(&crc);
    }
    let packet = decoded(rdma.link, &bytes)?;
    let headers = end.checked_sub(packet.payload.len().next_multiple_of(4))?;
    (headers <= kept).then_some(packet)
}
