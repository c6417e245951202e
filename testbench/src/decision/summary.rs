//! The results of a run of a decision.
use crate::report::side_by_side::{table, telling_field, Row};
use hca_sim::verilated::Error;
use std::collections::BTreeMap;

/// Results of the cases.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub cases: u64,
    /// How often each outcome was met.
    pub outcomes: BTreeMap<&'static str, u64>,
}

/// A case in which the decisions of hardware and model differ.
#[derive(Debug)]
pub struct Mismatch {
    pub decision: &'static str,
    pub case: u64,
    /// The model's context and event, as text.
    pub about: String,
    /// The model's fields beside the hardware's.
    pub rows: Vec<Row>,
}

/// Why a run ends early.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    #[error("the hardware decides otherwise in case {} of {}", .0.case, .0.decision)]
    Mismatch(Box<Mismatch>),
    #[error(transparent)]
    Build(#[from] Error),
}

impl Summary {
    /// Adds the results of other cases.
    pub fn add(&mut self, other: Summary) {
        self.cases += other.cases;
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
    }
}

impl Mismatch {
    /// Returns the most informative field.
    pub fn field(&self) -> &str {
        telling_field(&self.rows).unwrap_or("decision")
    }

    /// Returns the mismatch as text: the differences, the case, and the command that repeats it.
    pub fn render(&self, seed: u64, replay: &str) -> String {
        format!(
            "DIFFERS: decision {}, seed {seed}, case {}: {}\n\n{}\n{}\n\nAgain: {replay}\n",
            self.decision,
            self.case,
            self.field(),
            table(&self.rows, ["model", "hardware"]),
            self.about,
        )
    }
}
