//! The outcome of a response, and of an expired ack timer (`requester.md` sections 5 to 7).
mod case;
mod compare;

pub(super) use case::Case;

use super::comparison::Comparison;
use super::subject::Subject;
use crate::wire::draw::Draw;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

pub(super) struct Answer;

impl Subject for Answer {
    type Case = Case;
    const NAME: &'static str = "response";
    const BLOCK: &'static str = "response_outcome";
    const OUTCOMES: &'static [&'static str] = compare::OUTCOMES;

    fn draw(draw: &mut Draw) -> Case {
        Case::draw(draw)
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        case.put(block);
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        compare::compare(case, block, c);
        Ok(())
    }
}
