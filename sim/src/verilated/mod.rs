//! Builds a running model from Verilog: Verilator, C++, a shared object, cached by the hash of all inputs.
//!
//! [`Source`] is the Verilog, [`Build`] makes a [`Library`] of it (or finds it in the cache), and a [`Model`] is one
//! instance of the design: set input ports, [`eval`](Model::eval), read output ports. The caller runs the clock.
mod build;
mod cache;
mod compiler;
mod error;
mod evaluation;
mod gate;
mod header;
mod model;
mod port;
mod process;
mod shim;
mod source;
mod tools;
mod wave;

pub use build::{Build, Lints};
pub use cache::target_dir;
pub use error::Error;
pub use evaluation::Evaluation;
pub use model::{Library, Model};
pub use port::{Direction, Port, PortInfo};
pub use process::{end_builds, keep_builds_apart};
pub use source::{Source, VerilogFile};
pub use tools::Tools;
