//! Statements that stand for assignments to a list of ports.
use syn::parse::{Parse, ParseStream, Parser};
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

/// One entry of a list: a name, which both ends have, or `x: y`, the name at the end that is set and the one at the
/// end that is read.
struct Entry {
    set: Expr,
    read: Option<Expr>,
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let set = input.parse()?;
        let read = match input.parse::<Option<Token![:]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { set, read })
    }
}

/// The assignments that a statement stands for, if it is one of the table of [`macro@crate::kernel`].
fn assignments(statement: &Macro) -> Option<Result<Vec<Stmt>>> {
    let name = statement.path.get_ident()?.to_string();
    let (blocks, renames) = match name.as_str() {
        "inputs" | "outputs" => (1, true),
        "wires" => (2, true),
        "clock_and_reset" | "clear" => (1, false),
        "clock" | "dff_setup" if has_index(statement) => (2, false),
        _ => return None,
    };
    let list = Punctuated::<Entry, Token![,]>::parse_terminated.parse2(statement.tokens.clone());
    Some(list.and_then(|list| {
        let list: Vec<Entry> = list.into_iter().collect();
        let (ends, names) = list.split_at(blocks.min(list.len()));
        if names.is_empty() {
            let message = format!("`{name}!` takes {blocks} blocks or ports, and then a list");
            return Err(Error::new_spanned(statement, message));
        }
        let pairs = if renames { ends } else { &list };
        if let Some(read) = pairs.iter().find_map(|entry| entry.read.as_ref()) {
            let message = format!("`{name}!` takes one name here, not `x: y`");
            return Err(Error::new_spanned(read, message));
        }
        let ends: Vec<&Expr> = ends.iter().map(|end| &end.set).collect();
        let second = match name.as_str() {
            "dff_setup" => Some("kept"),
            "clock_and_reset" => Some("reset"),
            _ => None,
        };
        Ok(std::iter::once(name.as_str())
            .chain(second)
            .flat_map(|statement| names.iter().map(move |entry| (statement, entry)))
            .map(|(statement, entry)| assignment(statement, &ends, entry))
            .collect())
    }))
}

/// Whether a name of the list has an index.
fn has_index(statement: &Macro) -> bool {
    let list = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(statement.tokens.clone());
    list.is_ok_and(|list| list.iter().any(|x| matches!(x, Expr::Index(_))))
}

/// The assignment for one entry of the list.
fn assignment(statement: &str, ends: &[&Expr], entry: &Entry) -> Stmt {
    let x = &entry.set;
    let y = entry.read.as_ref().unwrap_or(x);
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
