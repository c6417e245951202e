//! Runs all cases of a seed.
use super::case::{Batch, BATCH};
use super::hardware::Blocks;
use super::mismatch::Stop;
use super::{receive, transmit};
use crate::trace::drop_reason;
use std::collections::BTreeMap;

/// The counts of the cases, which are the same at each width.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub cases: u64,
    pub accepted: u64,
    /// Number of dropped packets by reason.
    pub dropped: BTreeMap<&'static str, u64>,
}

/// Runs cases 0 to `cases` on every block of their framing. `progress` is called with the number of cases done.
pub fn run(seed: u64, cases: u64, blocks: &[Blocks], mut progress: impl FnMut(u64)) -> Result<Summary, Stop> {
    let mut summary = Summary::default();
    for number in 0..cases.div_ceil(BATCH) {
        let batch = Batch::of(seed, number);
        let drawn = batch.cases(seed, cases)?;
        let mut judgements = Vec::new();
        for blocks in blocks.iter().filter(|b| b.link == batch.framing.hardware()) {
            judgements = receive::compare(&batch, &drawn, blocks, seed)?;
            transmit::compare(&batch, &drawn, blocks, seed)?;
        }
        summary.cases += drawn.len() as u64;
        for judgement in judgements {
            match judgement {
                Ok(_) => summary.accepted += 1,
                Err(malformed) => {
                    *summary
                        .dropped
                        .entry(drop_reason::name(malformed.reason))
                        .or_default() += 1;
                }
            }
        }
        progress(summary.cases);
    }
    Ok(summary)
}
