//! A case of random tests, as a file holds it: a frame, and the steps of a life. The modules define the meaning of each
//! part and the ranges of its numbers.
pub mod beyond;
mod case_file;
pub mod datagram;
pub mod forged;
pub mod frame;
pub mod lanes;
pub mod limits;
pub mod link_layer;
pub mod second_port;
pub mod step;
pub mod terms;

pub use beyond::Beyond;
pub use case_file::{all_in, Case, CaseError, Unwritable};
pub use datagram::{Address, Destination, QKey};
pub use forged::{Base, Forged, ForgedLink, Key};
pub use link_layer::{LinkLayer, SlowVl};
pub use second_port::SecondPort;
pub use step::{Act, Given, Operation, PKey, Receives, Step, Volley, Work};
pub use terms::Terms;
