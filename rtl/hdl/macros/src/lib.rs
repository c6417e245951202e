//! The attribute of kernels ([`macro@kernel`]).
mod join;
mod registers;

use heck::ToSnakeCase;
use join::Joins;
use proc_macro::TokenStream;
use quote::{quote, ToTokens};
use registers::Registers;
use syn::visit_mut::VisitMut;
use syn::{parse_macro_input, parse_quote, Error, ImplItem, ImplItemFn, ItemImpl, Result, Stmt, Type};

/// Makes the `update` of an `impl Logic` a kernel of rust-hdl.
///
/// The module is named after the type, unless a `comment!("@module NAME")` names it. Each register that the kernel
/// reads or assigns (`self.x.q`, `self.x.d`) gets its clock from `self.clock`, and keeps its value where the kernel
/// does not assign it. These statements stand for assignments:
///
/// | statement | stands for each `x` of the list for |
/// |---|---|
/// | `inputs!(self.a, x, y)` | `self.a.x.next = self.x.val();` |
/// | `inputs!(self.a, x: z.q)` | `self.a.x.next = self.z.q.val();` |
/// | `outputs!(self.a, x, y)` | `self.x.next = self.a.x.val();` |
/// | `outputs!(self.a, x: z)` | `self.x.next = self.a.z.val();` |
/// | `wires!(self.a, self.b, x, y)` | `self.b.x.next = self.a.x.val();` |
/// | `wires!(self.a, self.b, x: z)` | `self.b.x.next = self.a.z.val();` |
/// | `clock_and_reset!(self, x, y)` | `self.x.clock.next = self.clock.val();` and the same of `reset`; `x` is a child |
/// | `clear!(self, x, y)` | all bits of `self.x.d.next` are zero; `x` is a register |
/// | `clock!(self, clock, a[i])` | `self.a[i].clock.next = self.clock.val();` |
/// | `dff_setup!(self, clock, a[i])` | the same, and `self.a[i].d.next = self.a[i].q.val();` |
///
/// `clock!` stands for itself if its list has names alone.
///
/// # Errors
/// A statement that names too few blocks does not compile, nor does an `impl` without `update`.
#[proc_macro_attribute]
pub fn kernel(_: TokenStream, block: TokenStream) -> TokenStream {
    let mut block = parse_macro_input!(block as ItemImpl);
    match translate(&mut block) {
        Err(error) => error.into_compile_error().into(),
        Ok(()) => block.into_token_stream().into(),
    }
}

/// Rewrites the `update` of `block` for `hdl_gen`.
fn translate(block: &mut ItemImpl) -> Result<()> {
    let name = module_name(&block.self_ty)?;
    let error = Error::new_spanned(&block.self_ty, "a kernel is `fn update(&mut self)`");
    let update = block.items.iter_mut().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == "update" => Some(function),
        _ => None,
    });
    let update: &mut ImplItemFn = update.ok_or(error)?;
    let named = update.block.stmts.first().is_some_and(|first| {
        let text = quote!(#first).to_string();
        text.starts_with("comment") && text.contains("@module ")
    });

    let mut joins = Joins::default();
    joins.visit_block_mut(&mut update.block);
    if let Some(error) = joins.error {
        return Err(error);
    }
    let registers = Registers::of(&mut update.block);
    let mut before: Vec<Stmt> = vec![];
    if !named {
        let marker = format!("@module {name}");
        before.push(parse_quote!(comment!(#marker);));
    }
    if !registers.is_empty() {
        before.push(parse_quote!(dff_setup!(self, clock, #(#registers),*);));
    }
    update.block.stmts.splice(0..0, before);
    update.attrs.push(parse_quote!(#[hdl_gen]));
    Ok(())
}

/// The name of the type without its path and generics, in snake case.
fn module_name(of: &Type) -> Result<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
    .map(|name| name.to_snake_case())
    .ok_or_else(|| Error::new_spanned(of, "a kernel is that of a struct"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Translates the text of an `impl` and returns the text that comes of it, without white space. The error is the
    /// message that the compiler shows.
    fn translated(block: &str) -> std::result::Result<String, String> {
        let mut block: ItemImpl = syn::parse_str(block).expect("it is an impl");
        match translate(&mut block) {
            Ok(()) => Ok(quote!(#block).to_string().replace(' ', "")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Translates a kernel of these statements and returns its statements, without white space and without the comment
    /// that names the module. The error is the message that the compiler shows.
    fn statements(statements: &str) -> std::result::Result<String, String> {
        let text = translated(&format!(
            "impl<const N: usize> Logic for PKeyMatch<N> {{ fn update(&mut self) {{ {statements} }} }}"
        ))?;
        let (_, body) = text.split_once("fnupdate(&mutself){").expect("it has a kernel");
        let body = body.strip_suffix("}}").expect("it ends");
        Ok(body.replacen("comment!(\"@modulep_key_match\");", "", 1))
    }

    #[test]
    fn a_module_has_the_name_of_its_type() {
        let text = translated("impl Logic for super::PKeyMatch<3> { fn update(&mut self) {} }");
        assert_eq!(
            text,
            Ok("implLogicforsuper::PKeyMatch<3>{#[hdl_gen]fnupdate(&mutself){comment!(\"@modulep_key_match\");}}".into())
        );
        let text = translated("impl Logic for X { fn update(&mut self) { comment!(\"@module other\"); } }");
        let expected = "implLogicforX{#[hdl_gen]fnupdate(&mutself){comment!(\"@moduleother\");}}";
        assert_eq!(text.as_deref(), Ok(expected));
    }

    #[test]
    fn registers_are_clocked_once_each() {
        assert_eq!(
            statements(
                "if self.a.q.val() { self.b.d.next = self.c.val() ^ self.a.q.val(); self.x[1].d.next = 1; }"
            ),
            Ok("dff_setup!(self,clock,a,b);\
                ifself.a.q.val(){self.b.d.next=self.c.val()^self.a.q.val();self.x[1].d.next=1;}"
                .into())
        );
    }

    #[test]
    fn lists_stand_for_assignments() {
        for (list, expected) in [
            (
                "inputs!(self.a, x, y: z.q);",
                "dff_setup!(self,clock,z);self.a.x.next=self.x.val();self.a.y.next=self.z.q.val();",
            ),
            (
                "outputs!(self.a[i], x, y: z);",
                "self.x.next=self.a[i].x.val();self.y.next=self.a[i].z.val();",
            ),
            (
                "wires!(self.a, self.b.c, x: y);",
                "self.b.c.x.next=self.a.y.val();",
            ),
            ("clock!(self, clock, a);", "clock!(self,clock,a);"),
            (
                "clock!(self, clock, a[i]);",
                "self.a[i].clock.next=self.clock.val();",
            ),
            (
                "clock_and_reset!(self, a);",
                "self.a.clock.next=self.clock.val();self.a.reset.next=self.reset.val();",
            ),
            (
                "dff_setup!(self, clock, a[i]);",
                "self.a[i].clock.next=self.clock.val();self.a[i].d.next=self.a[i].q.val();",
            ),
            (
                "clear!(self, a);",
                "dff_setup!(self,clock,a);self.a.d.next=bits_cleared(0,self.a.q.val());",
            ),
        ] {
            assert_eq!(statements(list).as_deref(), Ok(expected), "{list}");
        }
    }

    #[test]
    fn what_is_no_kernel_is_refused() {
        for (text, expected) in [
            (
                "inputs!(self.a);",
                "`inputs!` takes 1 blocks or ports, and then a list",
            ),
            (
                "wires!(self.a, self.b);",
                "`wires!` takes 2 blocks or ports, and then a list",
            ),
            ("clear!();", "`clear!` takes 1 blocks or ports, and then a list"),
            ("clear!(self, a: b);", "`clear!` takes one name here, not `x: y`"),
            (
                "inputs!(self.a: self.b, x);",
                "`inputs!` takes one name here, not `x: y`",
            ),
        ] {
            assert_eq!(statements(text), Err(expected.into()), "{text}");
        }
        assert_eq!(
            translated("impl Logic for X { fn connect(&mut self) {} }"),
            Err("a kernel is `fn update(&mut self)`".into())
        );
        assert_eq!(
            translated("impl Logic for [X; 2] { fn update(&mut self) {} }"),
            Err("a kernel is that of a struct".into())
        );
    }
}
