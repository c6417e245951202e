//! Compares single decisions: the hardware's decision block and the model's function get the same random contexts and
//! events, and their decisions must be equal, field by field.
//!
//! A case is a function of seed and number. `Subject` says how one decision is drawn, made by both sides, and compared.
mod admission;
mod comparison;
mod datagram;
mod duplicate;
mod flight;
mod kind;
mod limits;
mod request;
mod response;
mod run;
mod seek;
mod subject;
mod summary;
mod turn;
mod unreliable;
mod unreliable_turn;

pub use comparison::Comparison;
pub use kind::Kind;
pub use run::{Hardware, HardwareError};
pub use summary::{Mismatch, Stop, Summary};

use subject::Subject;

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
pub const ALL: [Kind; 10] = [
    Kind::of::<admission::Inbound>(),
    Kind::of::<request::Request>(),
    Kind::of::<duplicate::Duplicate>(),
    Kind::of::<response::Answer>(),
    Kind::of::<turn::Turn>(),
    Kind::of::<unreliable_turn::UnreliableTurn>(),
    Kind::of::<seek::Seek>(),
    Kind::of::<unreliable::Unreliable>(),
    Kind::of::<datagram::Sending>(),
    Kind::of::<datagram::Receiving>(),
];

/// The kind with this name.
pub fn by_name(name: &str) -> Option<&'static Kind> {
    ALL.iter().find(|kind| kind.name == name)
}
