//! Statements for blocks whose logic is computed at elaboration.
use rust_hdl_core::ast::{VerilogExpression, VerilogLiteral, VerilogOp, VerilogOpUnary, VerilogStatement};
use rust_hdl_core::prelude::*;

pub(super) fn signal(name: impl Into<String>) -> VerilogExpression {
    VerilogExpression::Signal(name.into())
}

fn number(value: usize) -> VerilogExpression {
    VerilogExpression::Literal(VerilogLiteral::from(value as u32))
}

/// Returns `width` bits of `vector` from bit `offset` up.
pub(super) fn slice(vector: &str, width: usize, offset: usize) -> VerilogExpression {
    VerilogExpression::Slice(Box::new(signal(vector)), width, Box::new(number(offset)))
}

/// Returns an assignment to `width` bits of `target` from bit `offset` up.
pub(super) fn assign(
    target: &str,
    width: usize,
    offset: usize,
    value: VerilogExpression,
) -> VerilogStatement {
    VerilogStatement::SliceAssignment {
        base: signal(target),
        width,
        offset: number(offset),
        replacement: value,
    }
}

/// Returns the exclusive or of the bits of `vector` that `mask` selects. It is one expression, which a simulator
/// evaluates a word at a time; a tree of single bits costs twenty times as much.
pub(super) fn masked_parity<const W: usize>(vector: &str, mask: Bits<W>) -> VerilogExpression {
    let mask = VerilogExpression::Literal(mask.into());
    let bits = VerilogExpression::Binary(Box::new(signal(vector)), VerilogOp::BitAnd, Box::new(mask));
    let bits = VerilogExpression::Paren(Box::new(bits));
    VerilogExpression::Unary(VerilogOpUnary::Xor, Box::new(bits))
}

/// Returns a combinational block of `statements` whose module is called `name`.
pub(super) fn module(name: String, statements: impl IntoIterator<Item = VerilogStatement>) -> Verilog {
    let marker = format!("{}{name}", super::module_name::MODULE_MARKER);
    Verilog::Combinatorial(
        std::iter::once(VerilogStatement::Comment(marker))
            .chain(statements)
            .collect(),
    )
}
