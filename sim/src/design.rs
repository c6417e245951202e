//! Builds the simulation of an exported adapter.
use crate::verilated::{Build, Error, Evaluation, Library, Lints, Source};
use hca_hdl::verilog::Design;

/// Builds the simulation of a design, or takes it from the cache. Any warning of Verilator is an error.
pub fn library(design: &Design) -> Result<Library, Error> {
    let files = design
        .modules
        .iter()
        .map(|module| (format!("{}.v", module.name), module.text.clone()));
    let build = Build {
        lints: Lints::Strict,
        trace: false,
        evaluation: Evaluation::Gated,
    };
    build.library(&Source::from_texts(&design.top, files))
}
