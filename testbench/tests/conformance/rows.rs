//! Every row of `conformance.csv` about the reliable connection has its case, on the model and on the hardware. A case
//! names its rows: `cf059_cf061_a_gap`.
use std::collections::BTreeSet;
use std::process::Command;

/// `protocol/conformance.csv`.
const ROWS: &str = include_str!("conformance.csv");
/// Rows of these areas without a case here, and why.
const WITHOUT: &[(&str, &str)] = &[
    ("CF167", "the adapter has neither UC nor UD"),
    ("CF208", "the adapter has neither UC, UD nor RD"),
];

/// Row and area of each line but the title.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROWS.lines().skip(1).map(|line| {
        let mut fields = line.split(',');
        (fields.next().unwrap(), fields.next().unwrap())
    })
}

/// Areas of the reliable connection, of queue pairs and of completion queues.
fn is_of_rc(area: &str) -> bool {
    ["rc-", "credit-", "scenario", "qp", "cq"]
        .iter()
        .any(|of| area.starts_with(of))
}

/// Paths of all cases, as this very program registers them.
fn cases() -> Vec<String> {
    let own = std::env::current_exe().unwrap();
    let listed = Command::new(own)
        .args(["--list", "--format", "terse"])
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    names.map(str::to_owned).collect()
}

/// The rows that a case's name begins with.
fn rows_of(case: &str) -> impl Iterator<Item = String> + '_ {
    let name = case.rsplit("::").next().unwrap();
    let is_row = |word: &&str| {
        let digits = word.strip_prefix("cf").unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit())
    };
    name.split('_').take_while(is_row).map(str::to_uppercase)
}

fn rows_shown_on(device: &str, cases: &[String]) -> BTreeSet<String> {
    let shown = cases
        .iter()
        .filter(|case| case.contains(&format!("::{device}::")));
    shown.flat_map(|case| rows_of(case)).collect()
}

#[test]
fn every_row_of_the_reliable_connection_has_its_case_on_both_devices() {
    let cases = cases();
    let (model, hardware) = (rows_shown_on("model", &cases), rows_shown_on("hardware", &cases));
    let mut missing = Vec::new();
    for (row, area) in rows().filter(|(_, area)| is_of_rc(area)) {
        let shown = model.contains(row) && hardware.contains(row);
        match WITHOUT.iter().find(|(without, _)| *without == row) {
            Some((_, why)) => assert!(!shown, "{row} has a case, although: {why}"),
            None if !shown => missing.push((row, area)),
            None => {}
        }
    }
    assert_eq!(
        missing,
        [],
        "rows without a case named after them on both devices"
    );
}

#[test]
fn a_case_is_named_after_rows_that_exist() {
    let known: BTreeSet<_> = rows().map(|(row, _)| row.to_owned()).collect();
    assert_eq!(known.len(), 286);
    for case in cases() {
        for row in rows_of(&case) {
            assert!(known.contains(&row), "{case}: there is no {row}");
        }
    }
}
