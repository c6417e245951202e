//! The wire blocks by themselves: packets through the link's receive side, headers and payload through its transmit
//! side.
pub mod receive;
pub mod transmit;

use crate::verilated::{Build, Error, Library, Lints, Source};
use hca_rtl::verilog::Design;

/// Builds an exported block, every warning an error.
pub fn library(design: &Design) -> Result<Library, Error> {
    let files = design
        .modules
        .iter()
        .map(|module| (format!("{}.v", module.name), module.text.clone()));
    let build = Build {
        lints: Lints::Strict,
        trace: false,
    };
    build.library(&Source::from_texts(&design.top, files))
}
