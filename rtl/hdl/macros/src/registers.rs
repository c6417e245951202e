//! The registers of a kernel.
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprField, Ident, Member};

/// The registers of a kernel: each field `x` whose port `self.x.q` or `self.x.d` the kernel uses. They stand in the
/// order of their first use.
#[derive(Default)]
pub(crate) struct Registers(Vec<Ident>);

impl Registers {
    /// Returns the registers of the kernel `body`, which is not changed. Registers in arrays (`self.x[i]`) are left
    /// out.
    pub(crate) fn of(body: &mut Block) -> Vec<Ident> {
        let mut registers = Self::default();
        registers.visit_block_mut(body);
        registers.0
    }
}

impl VisitMut for Registers {
    fn visit_expr_field_mut(&mut self, field: &mut ExprField) {
        if let (Member::Named(port), Expr::Field(block)) = (&field.member, field.base.as_ref()) {
            let of_self = matches!(block.base.as_ref(), Expr::Path(path) if path.path.is_ident("self"));
            if let (true, Member::Named(name)) = (of_self && (port == "q" || port == "d"), &block.member) {
                if !self.0.contains(name) {
                    self.0.push(name.clone());
                }
            }
        }
        visit_mut::visit_expr_field_mut(self, field);
    }
}
