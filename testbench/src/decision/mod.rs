//! Compares single decisions: random contexts and events go both to the hardware's decision block and to the model's
//! function; the decisions must be equal, field by field.
//!
//! A case is a function of seed and number. `Subject` says how one decision is drawn, made by both, and compared.
mod admission;
mod comparison;
mod datagram;
mod duplicate;
mod flight;
mod limits;
mod request;
mod response;
mod run;
mod seek;
mod turn;
mod unreliable;

pub use comparison::Comparison;
pub use run::{Hardware, HardwareError, Mismatch, Stop, Summary};

use crate::wire::draw::Draw;
use hca_sim::decision::DecisionBlock;
use hca_sim::verilated::Error;
use std::fmt::Debug;

/// One kind of decision.
trait Subject {
    /// The model's context and event, and additional inputs of the hardware.
    type Case: Debug;
    const NAME: &'static str;
    /// Name of the block ([`Designs::decision`]).
    const BLOCK: &'static str;
    /// All outcomes that [`Comparison::outcome`] may get; a run should meet each.
    const OUTCOMES: &'static [&'static str];

    /// A case, near the limits more often than far from them.
    fn draw(draw: &mut Draw) -> Self::Case;
    /// Sets the inputs of the block. Inputs that are not set must not matter: they hold noise.
    fn put(case: &Self::Case, block: &mut DecisionBlock);
    /// Compares the model's decision with the block's.
    fn compare(case: &Self::Case, block: &mut DecisionBlock, c: &mut Comparison) -> Result<(), Error>;
}

/// A kind of decision, for a run.
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
pub const ALL: [Kind; 9] = [
    Kind::of::<admission::Inbound>(),
    Kind::of::<request::Request>(),
    Kind::of::<duplicate::Duplicate>(),
    Kind::of::<response::Answer>(),
    Kind::of::<turn::Turn>(),
    Kind::of::<seek::Seek>(),
    Kind::of::<unreliable::Unreliable>(),
    Kind::of::<datagram::Sending>(),
    Kind::of::<datagram::Receiving>(),
];

/// The kind with this name.
pub fn by_name(name: &str) -> Option<&'static Kind> {
    ALL.iter().find(|kind| kind.name == name)
}
