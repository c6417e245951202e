//! The record of a case: a line of JSON.
use super::kind::Kind;
use super::run::Run;
use crate::case::Case;
use crate::scoreboard::requirement::Rows;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A case that has run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub index: u64,
    pub cycles: u64,
    pub packets: u64,
    pub completions: u64,
    pub decisions: u64,
    /// Digest of the run, in hexadecimal.
    pub digest: String,
    /// Rows of the conformance table that the run exercised.
    pub rows: Rows,
    /// What the case draws of the link layer.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub drawn: BTreeSet<Kind>,
    /// The first difference; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differed: Option<String>,
}

impl Record {
    /// Makes the record of a run of this case.
    pub fn of(case: &Case, run: &Run, differed: Option<String>) -> Record {
        Record {
            index: case.index,
            cycles: run.cycles,
            packets: run.packets,
            completions: run.completions,
            decisions: run.decisions,
            digest: format!("{:016x}", run.digest),
            rows: run.rows,
            drawn: Kind::all_of(case),
            differed,
        }
    }

    /// Makes the record of a case that crashed its process.
    pub fn of_death(index: u64, how: &str) -> Record {
        Record {
            index,
            cycles: 0,
            packets: 0,
            completions: 0,
            decisions: 0,
            digest: format!("{:016x}", 0),
            rows: Rows::default(),
            drawn: BTreeSet::new(),
            differed: Some(format!("the simulation died: {how}")),
        }
    }
}
