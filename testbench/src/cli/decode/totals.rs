//! The counts of a capture.
use super::crc::Crc;
use super::link_packet::{reason, LinkPacket, Soundness};
use super::packet::{Captured, Judgement, Kind, Rdma};
use crate::trace::drop_reason;
use crate::trace::name::opcode_name;
use serde::Serialize;
use std::collections::BTreeMap;

/// The totals of a capture.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Number of records of the file.
    pub packets: u64,
    /// Number of packets of native InfiniBand, RoCEv1 and RoCEv2.
    pub rdma: u64,
    /// Number of packets of RoCEv1 among them.
    pub roce_v1: u64,
    /// Number of link packets of native InfiniBand.
    pub link_packets: u64,
    /// Number of records that were skipped.
    pub others: u64,
    /// Number of packets of interfaces with unsupported link types, by number of the type.
    pub other_links: BTreeMap<u32, u64>,
    pub icrc: Verdicts,
    pub vcrc: Verdicts,
    /// Of link packets.
    pub lpcrc: Verdicts,
    /// Packets that a port would drop, by the first check that they fail.
    pub malformed: BTreeMap<&'static str, u64>,
    /// Number of packets of transports that this adapter does not support.
    pub foreign: u64,
    /// Number of packets of which not all was kept.
    pub truncated: u64,
    pub opcodes: BTreeMap<String, u64>,
    /// Number of packets that the user did not select.
    #[serde(skip_serializing_if = "is_none")]
    pub left_out: u64,
    /// Number of packets by opcode, as far as they have one.
    #[serde(skip)]
    by_code: BTreeMap<u8, u64>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// What is counted for a packet.
pub enum Tally {
    Rdma {
        is_roce_v1: bool,
        icrc: Verdict,
        vcrc: Verdict,
        fate: Fate,
        opcode: Result<u8, String>,
    },
    Link {
        lpcrc: Verdict,
        fate: Fate,
        name: String,
    },
    Other,
    OtherLink(u32),
    /// The user did not select the packet.
    LeftOut,
}

/// The result of a CRC's check, without its values.
#[derive(Clone, Copy)]
pub enum Verdict {
    Right,
    Wrong,
    Absent,
}

/// A judgement, without its text.
#[derive(Clone, Copy)]
pub enum Fate {
    Sound,
    Malformed(&'static str),
    Foreign,
    Truncated,
}

impl Tally {
    pub fn of(captured: &Captured) -> Tally {
        match captured {
            Captured::Rdma(packet) => Tally::of_packet(packet),
            Captured::Link(packet) => Tally::of_link_packet(packet),
            Captured::OtherLink(number) => Tally::OtherLink(*number),
            Captured::Other => Tally::Other,
        }
    }

    fn of_link_packet(packet: &LinkPacket) -> Tally {
        Tally::Link {
            lpcrc: Verdict::of(&packet.lpcrc),
            fate: match packet.soundness {
                Soundness::Sound => Fate::Sound,
                Soundness::Malformed(defect) => Fate::Malformed(reason(defect)),
                Soundness::Truncated => Fate::Truncated,
            },
            name: packet.name(),
        }
    }

    fn of_packet(packet: &Rdma) -> Tally {
        Tally::Rdma {
            is_roce_v1: packet.kind == Kind::RoceV1,
            icrc: Verdict::of(&packet.icrc),
            vcrc: Verdict::of(&packet.vcrc),
            fate: match &packet.judgement {
                Judgement::Sound => Fate::Sound,
                Judgement::Foreign => Fate::Foreign,
                Judgement::Malformed(malformed) => Fate::Malformed(drop_reason::name(malformed.reason)),
                Judgement::Truncated => Fate::Truncated,
            },
            opcode: match packet.dissection.value("BTH.Opcode") {
                Some(code) => Ok(code as u8),
                None => Err(packet.dissection.opcode_name()),
            },
        }
    }
}

impl Verdict {
    fn of(crc: &Crc) -> Verdict {
        match crc {
            Crc::Right => Verdict::Right,
            Crc::Wrong { .. } => Verdict::Wrong,
            Crc::Absent => Verdict::Absent,
        }
    }
}

/// How often the check of a CRC had each result.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    pub right: u64,
    pub wrong: u64,
    pub absent: u64,
}

impl Totals {
    /// Counts a packet.
    pub fn count(&mut self, tally: Tally) {
        self.packets += 1;
        match tally {
            Tally::OtherLink(number) => *self.other_links.entry(number).or_default() += 1,
            Tally::Other => self.others += 1,
            Tally::LeftOut => self.left_out += 1,
            Tally::Link { lpcrc, fate, name } => {
                self.link_packets += 1;
                self.lpcrc.count(lpcrc);
                self.count_fate(fate);
                *self.opcodes.entry(name).or_default() += 1;
            }
            Tally::Rdma {
                is_roce_v1,
                icrc,
                vcrc,
                fate,
                opcode,
            } => {
                self.rdma += 1;
                self.roce_v1 += u64::from(is_roce_v1);
                self.icrc.count(icrc);
                self.vcrc.count(vcrc);
                self.count_fate(fate);
                match opcode {
                    Ok(code) => *self.by_code.entry(code).or_default() += 1,
                    Err(name) => *self.opcodes.entry(name).or_default() += 1,
                }
            }
        }
    }

    fn count_fate(&mut self, fate: Fate) {
        match fate {
            Fate::Sound => {}
            Fate::Foreign => self.foreign += 1,
            Fate::Malformed(reason) => *self.malformed.entry(reason).or_default() += 1,
            Fate::Truncated => self.truncated += 1,
        }
    }

    /// Ends the counting: gives the opcodes their names.
    pub fn end(&mut self) {
        for (code, packets) in std::mem::take(&mut self.by_code) {
            *self.opcodes.entry(opcode_name(code)).or_default() += packets;
        }
    }

    /// Returns true if every RDMA and link packet obeyed the protocol, as far as it was kept.
    pub fn are_clean(&self) -> bool {
        self.malformed.is_empty() && self.icrc.wrong == 0 && self.vcrc.wrong == 0 && self.lpcrc.wrong == 0
    }

    /// Returns lines for people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} packets: {} RDMA, {}{} others passed over{}",
            self.packets,
            self.rdma,
            match self.link_packets {
                0 => String::new(),
                n => format!("{n} of the link, "),
            },
            self.others,
            match self.roce_v1 {
                0 => String::new(),
                n => format!(", {n} of them RoCEv1"),
            }
        )];
        if self.left_out > 0 {
            lines.push(format!("{} packets that were not asked for", self.left_out));
        }
        for (link, n) in &self.other_links {
            lines.push(format!("{n} packets of link type {link}, which is not read"));
        }
        let of_link = (self.link_packets > 0).then_some(("LPCRC", &self.lpcrc));
        let crcs = [("ICRC", &self.icrc), ("VCRC", &self.vcrc)];
        for (name, v) in crcs.into_iter().chain(of_link) {
            lines.push(format!(
                "{name}: {} right, {} wrong, {} absent",
                v.right, v.wrong, v.absent
            ));
        }
        let reasons: String = self
            .malformed
            .iter()
            .map(|(reason, n)| format!(", {reason} {n}"))
            .collect();
        lines.push(format!(
            "malformed: {}{}; of other transports: {}; truncated: {}",
            self.malformed.values().sum::<u64>(),
            reasons.replacen(", ", " (", 1) + if reasons.is_empty() { "" } else { ")" },
            self.foreign,
            self.truncated
        ));
        lines.extend(self.opcodes.iter().map(|(name, n)| format!("{n:>7} {name}")));
        lines
    }
}

impl Verdicts {
    fn count(&mut self, crc: Verdict) {
        match crc {
            Verdict::Right => self.right += 1,
            Verdict::Wrong => self.wrong += 1,
            Verdict::Absent => self.absent += 1,
        }
    }
}
