//! `hca bench link --shares`: on a whole adapter each VL has its share of the bytes by the arbitration tables
//! (`protocol/link.md` section 6; CF268 to CF270).
use assert_cmd::Command;

fn nightly() -> bool {
    std::env::var("HCA_TIER").is_ok_and(|tier| tier == "nightly")
}

/// Measured shares in percent, in the order of the lines.
fn measured(profile: &str) -> Vec<f64> {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(["bench", "link", "--profile", profile, "--shares"]);
    let output = command.output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let last = |line: &str| line.split_whitespace().last()?.strip_suffix('%')?.parse().ok();
    text.lines().skip(2).filter_map(last).collect()
}

/// Each share within one percent of the link.
fn assert_shares(profile: &str, expected: &[f64]) {
    let measured = measured(profile);
    assert_eq!(measured.len(), expected.len());
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1.0;
    assert!(
        measured.iter().zip(expected).all(near),
        "{profile}: {measured:?} in place of {expected:?}"
    );
}

#[test]
fn of_two_vls() {
    assert_shares("small", &[33.3, 66.7, 20.0, 80.0, 40.7, 59.3]);
}

#[test]
fn of_four_and_eight_vls() {
    if nightly() {
        let high = [6.7, 6.7, 6.7, 80.0];
        let both = [29.6, 59.3, 5.6, 5.6];
        assert_shares("mid", &[&[10.0, 20.0, 30.0, 40.0], &high[..], &both].concat());
        let low = [2.8, 5.6, 8.3, 11.1, 13.9, 16.7, 19.4, 22.2];
        let high = [2.9, 2.9, 2.9, 2.9, 2.9, 2.9, 2.9, 80.0];
        let both = [29.6, 59.3, 1.9, 1.9, 1.9, 1.9, 1.9, 1.9];
        assert_shares("line", &[&low[..], &high, &both].concat());
    }
}
