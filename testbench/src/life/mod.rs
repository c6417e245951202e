//! Random lives of a fabric: what software on both sides asks of its devices, legal and illegal, in any order, with traffic
//! between, and now and then a packet that nobody sent. A life is a list of [`Step`](crate::case::Step)s; each means something whatever came before it, so that any part of a life is one.
mod addresses;
mod amounts;
mod draw;
mod forge;
mod host;
mod places;
mod run;
mod software;
mod terms;
mod traffic;
mod verbs;

pub use places::Places;
pub use run::{run, Ends};
pub use software::{Area, Software};
