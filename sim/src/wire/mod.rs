//! Runs the wire blocks by themselves: packets through the receive side of the link, and headers and payload through
//! its transmit side.
pub mod receive;
pub mod transmit;

use crate::graft::Graft;
use crate::verilated::{Build, Error, Evaluation, Library, Lints, Source};
use hca_hdl::verilog::Design;

/// Builds an exported block, with every warning an error; or the block from a mutated design, if the environment names
/// such a design.
pub fn library(design: &Design) -> Result<Library, Error> {
    if let Some(graft) = Graft::from_environment() {
        return graft?.library(design);
    }
    let files = design
        .modules
        .iter()
        .map(|module| (format!("{}.v", module.name), module.text.clone()));
    let build = Build {
        lints: Lints::Strict,
        trace: false,
        evaluation: Evaluation::Divided,
    };
    build.library(&Source::from_texts(&design.top, files))
}
