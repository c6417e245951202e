//! Runs all cases of a seed.
use super::comparison::Comparison;
use super::kind::Kind;
use super::subject::Subject;
use super::summary::{Mismatch, Stop, Summary};
use crate::wire::draw::Draw;
use hca_hdl::verilog::{Design, ExportError};
use hca_host::designs::Designs;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;
use hca_sim::wire::library;
use std::ops::Range;

/// A decision block, built.
pub struct Hardware {
    kind: &'static Kind,
    block: DecisionBlock,
}

/// Why a block cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum HardwareError {
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Build(#[from] Error),
}

impl Hardware {
    /// Exports and builds the block, once for each design on a machine.
    pub fn new(designs: Designs, kind: &'static Kind) -> Result<Hardware, HardwareError> {
        Ok(Hardware::of(kind, &(designs.decision)(kind.block)?)?)
    }

    /// Builds another design of the block.
    pub fn of(kind: &'static Kind, design: &Design) -> Result<Hardware, Error> {
        Ok(Hardware {
            kind,
            block: DecisionBlock::new(design, &library(design)?)?,
        })
    }

    /// Runs these cases of a seed.
    pub fn run(&mut self, seed: u64, cases: Range<u64>) -> Result<Summary, Stop> {
        (self.kind.run)(&mut self.block, seed, cases)
    }
}

impl Summary {
    /// Returns the outcomes of the kind that no case had.
    pub fn missing<'a>(&'a self, kind: &'a Kind) -> impl Iterator<Item = &'static str> + 'a {
        let met = |outcome: &&&str| !self.outcomes.contains_key(**outcome);
        kind.outcomes.iter().filter(met).copied()
    }
}

pub(super) fn run<S: Subject>(
    block: &mut DecisionBlock,
    seed: u64,
    cases: Range<u64>,
) -> Result<Summary, Stop> {
    let mut summary = Summary::default();
    let mut comparison = Comparison::default();
    for number in cases {
        comparison.clear();
        one::<S>(block, seed, number, &mut comparison)?;
        if comparison.differs() {
            let mut full = Comparison::in_full();
            let case = one::<S>(block, seed, number, &mut full)?;
            return Err(Stop::Mismatch(Box::new(Mismatch {
                decision: S::NAME,
                case: number,
                about: format!("{case:#?}"),
                rows: full.into_rows(),
            })));
        }
        summary.cases += 1;
        for outcome in comparison.outcomes() {
            *summary.outcomes.entry(outcome).or_default() += 1;
        }
    }
    Ok(summary)
}

fn one<S: Subject>(
    block: &mut DecisionBlock,
    seed: u64,
    number: u64,
    comparison: &mut Comparison,
) -> Result<S::Case, Error> {
    let mut draw = Draw::new(seed, number);
    let case = S::draw(&mut draw);
    block.fill(|bytes| draw.fill(bytes));
    S::put(&case, block);
    block.settle()?;
    S::compare(&case, block, comparison)?;
    Ok(case)
}
