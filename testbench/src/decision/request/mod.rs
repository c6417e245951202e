//! The outcome of an admitted request (`responder.md` section 1 steps 9 to 15, sections 2 to 7).
mod case;
pub(super) mod compare;
pub(super) mod drawn;
pub(super) mod put;

pub(super) use case::Case;

use super::comparison::Comparison;
use super::subject::Subject;
use crate::wire::draw::Draw;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;

pub(super) struct Request;

impl Subject for Request {
    type Case = Case;
    const NAME: &'static str = "request";
    const BLOCK: &'static str = "request_outcome";
    const OUTCOMES: &'static [&'static str] = compare::OUTCOMES;

    fn draw(draw: &mut Draw) -> Case {
        Case::draw(draw)
    }

    fn put(case: &Case, block: &mut DecisionBlock) {
        put::put(case, block);
    }

    fn compare(case: &Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error> {
        compare::compare(case, block, c);
        Ok(())
    }
}
