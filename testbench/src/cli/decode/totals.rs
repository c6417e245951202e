//! What a capture held, counted.
use super::packet::{Captured, Crc, Judgement, Kind, Rdma};
use crate::trace::drop_reason;
use serde::Serialize;
use std::collections::BTreeMap;

/// All packets of a capture.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Records of the file.
    pub packets: u64,
    /// Native InfiniBand, RoCEv1 and RoCEv2.
    pub rdma: u64,
    /// Of these RoCEv1.
    pub roce_v1: u64,
    /// Passed over.
    pub others: u64,
    /// Of interfaces of other link types, by their number.
    pub other_links: BTreeMap<u32, u64>,
    pub icrc: Verdicts,
    pub vcrc: Verdicts,
    /// Packets that a port would drop, by the first check that they fail.
    pub malformed: BTreeMap<&'static str, u64>,
    /// Of transports that are not carried.
    pub foreign: u64,
    /// Packets of which not all was kept.
    pub truncated: u64,
    pub opcodes: BTreeMap<String, u64>,
}

/// How often a CRC was what.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    pub right: u64,
    pub wrong: u64,
    pub absent: u64,
}

impl Totals {
    /// Counts a packet.
    pub fn count(&mut self, captured: &Captured) {
        self.packets += 1;
        match captured {
            Captured::Rdma(packet) => self.count_rdma(packet),
            Captured::OtherLink(number) => *self.other_links.entry(*number).or_default() += 1,
            Captured::Other => self.others += 1,
        }
    }

    fn count_rdma(&mut self, packet: &Rdma) {
        self.rdma += 1;
        self.roce_v1 += u64::from(packet.kind == Kind::RoceV1);
        self.icrc.count(&packet.icrc);
        self.vcrc.count(&packet.vcrc);
        match &packet.judgement {
            Judgement::Sound => {}
            Judgement::Foreign => self.foreign += 1,
            Judgement::Malformed(malformed) => {
                *self
                    .malformed
                    .entry(drop_reason::name(malformed.reason))
                    .or_default() += 1;
            }
            Judgement::Truncated => self.truncated += 1,
        }
        *self.opcodes.entry(packet.dissection.opcode_name()).or_default() += 1;
    }

    /// True if every RDMA packet was what the protocol allows, as far as it was kept.
    pub fn are_clean(&self) -> bool {
        self.malformed.is_empty() && self.icrc.wrong == 0 && self.vcrc.wrong == 0
    }

    /// For people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} packets: {} RDMA, {} others passed over{}",
            self.packets,
            self.rdma,
            self.others,
            match self.roce_v1 {
                0 => String::new(),
                n => format!(", {n} of them RoCEv1"),
            }
        )];
        for (link, n) in &self.other_links {
            lines.push(format!("{n} packets of link type {link}, which is not read"));
        }
        for (name, v) in [("ICRC", &self.icrc), ("VCRC", &self.vcrc)] {
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
    fn count(&mut self, crc: &Crc) {
        match crc {
            Crc::Right => self.right += 1,
            Crc::Wrong { .. } => self.wrong += 1,
            Crc::Absent => self.absent += 1,
        }
    }
}
