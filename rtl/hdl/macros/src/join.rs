//! Statements that stand for assignments to a list of ports.
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Error, Expr, Macro, Result, Stmt, Token};

/// Puts assignments in the place of the statements that stand for them.
#[derive(Default)]
pub(crate) struct Joins {
    /// Why a statement stands for none.
    pub(crate) error: Option<Error>,
}

impl VisitMut for Joins {
    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in std::mem::take(&mut block.stmts) {
            let assignments = match &statement {
                Stmt::Macro(statement) => assignments(&statement.mac),
                _ => None,
            };
            match assignments {
                None => block.stmts.push(statement),
                Some(Ok(assignments)) => block.stmts.extend(assignments),
                Some(Err(error)) => self.error = Some(error),
            }
        }
        visit_mut::visit_block_mut(self, block);
    }
}

/// The assignments that a statement stands for, if it is one of the table of [`macro@crate::kernel`].
fn assignments(statement: &Macro) -> Option<Result<Vec<Stmt>>> {
    let name = statement.path.get_ident()?.to_string();
    let blocks = match name.as_str() {
        "inputs" | "outputs" | "clock_and_reset" | "clear" => 1,
        "wires" => 2,
        "clock" | "dff_setup" if has_index(statement) => 2,
        _ => return None,
    };
    let arguments = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(statement.tokens.clone());
    Some(arguments.and_then(|arguments| {
        let arguments: Vec<Expr> = arguments.into_iter().collect();
        if arguments.len() <= blocks {
            let message = format!("`{name}!` takes {blocks} blocks or ports, and then a list");
            return Err(Error::new_spanned(statement, message));
        }
        let (ends, names) = arguments.split_at(blocks);
        let renames = matches!(name.as_str(), "inputs" | "outputs" | "wires");
        if let Some(pair) = names.iter().find(|x| !renames && matches!(x, Expr::Assign(_))) {
            return Err(Error::new_spanned(pair, format!("`{name}!` takes names alone")));
        }
        let second = match name.as_str() {
            "dff_setup" => Some("kept"),
            "clock_and_reset" => Some("reset"),
            _ => None,
        };
        let second = second.map(|second| names.iter().map(move |x| assignment(second, ends, x)));
        Ok(names
            .iter()
            .map(|x| assignment(&name, ends, x))
            .chain(second.into_iter().flatten())
            .collect())
    }))
}

/// Whether a name of the list has an index.
fn has_index(statement: &Macro) -> bool {
    let arguments = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(statement.tokens.clone());
    arguments.is_ok_and(|arguments| arguments.iter().any(|x| matches!(x, Expr::Index(_))))
}

/// The assignment for one name `x` of the list, or for one pair `x = y` of names.
fn assignment(statement: &str, ends: &[Expr], x: &Expr) -> Stmt {
    let (x, y) = match x {
        Expr::Assign(pair) => (pair.left.as_ref(), pair.right.as_ref()),
        _ => (x, x),
    };
    match (statement, ends) {
        ("inputs", [child]) => parse_quote!(#child.#x.next = self.#y.val();),
        ("outputs", [child]) => parse_quote!(self.#x.next = #child.#y.val();),
        ("wires", [from, to]) => parse_quote!(#to.#x.next = #from.#y.val();),
        ("clear", [block]) => parse_quote!(#block.#x.d.next = bits_cleared(0, #block.#x.q.val());),
        ("kept", [block, _]) => parse_quote!(#block.#x.d.next = #block.#x.q.val();),
        ("clock" | "dff_setup", [block, clock]) => parse_quote!(#block.#x.clock.next = #block.#clock.val();),
        ("clock_and_reset", [block]) => parse_quote!(#block.#x.clock.next = #block.clock.val();),
        ("reset", [block]) => parse_quote!(#block.#x.reset.next = #block.reset.val();),
        _ => unreachable!("`assignments` knows them all"),
    }
}
