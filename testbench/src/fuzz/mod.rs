//! Random cases: a sequence of steps on two devices, in a frame of link, faults and timing. A case is a function of
//! seed and number; a failing case is shrunk, written to a small file, and described by its first difference.
pub mod campaign;
mod differed;
mod draw;
mod frames;
pub mod joined;
pub mod kind;
pub mod record;
mod run;
pub mod run_spec;
pub mod shard;
mod shrink;
pub mod store;
pub mod summary;

pub use differed::differed;
pub use draw::{draw, draw_on, Drawn};
pub use run::{run_case, Run, RunError};
pub use shrink::{shrink, Shrunk};
