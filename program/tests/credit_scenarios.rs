//! The scenarios of end-to-end credits and of credits of the link, and what credits save, on two models.
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

const FIGURES: [&str; 5] = [
    "credits-initial", "credits-figure", "credits-non-consuming", "credits-none", "credits-wrap",
];

fn hca(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hca").unwrap();
    command.args(arguments);
    command
}

#[test]
fn every_figure_holds_on_two_models() {
    for (seed, link) in [("1", "ib"), ("2", "roce"), ("3", "ib")] {
        for scenario in FIGURES {
            hca(&["cosim", scenario, "--golden-only", "--seed", seed, "--link", link])
                .assert()
                .success()
                .stdout(contains("decision").and(contains("nothing differed")));
        }
    }
}

/// Credits of the link: the ports of two models become Active and stay so.
#[test]
fn services_hold_by_the_credits_of_a_link_of_two_models() {
    for scenario in ["services-credits", "services-credits-loss-20"] {
        for seed in ["1", "2", "3", "4"] {
            hca(&["cosim", scenario, "--golden-only", "--seed", seed])
                .assert()
                .success()
                .stdout(contains("nothing differed"));
        }
    }
}

#[test]
fn nothing_starves() {
    for seed in ["1", "2", "3", "4"] {
        hca(&["cosim", "credits-starvation", "--golden-only", "--seed", seed])
            .assert()
            .success()
            .stdout(contains("credit codes advertised: 31 of 31").and(contains("nothing differed")));
    }
}

#[test]
fn late_credits_hold_nothing_up_for_ever() {
    for seed in ["1", "2"] {
        hca(&["cosim", "credits-late", "--golden-only", "--seed", seed])
            .assert()
            .success()
            .stdout(contains("nothing differed"));
    }
}

#[test]
fn what_credits_do_breaks_no_rule_of_traffic() {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("packets.pcap");
    for scenario in FIGURES.iter().chain(&["credits-late"]) {
        for seed in ["1", "2"] {
            hca(&["cosim", scenario, "--golden-only", "--seed", seed, "--pcap"])
                .arg(&pcap)
                .assert()
                .success();
            hca(&["check"])
                .arg(&pcap)
                .assert()
                .success()
                .stdout(contains("no rule is broken"));
        }
    }
}

/// RNR NAKs and packets sent again, without and with credits.
#[test]
fn credits_save_packets() {
    for seed in ["1", "2", "3"] {
        let output = hca(&["bench", "credits", "--golden-only", "--seed", seed])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let row = |name: &str| -> Vec<u64> {
            let line = text.lines().find(|l| l.trim_start().starts_with(name));
            let numbers = line
                .unwrap_or_else(|| panic!("no row {name}:\n{text}"))
                .split_whitespace();
            numbers.skip(1).map(|number| number.parse().unwrap()).collect()
        };
        let (off, on) = (row("off "), row("on "));
        assert!(2 * on[1] < off[1], "sent again:\n{text}");
    }
}
