//! A captured packet with all that can be said of it.
use crate::capture::{Content, Record};
use crate::trace::dissection::Dissection;
use hca_golden::port::Link;
use hca_golden::wire::crc::{icrc, icrc_roce_v2, vcrc, VCRC_BYTES};
use hca_golden::wire::frame::Frame;
use hca_golden::wire::malformed::{Fault, Malformed};
use hca_golden::wire::opcode::Transport;
use std::time::Duration;

/// What a record turned out to be.
pub enum Captured {
    Rdma(Box<Rdma>),
    /// RDMA that this program does not read.
    RoceV1,
    Other,
}

/// A packet of native InfiniBand or RoCEv2.
pub struct Rdma {
    pub number: u64,
    /// Since 1970.
    pub time: Duration,
    pub link: Link,
    /// Bytes of the packet that were kept, and that were on the wire.
    pub kept: usize,
    pub wire_length: usize,
    pub dissection: Dissection,
    pub icrc: Crc,
    pub vcrc: Crc,
    pub judgement: Judgement,
}

/// What is to be said of a CRC; values as they are on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crc {
    Right,
    Wrong { received: String, computed: String },
    Absent,
}

/// What a port would make of the packet that all its addresses match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Sound,
    Malformed(Malformed),
    /// Sound so far, but of a transport that this adapter does not carry: congestion notification, XRC, a vendor's.
    Foreign,
    /// Not all of it was kept, so nothing can be said.
    Truncated,
}

/// EtherType of RoCEv1.
const ROCE_V1: u64 = 0x8915;
/// UDP destination port of RoCEv2.
const ROCE_V2: u64 = 4791;
/// Bytes of the two addresses that begin a frame.
const ADDRESS_BYTES: usize = 12;
/// Bytes of a VLAN tag.
const TAG_BYTES: usize = 4;

impl Captured {
    /// Looks into a record.
    pub fn of(record: &Record) -> Captured {
        match record.content {
            Content::InfiniBand => Captured::Rdma(Box::new(native(record))),
            Content::Ethernet => frame(record),
            Content::Other => Captured::Other,
        }
    }
}

fn native(record: &Record) -> Rdma {
    let dissection = Dissection::of_native(&record.bytes, record.wire_length);
    let crc = |covered: &[u8]| icrc(covered).to_vec();
    Rdma {
        icrc: invariant(&dissection, &record.bytes, crc),
        vcrc: variant(record),
        judgement: judge(record, Link::InfiniBand, &record.bytes),
        ..rdma(record, Link::InfiniBand, dissection)
    }
}

fn frame(record: &Record) -> Captured {
    let dissection = Dissection::of_frame(&record.bytes, record.wire_length);
    let is = |name, value| dissection.value(name) == Some(value);
    if is("eth.type", ROCE_V1) || is("vlan.etype", ROCE_V1) {
        return Captured::RoceV1;
    }
    if !is("udp.dstport", ROCE_V2) {
        return Captured::Other;
    }
    let untagged = untagged(&record.bytes, &dissection);
    // The protocol knows no ICRC over IPv4 options.
    let has_options = dissection.value("ip.hdr_len").is_some_and(|bytes| bytes != 20);
    let icrc = match has_options {
        true => Crc::Absent,
        false => invariant(&dissection, &record.bytes, |covered| {
            icrc_roce_v2(covered).to_vec()
        }),
    };
    Captured::Rdma(Box::new(Rdma {
        icrc,
        judgement: judge(record, Link::Roce, &untagged),
        ..rdma(record, Link::Roce, dissection)
    }))
}

/// A frame without its VLAN tags.
pub fn untagged(bytes: &[u8], dissection: &Dissection) -> Vec<u8> {
    let tags = dissection.fields.iter().filter(|f| f.name() == "vlan.id").count();
    let mut untagged = bytes.to_vec();
    untagged.drain(ADDRESS_BYTES..ADDRESS_BYTES + tags * TAG_BYTES);
    untagged
}

fn rdma(record: &Record, link: Link, dissection: Dissection) -> Rdma {
    Rdma {
        number: record.number,
        time: record.time,
        link,
        kept: record.bytes.len(),
        wire_length: record.wire_length,
        dissection,
        icrc: Crc::Absent,
        vcrc: Crc::Absent,
        judgement: Judgement::Sound,
    }
}

fn judge(record: &Record, link: Link, bytes: &[u8]) -> Judgement {
    if record.bytes.len() < record.wire_length {
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
    verdict(&rest[..computed.len().min(rest.len())], &computed)
}

fn variant(record: &Record) -> Crc {
    if record.bytes.len() < record.wire_length {
        return Crc::Absent;
    }
    match record.bytes.split_last_chunk::<VCRC_BYTES>() {
        Some((covered, received)) => verdict(received, &vcrc(covered)),
        None => Crc::Absent,
    }
}

fn verdict(received: &[u8], computed: &[u8]) -> Crc {
    match received == computed {
        true => Crc::Right,
        false => Crc::Wrong {
            received: hex(received),
            computed: hex(computed),
        },
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|b| format!("{b:02x}"))
        .fold("0x".to_owned(), |text, b| text + &b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::decode::line;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    /// Beginnings that lead far into the headers: a local packet, a global one, a tagged frame of each IP version.
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
            Just((Content::Ethernet, frame(&[0x81, 0, 0, 1, 8, 0], 0x45, 20, 9))),
            Just((Content::Ethernet, frame(&[8, 0], 0x4F, 60, 9))),
            Just((Content::Ethernet, frame(&[0x86, 0xDD], 0x60, 40, 6))),
            Just((Content::Ethernet, Vec::new())),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever a record holds, and whatever was cut off it, something can be said of it.
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
            let record = Record { number, time, content, bytes, wire_length };
            if let Captured::Rdma(packet) = Captured::of(&record) {
                prop_assert!(packet.dissection.payload.end <= record.bytes.len());
                prop_assert!(packet.dissection.payload_length <= wire_length);
                prop_assert!(line::line(&packet, time).len() > 60);
            }
        }
    }
}
