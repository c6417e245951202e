//! The name of a block's Verilog module.

/// A comment that starts with this word names the module: `comment!("@module packet_builder")`.
pub(crate) const MODULE_MARKER: &str = "@module ";

/// Puts a comment into the Verilog of a kernel; it does nothing in the simulation.
///
/// `comment!("@module NAME")` names the module itself.
#[macro_export]
macro_rules! comment {
    ($($text:tt)*) => {};
}
