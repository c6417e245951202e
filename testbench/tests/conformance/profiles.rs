//! The cases on other profiles than the one of this run: those of two ports always, all of them in the nightly tier.
use hca_testbench::conformance::device::ONE_PORT;
use hca_testbench::conformance::program::PROFILE;
use std::process::Command;

/// Runs the cases whose names contain `filter` on the hardware of this profile. At least `least` of them are there.
fn hold(profile: &str, filter: &str, least: usize) {
    // This program runs itself: a run on another profile is not to start a third.
    if std::env::var_os(PROFILE).is_some() {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(PROFILE, profile).args([filter, "--show-output"]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{profile}:\n{text}");
    let passed = text
        .split("test result: ok. ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    assert!(
        passed.unwrap().parse::<usize>().unwrap() >= least,
        "{profile}:\n{text}"
    );
    let has_two_ports = hca_host::profile::by_name(profile).unwrap().ports() == 2;
    assert_eq!(
        text.contains(ONE_PORT),
        !has_two_ports && filter.is_empty(),
        "{profile}:\n{text}"
    );
}

#[test]
fn two_ports_hold() {
    hold("pair", "two_ports::", 60);
}

#[test]
fn every_case_holds_on_every_profile() {
    if std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly") {
        for profile in ["pair", "mid", "line"] {
            hold(profile, "", 1500);
        }
    }
}
