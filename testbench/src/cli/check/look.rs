//! What of a captured packet can be judged.
use super::super::decode::packet::{untagged, Crc, Judgement, Rdma};
use crate::capture::Record;
use crate::trace::drop_reason;
use hca_golden::port::Link;
use hca_golden::wire::crc::{icrc, icrc_roce_v2, vcrc, VCRC_BYTES};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::packet::Packet;

/// Bytes of an ICRC.
const ICRC_BYTES: usize = 4;
/// Bytes of an Ethernet header.
const ETHERNET_BYTES: usize = 14;

/// A packet, as far as it is known.
pub enum Look {
    Sound(Packet),
    /// Whoever it was for could not take it, and why; the packet, where its headers can be read.
    Malformed(Option<Packet>, String),
    /// Cut short within its headers: nothing can be said of it.
    Cut,
    /// Of a service that is not judged.
    Foreign,
}

impl Look {
    pub fn at(record: &Record, rdma: &Rdma) -> Look {
        let bytes = match rdma.link {
            Link::InfiniBand => record.bytes.clone(),
            Link::Roce => untagged(&record.bytes, &rdma.dissection),
        };
        match &rdma.judgement {
            Judgement::Foreign => Look::Foreign,
            Judgement::Truncated => match mended(bytes, rdma.wire_length - rdma.kept, rdma) {
                Some(packet) => Look::Sound(packet),
                None => Look::Cut,
            },
            Judgement::Malformed(malformed) => {
                let why = drop_reason::name(malformed.reason).to_owned();
                Look::Malformed(mended(bytes, 0, rdma), why)
            }
            Judgement::Sound => match (decoded(rdma.link, &bytes), &rdma.icrc) {
                (packet, Crc::Wrong { received, computed }) => {
                    Look::Malformed(packet, format!("ICRC {received}, computed {computed}"))
                }
                (Some(packet), _) => Look::Sound(packet),
                // A raw packet.
                (None, _) => Look::Foreign,
            },
        }
    }
}

fn decoded(link: Link, bytes: &[u8]) -> Option<Packet> {
    Frame::decode(link, bytes).ok()?.packet()
}

/// The packet with its CRCs put right, and with zeros for as many bytes that were cut off, which may be payload alone.
fn mended(mut bytes: Vec<u8>, cut: usize, rdma: &Rdma) -> Option<Packet> {
    let kept = bytes.len();
    bytes.resize(kept + cut, 0);
    let (begin, behind) = match rdma.link {
        Link::InfiniBand => (0, VCRC_BYTES),
        Link::Roce => (ETHERNET_BYTES, rdma.dissection.frame_padding),
    };
    let trailer = ICRC_BYTES + behind;
    let end = bytes.len().checked_sub(trailer)?;
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
