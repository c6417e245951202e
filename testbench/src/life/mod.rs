//! Random lives of a fabric: what software on both sides asks of its devices, legal and illegal, in any order, with traffic
//! between, and now and then a packet that nobody sent. A life is a list of [`Step`]s; each means something whatever came before it, so that any part of a life is one.
mod addresses;
mod amounts;
mod draw;
mod forged;
mod host;
mod limits;
mod places;
mod run;
mod software;
mod step;
mod terms;
mod traffic;
mod verbs;

pub use forged::{Base, Forged, Key};
pub use limits::Beyond;
pub use places::Places;
pub use run::{run, Ends};
pub use software::{Area, Software};
pub use step::{Act, Given, Operation, Receives, Step, Work};
pub use terms::Terms;
