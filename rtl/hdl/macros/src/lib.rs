//! The attribute `kernel` ([`macro@kernel`]).
use proc_macro::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_macro_input, parse_quote, Block, Error, Expr, ImplItemFn, Macro, Result, Stmt, Token};

/// A kernel of rust-hdl that may join ports of the same name in a line.
///
/// | statement | stands for each port `x` of the list for |
/// |---|---|
/// | `inputs!(self.a, x, y)` | `self.a.x.next = self.x.val();` |
/// | `outputs!(self.a, x, y)` | `self.x.next = self.a.x.val();` |
/// | `wires!(self.a, self.b, x, y)` | `self.b.x.next = self.a.x.val();` |
/// | `clock_and_reset!(self, x, y)` | `self.x.clock.next = self.clock.val();` and the same of `reset`; `x` is a child |
/// | `clock!(self, clock, a[i])` | `self.a[i].clock.next = self.clock.val();` |
/// | `dff_setup!(self, clock, a[i])` | the same, and `self.a[i].d.next = self.a[i].q.val();` |
///
/// The last two stand for themselves if their list has names alone.
///
/// # Errors
/// A statement that names too few blocks does not compile.
#[proc_macro_attribute]
pub fn kernel(_: TokenStream, function: TokenStream) -> TokenStream {
    let mut function = parse_macro_input!(function as ImplItemFn);
    let mut joins = Joins { error: None };
    joins.visit_block_mut(&mut function.block);
    match joins.error {
        Some(error) => error.into_compile_error().into(),
        None => quote!(#[hdl_gen] #function).into(),
    }
}

/// Puts assignments in the place of the statements that stand for them.
struct Joins {
    error: Option<Error>,
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

/// The assignments that a statement stands for, if it is one of the table.
fn assignments(statement: &Macro) -> Option<Result<Vec<Stmt>>> {
    let name = statement.path.get_ident()?.to_string();
    let blocks = match name.as_str() {
        "inputs" | "outputs" | "clock_and_reset" => 1,
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

/// The assignment for one name `x` of the list.
fn assignment(statement: &str, ends: &[Expr], x: &Expr) -> Stmt {
    match (statement, ends) {
        ("inputs", [child]) => parse_quote!(#child.#x.next = self.#x.val();),
        ("outputs", [child]) => parse_quote!(self.#x.next = #child.#x.val();),
        ("wires", [from, to]) => parse_quote!(#to.#x.next = #from.#x.val();),
        ("kept", [block, _]) => parse_quote!(#block.#x.d.next = #block.#x.q.val();),
        ("clock" | "dff_setup", [block, clock]) => parse_quote!(#block.#x.clock.next = #block.#clock.val();),
        ("clock_and_reset", [block]) => parse_quote!(#block.#x.clock.next = #block.clock.val();),
        ("reset", [block]) => parse_quote!(#block.#x.reset.next = #block.reset.val();),
        _ => unreachable!("`assignments` knows them all"),
    }
}
