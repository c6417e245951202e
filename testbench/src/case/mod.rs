//! A case of random tests, as a file holds it: a frame, and the steps of a life. The modules define the meaning of each
//! part and the ranges of its numbers.
pub mod beyond;
pub mod datagram;
mod file;
pub mod forged;
pub mod frame;
pub mod limits;
pub mod step;
pub mod terms;

pub use beyond::Beyond;
pub use datagram::{Address, Destination, QKey};
pub use file::{all_in, Case, CaseError, Unwritable};
pub use forged::{Base, Forged, ForgedLink, Key};
pub use step::{Act, Given, Operation, PKey, Receives, Step, Volley, Work};
pub use terms::Terms;
