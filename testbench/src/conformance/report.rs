//! All rows with their cases and results, as text, data and JUnit XML.
use super::device::{device_of, needs_two_ports, rows_of, Device, ONE_PORT};
use super::reason::{waits, why_without};
use super::result::Outcome;
use super::row::Row;
use hca_host::profile;
use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Name of the model in place of a profile of the hardware.
pub const MODEL: &str = "model";

/// A case with its result.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    pub case: String,
    /// [`MODEL`], or the profile of the hardware.
    pub on: String,
    pub held: bool,
    /// Output of a case that failed, or why it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
}

impl CaseResult {
    /// Makes the result of a case that was run for this profile.
    pub fn of(case: &str, profile: &str, outcome: &Outcome) -> CaseResult {
        let on = match device_of(case) {
            Device::Model => MODEL,
            Device::Hardware => profile,
        };
        CaseResult {
            case: case.to_owned(),
            on: on.to_owned(),
            held: outcome.held(),
            printed: match outcome {
                Outcome::Held => None,
                Outcome::Failed { printed } => Some(printed.clone()),
                Outcome::Missing { why } => Some(why.clone()),
            },
        }
    }
}

/// The result of a row. Rows are shown in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// A case is missing or failed.
    Unmet,
    /// There is no case yet, because of what the adapter does not have.
    Waits,
    /// There is no case, for another reason.
    Exempt,
    /// The row has cases on every requested device, and all of them passed.
    Met,
}

/// A row with its result and its cases.
#[derive(Clone, Debug, Serialize)]
pub struct RowResult {
    #[serde(flatten)]
    pub row: &'static Row,
    pub standing: Standing,
    /// Why the row has no case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    pub cases: Vec<CaseResult>,
    /// Number of random cases that exercised the row.
    pub random_cases: u64,
}

impl RowResult {
    fn of(row: &'static Row, all: &[CaseResult], devices: &[String], random: &Random) -> RowResult {
        let of_row = |case: &&CaseResult| rows_of(&case.case).any(|id| id == row.id);
        let cases: Vec<CaseResult> = all.iter().filter(of_row).cloned().collect();
        let why = why_without(&row.id);
        let is_shown_on =
            |device: &String| cases.iter().any(|case| case.on == *device) || passes_over(&cases, device);
        let standing = match why {
            _ if cases.iter().any(|case| !case.held) => Standing::Unmet,
            Some(_) if waits(&row.id) => Standing::Waits,
            Some(_) => Standing::Exempt,
            None if devices.iter().all(is_shown_on) => Standing::Met,
            None => Standing::Unmet,
        };
        RowResult {
            row,
            standing,
            why,
            cases,
            random_cases: random.rows.get(&row.id).copied().unwrap_or_default(),
        }
    }

    /// Returns the row's result on a device, in a word or two.
    fn on(&self, device: &str) -> String {
        let cases = || self.cases.iter().filter(|case| case.on == device);
        match (cases().count(), cases().filter(|case| !case.held).count()) {
            (0, _) if passes_over(&self.cases, device) => "one port".to_owned(),
            (0, _) => "no case".to_owned(),
            (all, 0) => format!("{all} held"),
            (all, failed) => format!("{failed} of {all} FAILED"),
        }
    }

    fn line(&self, devices: &[String]) -> String {
        let Row {
            id, area, statement, ..
        } = self.row;
        let mut line = format!("{id}  {area:<12} ");
        match self.why {
            Some(why) => {
                let word = if waits(id) { "waits" } else { "no case" };
                line += &format!("{statement}\n{:20}{word}: {why}", "");
            }
            None => {
                for device in devices {
                    line += &format!("{:<13}", self.on(device));
                }
                line += &format!("{:>6}  {statement}", self.random_cases);
            }
        }
        line + "\n"
    }
}

/// Returns true if all cases of a row need two ports and the device, a profile of the hardware, has one.
fn passes_over(cases: &[CaseResult], device: &str) -> bool {
    let has_one = profile::by_name(device).is_some_and(|profile| profile.ports() == 1);
    has_one && !cases.is_empty() && cases.iter().all(|case| needs_two_ports(&case.case))
}

/// Results of random runs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Random {
    /// Where the results come from, in words.
    pub what: String,
    pub cases: u64,
    pub packets: u64,
    /// Number of cases that exercised each row.
    pub rows: BTreeMap<String, u64>,
}

/// The report about the requested rows.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`MODEL`] and the hardware's profiles.
    pub devices: Vec<String>,
    pub random: Random,
    /// The rows, unmet ones first.
    pub rows: Vec<RowResult>,
}

impl Report {
    /// The report of these rows and cases.
    pub fn of(
        rows: impl Iterator<Item = &'static Row>,
        cases: &[CaseResult],
        devices: Vec<String>,
        random: Random,
    ) -> Report {
        let mut rows: Vec<RowResult> = rows
            .map(|row| RowResult::of(row, cases, &devices, &random))
            .collect();
        rows.sort_by_key(|row| row.standing);
        Report {
            devices,
            random,
            rows,
        }
    }

    /// Returns true if every row has its results, or a reason for having none.
    pub fn held(&self) -> bool {
        self.count(Standing::Unmet) == 0
    }

    fn count(&self, standing: Standing) -> usize {
        self.rows.iter().filter(|row| row.standing == standing).count()
    }

    /// Returns the report as text. With `named`, the cases of all rows are listed, else only those of unmet rows.
    pub fn text(&self, named: bool) -> String {
        let mut text = format!("row    {:<13}", "area");
        for device in &self.devices {
            text += &format!("{device:<13}");
        }
        text += "random  requirement\n";
        for row in &self.rows {
            text += &row.line(&self.devices);
            let unmet = row.standing == Standing::Unmet;
            for case in row.cases.iter().filter(|case| named || (unmet && !case.held)) {
                let result = if case.held { "held" } else { "FAILED" };
                text += &format!("{:7}{result} on {}: {}\n", "", case.on, case.case);
            }
        }
        text + &self.summary()
    }

    fn summary(&self) -> String {
        let mut cases: BTreeMap<(&str, &str), bool> = BTreeMap::new();
        let all = self.rows.iter().flat_map(|row| &row.cases);
        all.for_each(|case| {
            cases.insert((&case.on, &case.case), case.held);
        });
        let mut text = String::new();
        for device in &self.devices {
            let of = |held: bool| {
                cases
                    .iter()
                    .filter(|((on, _), h)| on == device && **h == held)
                    .count()
            };
            text += &format!("{device}: {} cases held, {} failed\n", of(true), of(false));
        }
        let came_up = self.rows.iter().filter(|row| row.random_cases > 0).count();
        text += &format!("{}: {came_up} rows came up\n", self.random.what);
        text += &format!(
            "{}: {} rows: {} met, {} wait for what the adapter does not have yet, {} without a case for another \
             reason, {} unmet\n",
            if self.held() { "HELD" } else { "FAILED" },
            self.rows.len(),
            self.count(Standing::Met),
            self.count(Standing::Waits),
            self.count(Standing::Exempt),
            self.count(Standing::Unmet)
        );
        text
    }

    /// Writes one suite for each device, with one test case for each row.
    pub fn junit(&self, out: &mut impl Write) -> io::Result<()> {
        let mut report = Junit::new("hca");
        for device in &self.devices {
            let mut suite = TestSuite::new(format!("hca conformance on {device}"));
            for row in &self.rows {
                let name = format!("{}: {}", row.row.id, row.row.statement);
                let mut case = TestCase::new(name, status(row, device));
                case.set_classname(row.row.area.clone());
                suite.add_test_case(case);
            }
            report.add_test_suite(suite);
        }
        report.serialize(out).map_err(io::Error::other)
    }
}

fn status(row: &RowResult, device: &str) -> TestCaseStatus {
    let cases = || row.cases.iter().filter(|case| case.on == device);
    let failed = cases().filter(|case| !case.held);
    let printed =
        failed.map(|case| format!("{}\n{}", case.case, case.printed.as_deref().unwrap_or_default()));
    let printed: Vec<String> = printed.collect();
    let mut status = match row.why {
        _ if !printed.is_empty() => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Some(_) => TestCaseStatus::skipped(),
        None if passes_over(&row.cases, device) => TestCaseStatus::skipped(),
        None if cases().next().is_none() => TestCaseStatus::non_success(NonSuccessKind::Failure),
        None => return TestCaseStatus::success(),
    };
    let passed_over = passes_over(&row.cases, device).then_some(ONE_PORT);
    let why = row.why.or(passed_over);
    status.set_message(why.map_or_else(|| row.on(device), str::to_owned));
    if !printed.is_empty() {
        status.set_description(printed.join("\n"));
    }
    status
}

#[cfg(test)]
mod tests {
    use super::super::row::rows;
    use super::*;

    fn report(cases: &[(&str, bool)]) -> Report {
        let outcome = |held| match held {
            true => Outcome::Held,
            false => Outcome::Failed {
                printed: "left is not right".to_owned(),
            },
        };
        let result = |(case, held): &(&str, bool)| CaseResult::of(case, "small", &outcome(*held));
        let cases: Vec<CaseResult> = cases.iter().map(result).collect();
        let random = Random {
            what: "none".to_owned(),
            rows: [("CF002".to_owned(), 7)].into(),
            ..Random::default()
        };
        let devices = vec![MODEL.to_owned(), "small".to_owned()];
        let some = rows()
            .iter()
            .filter(|row| ["CF001", "CF002", "CF230", "CF541"].contains(&row.id.as_str()));
        Report::of(some, &cases, devices, random)
    }

    fn standings(report: &Report) -> Vec<(&str, Standing)> {
        let rows = report.rows.iter();
        rows.map(|row| (row.row.id.as_str(), row.standing)).collect()
    }

    #[test]
    fn a_row_needs_a_case_on_every_device() {
        let report = report(&[("a::model::cf001_cf002_x", true), ("a::hardware::cf002_x", true)]);
        assert!(!report.held());
        assert_eq!(
            standings(&report),
            [
                ("CF001", Standing::Unmet),
                ("CF230", Standing::Waits),
                ("CF541", Standing::Exempt),
                ("CF002", Standing::Met)
            ]
        );
        let text = report.text(false);
        assert!(
            text.contains("CF001  packet       1 held       no case           0  Header"),
            "{text}"
        );
        assert!(
            text.contains("waits: the adapter takes and sends no Raw packets"),
            "{text}"
        );
        assert!(text.contains("no case: a stall of the protocol above"), "{text}");
        assert!(
            text.ends_with(
                "FAILED: 4 rows: 1 met, 1 wait for what the adapter does not have yet, 1 without a case for another \
                 reason, 1 unmet\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_device_with_one_port_passes_over_what_needs_two() {
        let both = report(&[
            ("a::model::cf001_cf002_x", true),
            ("a::hardware::cf001_x", true),
            ("two_ports::a::model::cf002_y", true),
        ]);
        assert_eq!(
            standings(&both)[0],
            ("CF002", Standing::Unmet),
            "not of two ports alone"
        );
        let alone = report(&[
            ("a::model::cf001_x", true),
            ("a::hardware::cf001_x", true),
            ("two_ports::a::model::cf002_y", true),
        ]);
        assert!(alone.held());
        let text = alone.text(false);
        assert!(text.contains("1 held       one port          7  "), "{text}");
    }

    #[test]
    fn a_failed_case_leaves_its_rows_unmet() {
        let mut cases = vec![
            ("a::model::cf001_cf002_x", true),
            ("a::hardware::cf001_cf002_x", true),
        ];
        assert!(report(&cases).held());
        cases.push(("b::hardware::cf002_y", false));
        let report = report(&cases);
        assert_eq!(standings(&report)[0], ("CF002", Standing::Unmet));
        let text = report.text(false);
        assert!(text.contains("1 of 2 FAILED     7  "), "{text}");
        assert!(text.contains("FAILED on small: b::hardware::cf002_y\n"), "{text}");
        let mut junit = Vec::new();
        report.junit(&mut junit).unwrap();
        let junit = String::from_utf8(junit).unwrap();
        assert!(
            junit.contains("left is not right") && junit.contains("takes and sends no Raw packets"),
            "{junit}"
        );
        assert!(
            junit.contains("tests=\"8\" skipped=\"4\" failures=\"1\""),
            "{junit}"
        );
    }
}
