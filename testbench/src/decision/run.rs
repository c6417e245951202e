//! All cases of a seed.
use super::{Comparison, Kind, Subject};
use crate::report::side_by_side::{table, telling_field, Row};
use crate::wire::draw::Draw;
use hca_hdl::verilog::{Design, ExportError};
use hca_host::designs::Designs;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;
use hca_sim::wire::library;
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) type Run = fn(&mut DecisionBlock, u64, Range<u64>) -> Result<Summary, Stop>;

/// A decision block, built.
pub struct Hardware {
    kind: &'static Kind,
    block: DecisionBlock,
}

/// Why there is no block.
#[derive(Debug, thiserror::Error)]
pub enum HardwareError {
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Build(#[from] Error),
}

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

impl Hardware {
    /// Exports and builds the block, once for each design on a machine.
    pub fn new(designs: Designs, kind: &'static Kind) -> Result<Hardware, HardwareError> {
        Ok(Hardware::of(kind, &(designs.decision)(kind.block)?)?)
    }

    /// The same with another design of the block.
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
    /// Adds the results of other cases.
    pub fn add(&mut self, other: Summary) {
        self.cases += other.cases;
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
    }

    /// Outcomes of the kind that no case had.
    pub fn missing<'a>(&'a self, kind: &'a Kind) -> impl Iterator<Item = &'static str> + 'a {
        let met = |outcome: &&&str| !self.outcomes.contains_key(**outcome);
        kind.outcomes.iter().filter(met).copied()
    }
}

impl Mismatch {
    /// The most informative field.
    pub fn field(&self) -> &str {
        telling_field(&self.rows).unwrap_or("decision")
    }

    /// As text: the differences, the case, and the command that repeats it.
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
