//! A captured packet, with everything that is known about it.
use super::crc::Crc;
use super::datagram::Datagram;
use super::link_packet::LinkPacket;
use crate::capture::layer::Layer;
use crate::capture::overlay::{Inner, ETHER_ROCE_V1};
use crate::capture::{Content, Record};
use crate::trace::dissection::Dissection;
use hca_golden::port::Link;
use hca_golden::wire::crc::{self, icrc_roce_v1, icrc_roce_v2, vcrc, ICRC_BYTES, VCRC_BYTES};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::header::HeaderFormat;
use hca_golden::wire::lrh::{Lrh, LNH_GLOBAL};
use hca_golden::wire::malformed::{Fault, Malformed};
use hca_golden::wire::opcode::Transport;
use std::net::IpAddr;
use std::time::Duration;

/// The result of an examined record.
pub enum Captured {
    Rdma(Box<Rdma>),
    Link(Box<LinkPacket>),
    Other,
    /// A packet of an interface with this link type, which is not supported.
    OtherLink(u32),
}

/// How a packet was transported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Native,
    /// A GRH behind an Ethernet header (`headers.md` section 1).
    RoceV1,
    RoceV2,
}

/// A packet of native InfiniBand, RoCEv1 or RoCEv2.
pub struct Rdma {
    pub number: u64,
    /// Times since 1970 of this packet and of the capture's first packet.
    pub time: Duration,
    pub start: Duration,
    pub kind: Kind,
    /// The link to which `bytes` belongs.
    pub link: Link,
    /// The kept part of the packet in the form in which a port of that link receives it: without tags, tunnels, and
    /// padding of the frame.
    pub bytes: Vec<u8>,
    /// Number of its bytes that were cut off.
    pub cut: usize,
    /// The layers around it, outermost first; of a native packet the port, if it is not the first.
    pub layers: Vec<Layer>,
    /// The layers that distinguish one tenant's addresses from another's.
    pub tenant: Vec<Layer>,
    /// Number of bytes of the packet that were kept, and number on the wire.
    pub kept: usize,
    pub wire_length: usize,
    pub dissection: Dissection,
    pub icrc: Crc,
    pub vcrc: Crc,
    pub judgement: Judgement,
}

impl Rdma {
    /// Returns the source and destination IP address or GID, as far as they were kept.
    pub fn addresses(&self) -> impl Iterator<Item = IpAddr> + '_ {
        self.dissection.fields.iter().filter_map(|field| {
            let v4 = || IpAddr::from((field.value as u32).to_be_bytes());
            match field.name() {
                "ip.src" | "ip.dst" => Some(v4()),
                "ipv6.src" | "ipv6.dst" | "GRH.SGID" | "GRH.DGID" => {
                    Some(IpAddr::from(field.value.to_be_bytes()).to_canonical())
                }
                _ => None,
            }
        })
    }

    /// Returns true if the packet goes to one of these queue pairs, or is a datagram from one.
    pub fn is_of(&self, queue_pairs: &[u32]) -> bool {
        let ends = ["BTH.DestQP", "DETH.SrcQP"].map(|name| self.dissection.value(name));
        ends.into_iter()
            .flatten()
            .any(|end| queue_pairs.contains(&(end as u32)))
    }

    /// Returns true if the packet has an ICRC of 0 that is wrong.
    pub fn has_zero_icrc(&self) -> bool {
        matches!(&self.icrc, Crc::Wrong { received, .. } if received == "0x00000000")
    }
}

/// How a port would judge the packet if all its addresses matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Sound,
    Malformed(Malformed),
    /// The packet is sound so far, but of a transport that this adapter does not support: congestion notification, XRC,
    /// or a vendor's.
    Foreign,
    /// Not all of the packet was kept, so it cannot be judged.
    Truncated,
}

/// Bytes of an Ethernet header.
const ETHERNET_BYTES: usize = 14;

impl Captured {
    /// Examines a record.
    pub fn of(record: &Record) -> Captured {
        match record.content {
            Content::InfiniBand => Captured::Rdma(Box::new(native(record))),
            Content::Link => Captured::Link(Box::new(LinkPacket::of(record))),
            Content::Ethernet => frame(record),
            Content::Other => Captured::Other,
            Content::OtherLink(number) => Captured::OtherLink(number),
        }
    }
}

fn native(record: &Record) -> Rdma {
    let mut dissection = Dissection::of_native(&record.bytes, record.wire_length);
    let cut = record.wire_length.saturating_sub(record.bytes.len());
    let (mut icrc, mut vcrc) = (
        invariant(&dissection, &record.bytes, |covered| crc::icrc(covered).to_vec()),
        variant(record),
    );
    // A CRC that is not in the file cannot be wrong.
    if record.crcs_made > 0 {
        vcrc = Crc::Absent;
        dissection.fields.retain(|field| field.name() != "VCRC");
    }
    if record.crcs_made > VCRC_BYTES {
        icrc = Crc::Absent;
        dissection.fields.retain(|field| field.name() != "ICRC");
    }
    Rdma {
        icrc,
        vcrc,
        judgement: judge(Link::InfiniBand, &record.bytes, cut),
        bytes: record.bytes.clone(),
        cut,
        layers: record.port.into_iter().collect(),
        tenant: record.port.into_iter().collect(),
        ..rdma(record, Kind::Native, dissection)
    }
}

fn frame(record: &Record) -> Captured {
    let Some(inner) = Inner::of(&record.bytes, record.wire_length) else {
        return Captured::Other;
    };
    if inner.ether_type == ETHER_ROCE_V1 {
        return Captured::Rdma(Box::new(roce_v1(record, inner)));
    }
    let bytes = inner.untagged(&record.bytes);
    let cut = inner
        .end
        .min(record.wire_length)
        .saturating_sub(record.bytes.len());
    let dissection = match inner.is_plain() {
        true => Dissection::of_frame(&record.bytes, record.wire_length),
        false => Dissection::of_frame(&bytes, bytes.len() + cut),
    };
    let dissected = if inner.is_plain() { &record.bytes } else { &bytes };
    // Most packets are sound, and the fast reader finds that sooner than the model.
    let ip = bytes.get(ETHERNET_BYTES..).filter(|_| cut == 0);
    let is_sound = ip.is_some_and(|ip| Datagram::of(inner.ether_type, ip).is_some());
    // The protocol defines no ICRC over IPv4 options.
    let has_options = dissection.value("ip.hdr_len").is_some_and(|bytes| bytes != 20);
    let icrc = match has_options {
        _ if is_sound => Crc::Right,
        true => Crc::Absent,
        false => invariant(&dissection, dissected, |covered| icrc_roce_v2(covered).to_vec()),
    };
    Captured::Rdma(Box::new(Rdma {
        icrc,
        judgement: match is_sound {
            true => Judgement::Sound,
            false => judge(Link::Roce, &bytes, cut),
        },
        bytes,
        cut,
        tenant: inner.tenant(),
        layers: inner.layers,
        ..rdma(record, Kind::RoceV2, dissection)
    }))
}

/// Examines a packet of RoCEv1. It is a native packet with a GRH, but with Ethernet in place of LRH and VCRC. An LRH
/// and a VCRC are put around it, and the ICRC that belongs to them (`crc.md` section 1).
fn roce_v1(record: &Record, inner: Inner) -> Rdma {
    let untagged = inner.untagged(&record.bytes);
    let kept = &untagged[ETHERNET_BYTES..];
    let cut = inner
        .end
        .min(record.wire_length)
        .saturating_sub(record.bytes.len());
    let words = ((Lrh::BYTES + inner.end - inner.begin) / 4) as u16;
    let lrh = Lrh {
        lnh: LNH_GLOBAL,
        pkt_len: words & 0x7FF,
        dlid: 1,
        slid: 1,
        ..Lrh::default()
    };
    let mut bytes = Vec::with_capacity(kept.len() + Lrh::BYTES + VCRC_BYTES);
    let _ = lrh.emit(&mut bytes);
    bytes.extend(kept);
    let mut icrc = Crc::Absent;
    if let (0, Some((covered, received))) = (cut, kept.split_last_chunk::<ICRC_BYTES>()) {
        icrc = Crc::of(received, &icrc_roce_v1(covered));
        let end = bytes.len() - ICRC_BYTES;
        bytes.truncate(end);
        bytes.extend(crc::icrc(&bytes));
        bytes.extend(vcrc(&bytes));
    }
    let wire_length = bytes.len() + if cut > 0 { cut + VCRC_BYTES } else { 0 };
    let mut dissection = Dissection::of_native(&bytes, wire_length);
    let around = Dissection::of_frame(&record.bytes, record.wire_length).fields;
    let own = std::mem::take(&mut dissection.fields);
    let made = |name: &str| name.starts_with("LRH.") || matches!(name, "ICRC" | "VCRC");
    dissection.fields = around.into_iter().filter(|f| !made(f.name())).collect();
    dissection
        .fields
        .extend(own.into_iter().filter(|f| !made(f.name())));
    Rdma {
        icrc,
        judgement: judge(Link::InfiniBand, &bytes, cut),
        cut: wire_length - bytes.len(),
        bytes,
        tenant: inner.tenant(),
        layers: inner.layers,
        ..rdma(record, Kind::RoceV1, dissection)
    }
}

fn rdma(record: &Record, kind: Kind, dissection: Dissection) -> Rdma {
    Rdma {
        number: record.number,
        time: record.time,
        start: record.start,
        kind,
        link: match kind {
            Kind::Native | Kind::RoceV1 => Link::InfiniBand,
            Kind::RoceV2 => Link::Roce,
        },
        bytes: Vec::new(),
        cut: 0,
        layers: Vec::new(),
        tenant: Vec::new(),
        kept: record.bytes.len(),
        wire_length: record.wire_length,
        dissection,
        icrc: Crc::Absent,
        vcrc: Crc::Absent,
        judgement: Judgement::Sound,
    }
}

fn judge(link: Link, bytes: &[u8], cut: usize) -> Judgement {
    if cut > 0 {
        return Judgement::Truncated;
    }
    match Frame::decode(link, bytes) {
        Ok(_) => Judgement::Sound,
        Err(malformed) => match malformed.fault {
            Fault::Opcode(opcode) if is_foreign(opcode) => Judgement::Foreign,
            _ => Judgement::Malformed(malformed),
        },
    }
}

fn is_foreign(opcode: u8) -> bool {
    use Transport::*;
    matches!(Transport::of(opcode), CongestionNotification | Xrc | Vendor)
}

fn invariant(dissection: &Dissection, bytes: &[u8], crc: impl Fn(&[u8]) -> Vec<u8>) -> Crc {
    let parts = dissection
        .covered
        .clone()
        .and_then(|covered| Some((bytes.get(covered.clone())?, bytes.get(covered.end..)?)));
    let Some((covered, rest)) = parts else {
        return Crc::Absent;
    };
    let computed = crc(covered);
    Crc::of(&rest[..computed.len().min(rest.len())], &computed)
}

fn variant(record: &Record) -> Crc {
    if record.bytes.len() < record.wire_length {
        return Crc::Absent;
    }
    match record.bytes.split_last_chunk::<VCRC_BYTES>() {
        Some((covered, received)) => Crc::of(received, &vcrc(covered)),
        None => Crc::Absent,
    }
}

#[cfg(test)]
mod tests {
    use super::super::link_packet::Soundness;
    use super::*;
    use crate::cli::decode::line;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    /// Returns beginnings that lead far into the headers: of a local packet, a global one, and a tagged frame of each
    /// IP version.
    fn beginnings() -> impl Strategy<Value = (Content, Vec<u8>)> {
        let frame = |types: &[u8], ip: u8, length: usize, protocol_at: usize| {
            let mut frame = vec![2; 12];
            frame.extend(types);
            let at = frame.len();
            frame.resize(at + length, 0);
            frame[at] = ip;
            frame[at + protocol_at] = 17;
            frame.extend([0xC0, 0x00, 0x12, 0xB7, 0, 60, 0, 0]);
            frame
        };
        prop_oneof![
            Just((Content::InfiniBand, vec![0, 2, 0, 1, 0, 10, 0, 2])),
            Just((Content::InfiniBand, vec![0, 3, 0, 1, 0, 20, 0, 2])),
            Just((Content::Link, vec![0x10, 0x00, 0x00, 0x40, 0x5C, 0x6D])),
            Just((Content::Link, Vec::new())),
            Just((Content::Ethernet, frame(&[0x81, 0, 0, 1, 8, 0], 0x45, 20, 9))),
            Just((Content::Ethernet, frame(&[8, 0], 0x4F, 60, 9))),
            Just((Content::Ethernet, frame(&[0x86, 0xDD], 0x60, 40, 6))),
            Just((Content::Ethernet, Vec::new())),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Any record can be examined, whatever it holds and whatever was cut off.
        #[test]
        fn any_record_is_looked_into(
            (content, begin) in beginnings(),
            rest in vec(any::<u8>(), 0..120),
            changes in vec((any::<Index>(), any::<u8>()), 0..3),
            kept in any::<Index>(),
        ) {
            let mut bytes = [begin, rest].concat();
            for (at, value) in changes {
                if !bytes.is_empty() {
                    let at = at.index(bytes.len());
                    bytes[at] = value;
                }
            }
            let wire_length = bytes.len();
            bytes.truncate(kept.index(wire_length + 1));
            let (number, time) = (1, Duration::ZERO);
            let record = Record { number, time, start: time, content, port: None, bytes, wire_length, crcs_made: 0 };
            match Captured::of(&record) {
                Captured::Rdma(packet) => {
                    prop_assert!(packet.dissection.payload.end <= record.bytes.len());
                    prop_assert!(packet.dissection.payload_length <= wire_length);
                    prop_assert!(line::line(&packet).len() > 60);
                }
                Captured::Link(packet) => {
                    prop_assert!(line::link_line(&packet).len() > 60);
                    let is_exact = record.bytes.len() == 6 && wire_length == 6;
                    prop_assert!(is_exact || packet.soundness != Soundness::Sound);
                    prop_assert!(packet.lpcrc == Crc::Right || packet.soundness != Soundness::Sound);
                }
                Captured::Other | Captured::OtherLink(_) => {}
            }
        }
    }
}
