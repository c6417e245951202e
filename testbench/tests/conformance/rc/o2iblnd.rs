//! The o2iblnd workload on two devices (`protocol/o2iblnd.md`): the scenario counts RNR NAKs, holds C and O to the depth,
//! and sees that one-way traffic goes on.
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn holds(options: &[&str]) {
    for seed in ["1", "2", "3"] {
        Command::cargo_bin("hca")
            .unwrap()
            .args(["cosim", "o2iblnd", "--seed", seed])
            .args(options)
            .assert()
            .success()
            .stdout(contains("messages one way").and(contains("nothing differed")));
    }
}

mod model {
    #[test]
    fn cf275_cf276_no_rnr_nak_and_no_stall() {
        super::holds(&["--golden-only"]);
        super::holds(&["--golden-only", "--link", "roce"]);
    }
}

mod hardware {
    use crate::bench::profile;

    #[test]
    fn cf275_cf276_no_rnr_nak_and_no_stall() {
        super::holds(&["--profile", profile().name]);
    }
}
