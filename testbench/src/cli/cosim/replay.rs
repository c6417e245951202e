//! The command that runs a scenario again.
use super::super::link::Link;
use super::super::words::quoted;
use super::arguments::{Arguments, PATIENCE};
use crate::scenario::Scenario;
use hca_golden::verbs::Pmtu;

impl Arguments {
    /// Returns the command that runs the scenario again, with waves if there are any.
    pub(super) fn replay(&self, scenario: &Scenario, seed: u64) -> String {
        let mut words = vec!["scripts/cosim".to_owned(), scenario.name().to_owned()];
        if let (Scenario::Send { .. }, Some(path)) = (scenario, &self.payload) {
            words.push(format!("--payload {}", quoted(path)));
            if let Some(size) = self.message_size {
                words.push(format!("--message-size {size}"));
            }
            if let Some(pmtu) = self.pmtu {
                words.push(format!("--pmtu {}", Pmtu::from(pmtu).bytes()));
            }
        }
        if let (Scenario::Soak(_), Some(packets)) = (scenario, self.packets) {
            words.push(format!("--packets {packets}"));
        }
        if let (Scenario::Soak(_), Some(lost)) = (scenario, self.lost) {
            words.push(format!("--lost {lost}"));
        }
        words.push(format!("--seed {seed}"));
        words.push(format!("--profile {}", self.profile()));
        if self.link() != Link::Ib {
            words.push(format!("--link {}", self.link().name()));
        }
        if self.patience() != PATIENCE {
            words.push(format!("--patience {}", self.patience()));
        }
        if let Some(dut) = &self.dut {
            words.push(format!("--dut {}", quoted(dut)));
        }
        if self.variant.select != 0 {
            words.push(format!("--select {}", self.variant.select));
        }
        words.push(
            if self.golden_only {
                "--golden-only"
            } else {
                "--fst waves.fst"
            }
            .to_owned(),
        );
        words.join(" ")
    }
}
