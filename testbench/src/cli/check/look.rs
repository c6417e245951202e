//! The part of a captured packet that can be judged.
use super::super::decode::crc::Crc;
use super::super::decode::datagram::Datagram;
use super::super::decode::link_packet::{LinkPacket, Soundness};
use super::super::decode::packet::{Captured, Judgement, Rdma};
use crate::capture::overlay::{Inner, ETHER_ROCE_V1};
use crate::capture::{Content, Record};
use crate::check::{Body, Observed, Rule, Tenant, What};
use crate::trace::drop_reason;
use crate::trace::name::later_opcode;
use crate::wire::repair::{repair, Repair};
use hca_golden::event::DropReason;
use hca_golden::port::Link;
use hca_golden::wire::crc::{ICRC_BYTES, VCRC_BYTES};
use hca_golden::wire::flow_control::Defect;
use hca_golden::wire::frame::Frame;
use hca_golden::wire::malformed::{Fault, Malformed};
use hca_golden::wire::opcode::Transport;
use hca_golden::wire::packet::Packet;
use std::hash::{DefaultHasher, Hasher};

/// Length of the longest datagram. A header that claims more is wrong.
const LARGEST: usize = u16::MAX as usize;

/// The result of an examined record.
pub enum Look {
    Rdma(Box<Packeted>),
    Link(Linked),
    NotRdma,
    /// A packet of an interface with this link type, which is not supported.
    OtherLink(u32),
}

/// A packet of RDMA.
pub struct Packeted {
    pub number: u64,
    /// In nanoseconds since 1970.
    pub time: u64,
    pub what: What,
    pub mark: Mark,
    pub tenant: Tenant,
    /// The ICRC was not computed yet, and the packet is judged without it.
    pub unprotected: bool,
    /// The ICRC is 0 and counts as wrong.
    pub zero: bool,
}

/// A link packet.
pub struct Linked {
    pub number: u64,
    /// In nanoseconds since 1970.
    pub time: u64,
    /// The rule that it breaks, if no port takes it, and how.
    pub fault: Option<Box<(Rule, String)>>,
}

impl Linked {
    fn of(record: &Record, packet: &LinkPacket) -> Linked {
        let fault = match packet.soundness {
            Soundness::Sound | Soundness::Truncated => None,
            Soundness::Malformed(defect) => {
                let rule = match defect {
                    Defect::Lpcrc { .. } => Rule::Lpcrc,
                    Defect::Op(_) => Rule::LinkOp,
                    Defect::Length(_) => Rule::Malformed,
                };
                Some(Box::new((rule, format!("link packet: {defect}"))))
            }
        };
        Linked {
            number: record.number,
            time: nanoseconds(record),
            fault,
        }
    }
}

/// A mark that is equal for two equal packets, whatever is around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    bytes: usize,
    digest: u64,
}

impl Mark {
    fn of(bytes: usize, parts: &[&[u8]]) -> Mark {
        let mut hasher = DefaultHasher::new();
        parts.iter().for_each(|part| hasher.write(part));
        Mark {
            bytes,
            digest: hasher.finish(),
        }
    }
}

impl Look {
    /// Examines a record. With `zero_icrc`, a packet whose ICRC is 0 was captured before the ICRC was computed.
    pub fn of(record: &Record, zero_icrc: bool) -> Look {
        if let Some(packet) = datagram(record) {
            return Look::Rdma(Box::new(packet));
        }
        match Captured::of(record) {
            Captured::Rdma(rdma) => Look::Rdma(Box::new(packeted(record, &rdma, zero_icrc))),
            Captured::Link(packet) => Look::Link(Linked::of(record, &packet)),
            Captured::Other => Look::NotRdma,
            Captured::OtherLink(number) => Look::OtherLink(number),
        }
    }
}

fn nanoseconds(record: &Record) -> u64 {
    record.time.as_nanos().try_into().unwrap_or(u64::MAX)
}

/// Returns a datagram of RoCEv2 that is whole and sound, as most are. Nothing else has to be known about such a
/// datagram.
fn datagram(record: &Record) -> Option<Packeted> {
    if record.content != Content::Ethernet {
        return None;
    }
    let inner = Inner::of(&record.bytes, record.wire_length)?;
    if inner.ether_type == ETHER_ROCE_V1 {
        return None;
    }
    let ip = record.bytes.get(inner.begin..inner.end)?;
    let datagram = Datagram::of(inner.ether_type, ip)?;
    let tenant = Tenant::of(&inner.tenant());
    let body = Body::of(datagram.extensions, datagram.payload);
    let [around, icrc] = datagram.around;
    // The ICRC represents the bytes that it covers.
    let mark = Mark::of(
        ip.len(),
        &[
            inner.addresses(&record.bytes),
            around,
            &ip[around.len()..][..5],
            icrc,
        ],
    );
    Some(Packeted {
        number: record.number,
        time: nanoseconds(record),
        what: What::Sound(
            Observed::between(tenant, datagram.gids, &datagram.bth, datagram.headers(), body)
                .managing(datagram.payload),
        ),
        mark,
        tenant,
        unprotected: false,
        zero: false,
    })
}

fn packeted(record: &Record, rdma: &Rdma, zero_icrc: bool) -> Packeted {
    let tenant = Tenant::of(&rdma.tenant);
    let (what, unprotected) = what(rdma, tenant, zero_icrc);
    Packeted {
        number: record.number,
        time: nanoseconds(record),
        mark: Mark::of(rdma.bytes.len(), &[&rdma.bytes]),
        zero: rdma.has_zero_icrc() && matches!(what, What::Malformed(..)),
        what,
        tenant,
        unprotected,
    }
}

/// Returns what can be judged, and whether it is judged without an ICRC.
fn what(rdma: &Rdma, tenant: Tenant, zero_icrc: bool) -> (What, bool) {
    let unmade = zero_icrc && rdma.has_zero_icrc();
    let observed = |packet: &Packet| Observed::of(tenant, packet);
    let malformed = |packet: Option<Packet>, rule, why| {
        What::Malformed(packet.map(|packet| Box::new(observed(&packet))), rule, why)
    };
    match &rdma.judgement {
        Judgement::Foreign => (What::Foreign, false),
        Judgement::Truncated => match mended(rdma) {
            Some(packet) => (sound(&observed(&packet)), false),
            None => (What::Cut, false),
        },
        Judgement::Malformed(fault) => match mended(rdma) {
            Some(packet) if unmade => (What::Sound(observed(&packet)), true),
            packet => {
                let why = drop_reason::name(fault.reason).to_owned();
                (malformed(packet, rule(fault), why), false)
            }
        },
        Judgement::Sound => match (decoded(rdma.link, &rdma.bytes), &rdma.icrc) {
            (Some(packet), Crc::Wrong { .. }) if unmade => (What::Sound(observed(&packet)), true),
            (packet, Crc::Wrong { received, computed }) => {
                let why = format!("ICRC {received}, computed {computed}");
                (malformed(packet, Rule::Icrc, why), false)
            }
            (Some(packet), _) => (sound(&observed(&packet)), false),
            // A raw packet.
            (None, _) => (What::Foreign, false),
        },
    }
}

/// Returns what can be judged about a packet that a port accepts.
fn sound(packet: &Observed) -> What {
    match later_opcode(packet.opcode) {
        None => What::Sound(*packet),
        Some(_) => What::Newer(*packet),
    }
}

fn decoded(link: Link, bytes: &[u8]) -> Option<Packet> {
    Frame::decode(link, bytes).ok()?.packet()
}

/// Returns the packet with correct CRCs, and with zeros for the missing bytes, which may only be payload.
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

/// Returns the rule that a packet breaks if a port rejects it for this reason.
fn rule(malformed: &Malformed) -> Rule {
    match malformed.reason {
        DropReason::Icrc => Rule::Icrc,
        DropReason::Vcrc => Rule::Vcrc,
        DropReason::LinkVersion => Rule::LinkVersion,
        DropReason::TransportVersion => Rule::TransportVersion,
        DropReason::Opcode => match malformed.fault {
            Fault::Opcode(code) if Transport::of(code) == Transport::Uc => Rule::UnreliableOpcode,
            Fault::Opcode(code) if Transport::of(code) == Transport::Ud => Rule::DatagramOpcode,
            _ => Rule::UnknownOpcode,
        },
        DropReason::Length => Rule::PacketLength,
        DropReason::HeaderIncomplete => Rule::HeaderIncomplete,
        _ => Rule::Malformed,
    }
}
