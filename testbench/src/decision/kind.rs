//! One of the decisions.
use super::summary::{Stop, Summary};
use hca_sim::decision::DecisionBlock;
use std::ops::Range;

pub(super) type Run = fn(&mut DecisionBlock, u64, Range<u64>) -> Result<Summary, Stop>;

/// A kind of decision, for a run.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    /// Name of its block ([`Designs::decision`](hca_host::designs::Designs::decision)).
    pub block: &'static str,
    pub outcomes: &'static [&'static str],
    pub(super) run: Run,
}
