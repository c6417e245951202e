//! Every row of `conformance.csv` has its case, on the model and on the hardware, or a reason why not. A case names its
//! rows: `cf059_cf061_a_gap`.
use hca_host::profile::ALL;
use hca_testbench::conformance::device::{device_of, needs_two_ports, rows_of, Device};
use hca_testbench::conformance::program::Program;
use hca_testbench::conformance::reason::why_without;
use hca_testbench::conformance::row::rows;
use std::collections::BTreeSet;

/// Paths of all cases, as this very program registers them.
fn cases() -> Vec<String> {
    let own = Program::new(std::env::current_exe().unwrap());
    own.cases().unwrap()
}

/// Rows with a case for this device. A case for hardware that no profile describes shows nothing yet.
fn rows_shown_on(device: Device, cases: &[String]) -> BTreeSet<String> {
    let ports = ALL.iter().map(|profile| profile.ports()).max();
    let is_shown = |case: &&String| device == Device::Model || ports > Some(1) || !needs_two_ports(case);
    let shown = cases
        .iter()
        .filter(|case| device_of(case) == device)
        .filter(is_shown);
    shown.flat_map(|case| rows_of(case)).collect()
}

#[test]
fn every_row_has_its_case_on_both_devices_or_a_reason() {
    let cases = cases();
    let [model, hardware] = [Device::Model, Device::Hardware].map(|device| rows_shown_on(device, &cases));
    let mut missing = Vec::new();
    for row in rows() {
        let shown = model.contains(&row.id) && hardware.contains(&row.id);
        match why_without(&row.id) {
            Some(why) => assert!(!shown, "{} has a case, although: {why}", row.id),
            None if !shown => missing.push((&row.id, &row.area)),
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
    let known: BTreeSet<&str> = rows().iter().map(|row| row.id.as_str()).collect();
    for case in cases() {
        for row in rows_of(&case) {
            assert!(known.contains(row.as_str()), "{case}: there is no {row}");
        }
    }
}
