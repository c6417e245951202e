//! Random sequences on a fabric. Software on both sides makes legal and illegal requests of its devices in any order,
//! with traffic between them, and sometimes forged packets. A sequence is a list of [`Step`](crate::case::Step)s. The
//! meaning of a step does not depend on earlier ones, so that any part of a sequence is a sequence, too.
mod addresses;
mod amounts;
mod area;
mod datagrams;
mod draw;
mod forge;
mod handles;
mod host;
mod link_layer;
mod places;
mod queue_pairs;
mod regions;
mod routes;
mod sequence;
mod software;
mod terms;
mod traffic;
mod verbs;
mod virtual_lanes;

pub use area::Area;
pub use places::Places;
pub use sequence::{run, Ends};
pub use software::Software;
