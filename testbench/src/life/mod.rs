//! Random sequences on a fabric: software on both sides asks its devices for legal and illegal things in any order,
//! with traffic between them, and sometimes a forged packet. A sequence is a list of [`Step`](crate::case::Step)s; the
//! meaning of a step does not depend on earlier ones, so that any part of a sequence is one, too.
mod addresses;
mod amounts;
mod area;
mod datagrams;
mod draw;
mod forge;
mod handles;
mod host;
mod places;
mod sequence;
mod software;
mod terms;
mod traffic;
mod verbs;

pub use area::Area;
pub use places::Places;
pub use sequence::{run, Ends};
pub use software::Software;
