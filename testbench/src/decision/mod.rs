//! The engines' decisions as blocks: random contexts and events straight into the hardware's decision block and into
//! the model's function; what they decide must be the same, field by field.
//!
//! A case is a function of seed and number. `Subject` says how one decision is drawn, put to both, and compared.
mod admission;
mod comparison;
mod duplicate;
mod flight;
mod limits;
mod request;
mod response;
mod run;
mod seek;
mod turn;

pub use comparison::Comparison;
pub use run::{Hardware, HardwareError, Mismatch, Stop, Summary};

use crate::wire::draw::Draw;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;
use std::fmt::Debug;

/// One kind of decision.
trait Subject {
    /// The model's context and event, and what only the hardware is told beside them.
    type Case: Debug;
    const NAME: &'static str;
    /// Name of the block ([`Designs::decision`]).
    const BLOCK: &'static str;
    /// Everything that [`Comparison::outcome`] may be told; a run should meet each.
    const OUTCOMES: &'static [&'static str];

    /// A case, near the limits more often than far from them.
    fn draw(draw: &mut Draw) -> Self::Case;
    /// Puts the case to the block. Inputs that are not set must not matter: they hold noise.
    fn put(case: &Self::Case, block: &mut DecisionBlock);
    /// Compares what the model decides with what the block has decided.
    fn compare(case: &Self::Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error>;
}

/// A kind of decision, as a run takes it.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    /// Name of its block ([`Designs::decision`]).
    pub block: &'static str,
    pub outcomes: &'static [&'static str],
    run: run::Run,
}

impl Kind {
    const fn of<S: Subject>() -> Kind {
        Kind {
            name: S::NAME,
            block: S::BLOCK,
            outcomes: S::OUTCOMES,
            run: run::run::<S>,
        }
    }
}

/// Every kind.
pub const ALL: [Kind; 6] = [
    Kind::of::<admission::Inbound>(),
    Kind::of::<request::Request>(),
    Kind::of::<duplicate::Duplicate>(),
    Kind::of::<response::Answer>(),
    Kind::of::<turn::Turn>(),
    Kind::of::<seek::Seek>(),
];

/// The kind of that name.
pub fn by_name(name: &str) -> Option<&'static Kind> {
    ALL.iter().find(|kind| kind.name == name)
}
