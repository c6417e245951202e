//! The attribute `kernel` ([`macro@kernel`]).
use proc_macro::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};

/// A kernel of rust-hdl that may join ports of the same name in a line.
///
/// | statement | stands for each port `x` of the list for |
/// |---|---|
/// | `inputs!(self.a, x, y)` | `self.a.x.next = self.x.val();` |
/// | `outputs!(self.a, x, y)` | `self.x.next = self.a.x.val();` |
/// | `wires!(self.a, self.b, x, y)` | `self.b.x.next = self.a.x.val();` |
/// | `reset!(self, reset, a, b)` | `self.a.reset.next = self.reset.val();`, for each child `a` of the list |
#[proc_macro_attribute]
pub fn kernel(_: TokenStream, function: TokenStream) -> TokenStream {
    let mut attributed: TokenStream = "#[hdl_gen]".parse().expect("the attribute is Rust");
    attributed.extend(expand(function));
    attributed
}

/// The tokens with the assignments that each of the four statements stands for in its place.
fn expand(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut expanded = TokenStream::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some(assignments) = statement(&tokens[at..]) {
            expanded.extend(assignments);
            // Name, exclamation mark, list, semicolon.
            at += 4;
            continue;
        }
        at += 1;
        expanded.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), expand(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            other => other.clone(),
        }]);
    }
    expanded
}

/// The assignments that the statement at the head of `tokens` stands for, if it is one of the four.
fn statement(tokens: &[TokenTree]) -> Option<TokenStream> {
    let [TokenTree::Ident(name), TokenTree::Punct(mark), TokenTree::Group(list), TokenTree::Punct(end), ..] =
        tokens
    else {
        return None;
    };
    if mark.as_char() != '!' || end.as_char() != ';' || list.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    let arguments = split(list.stream());
    let join = match name.to_string().as_str() {
        "inputs" | "outputs" => {
            let (child, ports) = arguments.split_first()?;
            let block = &child[..1];
            let (to, from) = if name.to_string() == "inputs" {
                (&child[..], block)
            } else {
                (block, &child[..])
            };
            ports
                .iter()
                .map(|port| assignment(to, port, from, port))
                .collect()
        }
        "wires" => {
            let [from, to, ports @ ..] = arguments.as_slice() else {
                return None;
            };
            ports
                .iter()
                .map(|port| assignment(to, port, from, port))
                .collect()
        }
        "reset" => {
            let [block, reset, children @ ..] = arguments.as_slice() else {
                return None;
            };
            let child = |child: &Vec<TokenTree>| [block.as_slice(), &[dot()], child].concat();
            children
                .iter()
                .map(|name| assignment(&child(name), reset, block, reset))
                .collect()
        }
        _ => return None,
    };
    Some(join)
}

/// The arguments between the commas.
fn split(list: TokenStream) -> Vec<Vec<TokenTree>> {
    let tokens: Vec<TokenTree> = list.into_iter().collect();
    let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let arguments = tokens.split(comma).filter(|argument| !argument.is_empty());
    arguments.map(<[TokenTree]>::to_vec).collect()
}

/// `to.input.next = from.output.val();`
fn assignment(
    to: &[TokenTree],
    input: &[TokenTree],
    from: &[TokenTree],
    output: &[TokenTree],
) -> TokenStream {
    let word = |text: &str, near: &[TokenTree]| TokenTree::Ident(Ident::new(text, near[0].span()));
    let mark = |c: char| TokenTree::Punct(Punct::new(c, Spacing::Alone));
    let mut tokens = TokenStream::new();
    tokens.extend(to.iter().cloned());
    tokens.extend([dot()]);
    tokens.extend(input.iter().cloned());
    tokens.extend([dot(), word("next", input), mark('=')]);
    tokens.extend(from.iter().cloned());
    tokens.extend([dot()]);
    tokens.extend(output.iter().cloned());
    let nothing = Group::new(Delimiter::Parenthesis, TokenStream::new());
    tokens.extend([dot(), word("val", output), nothing.into(), mark(';')]);
    tokens
}

fn dot() -> TokenTree {
    Punct::new('.', Spacing::Alone).into()
}
