//! How one decision is drawn, made by both sides, and compared.
use super::comparison::Comparison;
use crate::wire::draw::Draw;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;
use std::fmt::Debug;

/// One kind of decision.
pub(super) trait Subject {
    /// The model's context and event, and additional inputs of the hardware.
    type Case: Debug;
    const NAME: &'static str;
    /// Name of the block ([`Designs::decision`]).
    const BLOCK: &'static str;
    /// All outcomes that [`Comparison::outcome`] may get; a run should meet each.
    const OUTCOMES: &'static [&'static str];

    /// Draws a case, near the limits more often than far from them.
    fn draw(draw: &mut Draw) -> Self::Case;
    /// Sets the inputs of the block. Other inputs hold noise and must not matter.
    fn put(case: &Self::Case, block: &mut DecisionBlock);
    /// Compares the model's decision with the block's.
    fn compare(case: &Self::Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error>;
}
