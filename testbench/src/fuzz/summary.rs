//! The summary of all records. It does not depend on the order and the shards in which the cases ran.
use super::campaign::Campaign;
use super::kind::Kind;
use super::record::Record;
use super::run_spec::Gap;
use crate::scoreboard::requirement::ROWS;
use crc::{Crc, CRC_64_XZ};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Largest number of missing cases that the text names.
const GAPS: usize = 10;

/// Cases that failed in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    pub differed: String,
    /// Numbers of the cases, in ascending order; at least one.
    pub cases: Vec<u64>,
}

impl Fault {
    /// Returns the lowest case.
    pub fn first(&self) -> u64 {
        self.cases.first().copied().unwrap_or_default()
    }
}

/// The result of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub campaign: Campaign,
    pub cases: u64,
    pub cycles: u64,
    pub packets: u64,
    pub completions: u64,
    pub decisions: u64,
    /// Digest of the digests of all cases, by number.
    pub digest: String,
    /// Number of cases in which each row of the conformance table occurred.
    pub requirements: BTreeMap<String, u64>,
    /// Number of cases that draw each kind of thing of the link layer.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub drawn: BTreeMap<Kind, u64>,
    /// Faults, sorted by their lowest cases.
    pub faults: Vec<Fault>,
    /// Requested cases that are missing, by shard.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Gap>,
}

impl Summary {
    /// Makes the summary of these records, by number.
    pub fn of<'a>(campaign: &Campaign, records: impl Iterator<Item = &'a Record>) -> Summary {
        let mut summary = Summary {
            campaign: campaign.clone(),
            cases: 0,
            cycles: 0,
            packets: 0,
            completions: 0,
            decisions: 0,
            digest: String::new(),
            requirements: BTreeMap::new(),
            drawn: BTreeMap::new(),
            faults: Vec::new(),
            missing: Vec::new(),
        };
        let crc = Crc::<u64>::new(&CRC_64_XZ);
        let mut digest = crc.digest();
        for record in records {
            summary.cases += 1;
            summary.cycles += record.cycles;
            summary.packets += record.packets;
            summary.completions += record.completions;
            summary.decisions += record.decisions;
            digest.update(record.digest.as_bytes());
            for row in record.rows.iter() {
                *summary.requirements.entry(format!("CF{row:03}")).or_default() += 1;
            }
            for kind in &record.drawn {
                *summary.drawn.entry(*kind).or_default() += 1;
            }
            if let Some(differed) = &record.differed {
                match summary.faults.iter_mut().find(|f| f.differed == *differed) {
                    Some(fault) => fault.cases.push(record.index),
                    None => summary.faults.push(Fault {
                        differed: differed.clone(),
                        cases: vec![record.index],
                    }),
                }
            }
        }
        summary.digest = format!("{:016x}", digest.finalize());
        summary
    }

    /// Returns true if nothing differed and nothing is missing.
    pub fn held(&self) -> bool {
        self.faults.is_empty() && self.missing.is_empty()
    }

    fn verdict(&self) -> &'static str {
        match (self.faults.is_empty(), self.missing.is_empty()) {
            (false, _) => "FAILED",
            (true, false) => "INCOMPLETE",
            (true, true) => "HELD",
        }
    }

    /// Returns a few lines of text. `place` returns where a fault was written.
    pub fn text(&self, place: impl Fn(&Fault) -> Option<String>) -> String {
        let mut text = String::new();
        for fault in &self.faults {
            let more = match fault.cases.len() {
                1 => String::new(),
                n => format!(", and {} more", n - 1),
            };
            text += &format!("  case {}{more}: {}\n", fault.first(), fault.differed);
            if let Some(place) = place(fault) {
                text += &format!("      {place}\n");
            }
        }
        if !self.drawn.is_empty() {
            let counts = self.drawn.iter().map(|(kind, cases)| format!("{kind} {cases}"));
            text += &format!("  drawn: {}\n", counts.collect::<Vec<_>>().join(", "));
        }
        for gap in self.missing.iter().take(GAPS) {
            text += &format!("  {gap}\n");
        }
        match self.missing.len().saturating_sub(GAPS) {
            0 => {}
            more => text += &format!("  and {more} more shards\n"),
        }
        text += &format!(
            "{}: {} cases, {} packets, {} completions, {} decisions in {} cycles; {} of {ROWS} requirements came up; {}\n",
            self.verdict(),
            self.cases,
            self.packets,
            self.completions,
            self.decisions,
            self.cycles,
            self.requirements.len(),
            match self.faults.len() {
                0 => "nothing differed".to_owned(),
                1 => "one fault".to_owned(),
                n => format!("{n} faults"),
            }
        );
        text
    }

    /// Writes a test case for each fault and each gap, and one for all cases that passed. `report` returns the written
    /// report of a fault.
    pub fn junit(&self, out: &mut impl Write, report: impl Fn(&Fault) -> Option<String>) -> io::Result<()> {
        let mut suite = TestSuite::new("hca fuzz");
        let seed = self.campaign.seed;
        for fault in &self.faults {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(fault.differed.clone());
            if let Some(report) = report(fault) {
                status.set_description(report);
            }
            suite.add_test_case(TestCase::new(
                format!("seed {seed} case {}", fault.first()),
                status,
            ));
        }
        for gap in &self.missing {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(gap.to_string());
            suite.add_test_case(TestCase::new(format!("seed {seed} shard {}", gap.shard), status));
        }
        let failed: BTreeSet<&u64> = self.faults.iter().flat_map(|f| &f.cases).collect();
        let held = self.cases - failed.len() as u64;
        let other = if failed.is_empty() { "" } else { "other " };
        let name = format!("seed {seed}: {held} {other}cases held");
        suite.add_test_case(TestCase::new(name, TestCaseStatus::success()));
        let mut all = Report::new("hca");
        all.add_test_suite(suite);
        all.serialize(out).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::frame::Devices;
    use crate::life::Area;

    fn record(index: u64, differed: Option<&str>) -> Record {
        Record {
            index,
            cycles: 10,
            packets: index,
            completions: 1,
            decisions: 2,
            digest: format!("{index:016x}"),
            rows: [5, 200 + index as u16].into_iter().collect(),
            drawn: [Kind::FlowControl].into(),
            differed: differed.map(str::to_owned),
        }
    }

    #[test]
    fn sums_counts_and_faults() {
        let campaign = Campaign {
            seed: 1,
            focus: Area::All,
            devices: Devices::Models,
            profile: None,
            link: None,
            dut: None,
            select: 0,
        };
        let records = [
            record(1, None),
            record(2, Some("PSN")),
            record(7, Some("PSN")),
            record(9, Some("MSN")),
        ];
        let summary = Summary::of(&campaign, records.iter());
        assert_eq!((summary.cases, summary.packets, summary.cycles), (4, 19, 40));
        assert_eq!(summary.requirements["CF005"], 4);
        assert_eq!(summary.requirements["CF207"], 1);
        assert_eq!(summary.drawn, [(Kind::FlowControl, 4)].into());
        assert_eq!(summary.faults[0].cases, [2, 7]);
        let text = summary.text(|_| None);
        assert!(
            text.contains(
                "  case 2, and 1 more: PSN\n  case 9: MSN\n  drawn: flow control 4\nFAILED: 4 cases"
            ),
            "{text}"
        );
        let mut junit = Vec::new();
        summary.junit(&mut junit, |_| None).unwrap();
        let junit = String::from_utf8(junit).unwrap();
        assert!(
            junit.contains("seed 1: 1 other cases held") && junit.contains("failures=\"2\""),
            "{junit}"
        );
    }
}
