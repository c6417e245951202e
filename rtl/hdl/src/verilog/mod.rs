//! Width-exact Verilog of a rust-hdl block.
//!
//! Every operand that Verilog would widen to its context is emitted at exactly that context's
//! width, so that each sub-expression has the value that it has in the kernel. The steps:
//! `collect` walks the block, `elaborate` types and unrolls a kernel, `analysis` refuses
//! latches and unordered reads, `group` splits the kernel into independent assignments, and
//! `module` prints it.
mod analysis;
mod collect;
mod connect;
mod design;
mod driver;
mod elaborate;
mod error;
mod expression;
mod group;
mod index;
mod kind;
mod link;
mod module;
mod name;
mod operator;
mod print;
mod refuse;
mod scope;
mod select;
mod share;
mod statement;

pub use design::{Design, Direction, Module, Port};
pub use error::ExportError;

use rust_hdl_core::prelude::Block;

/// Exports `block` as the module `top`, and one module for each distinct block below it.
///
/// # Errors
/// Returns an error for anything that would make the Verilog differ from the kernels, or that a tool would refuse. The
/// error names the block's path and the signal.
pub fn export(block: &dyn Block, top: &str) -> Result<Design, ExportError> {
    let root = collect::collect(block, top)?;
    share::modules(&root, top)
}
