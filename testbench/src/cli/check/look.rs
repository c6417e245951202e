//! What of a captured packet can be judged.
use super::super::decode::packet::{Crc, Judgement, Rdma};
use crate::check::Rule;
use crate::trace::dissection::later_opcode;
use crate::trace::drop_reason;
use crate::wire::repair::{repair, Repair};
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::wire::crc::{ICRC_BYTES, VCRC_BYTES};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::Packet;

/// Bytes of the longest datagram: a longer one is a claim that nothing bears out.
const LARGEST: usize = u16::MAX as usize;

/// A packet, as far as it is known.
pub enum Look {
    Sound(Packet),
    /// Sound but for its ICRC, which was not made yet.
    Unprotected(Packet),
    /// Of an opcode that RC was given later: its BTH is known.
    Newer(Packet),
    /// Whoever it was for could not take it: the packet, where its headers can be read, the rule that it breaks and how.
    Malformed(Option<Packet>, Rule, String),
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
                packet => Look::Malformed(
                    packet,
                    rule(malformed.reason),
                    drop_reason::name(malformed.reason).to_owned(),
                ),
            },
            Judgement::Sound => match (decoded(rdma.link, &rdma.bytes), &rdma.icrc) {
                (Some(packet), Crc::Wrong { .. }) if unmade => Look::Unprotected(packet),
                (packet, Crc::Wrong { received, computed }) => Look::Malformed(
                    packet,
                    Rule::Icrc,
                    format!("ICRC {received}, computed {computed}"),
                ),
                (Some(packet), _) => sound(packet),
                // A raw packet.
                (None, _) => Look::Foreign,
            },
        }
    }
}

/// A packet that a port takes.
pub fn sound(mut packet: Packet) -> Look {
    if later_opcode(packet.bth.opcode).is_none() {
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
    repair(rdma.link, &mut bytes, Repair::All);
    let packet = decoded(rdma.link, &bytes)?;
    let behind = match rdma.link {
        Link::InfiniBand => ICRC_BYTES + VCRC_BYTES,
        Link::Roce => ICRC_BYTES,
    };
    let padded = packet.payload.len().next_multiple_of(4);
    (bytes.len().checked_sub(behind + padded)? <= kept).then_some(packet)
}

/// The rule that a packet breaks which a port does not take for this reason.
fn rule(reason: DropReason) -> Rule {
    match reason {
        DropReason::Icrc => Rule::Icrc,
        DropReason::Vcrc => Rule::Vcrc,
        DropReason::LinkVersion => Rule::LinkVersion,
        DropReason::TransportVersion => Rule::TransportVersion,
        DropReason::Opcode => Rule::UnknownOpcode,
        DropReason::Length => Rule::PacketLength,
        DropReason::HeaderIncomplete => Rule::HeaderIncomplete,
        _ => Rule::Malformed,
    }
}
