//! Random expressions of a kernel, as Rust source.
use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;
use std::sync::Arc;

/// What an expression may read.
#[derive(Debug)]
pub struct Inputs {
    /// Widths with two inputs of bits each, `bW_0` and `bW_1`; they hold 1, 16 and 32.
    pub widths: Vec<usize>,
    /// Widths with two signed inputs each, `sW_0` and `sW_1`; they hold 16.
    pub signed: Vec<usize>,
    /// Widths of the fields `f0`, `f1`.. of the struct input `fields`.
    pub fields: Vec<usize>,
}

/// Inputs of one bit, `x0` up.
pub const BOOLS: usize = 3;
/// Inputs for shift amounts and positions, `kW`.
pub const INDICES: [usize; 3] = [2, 4, 7];

/// Rust source and how tightly its outermost operator binds.
#[derive(Clone, Debug)]
pub struct Source {
    pub text: String,
    binding: u8,
}

const ATOM: u8 = 10;
const UNARY: u8 = 9;
const COMPARE: u8 = 2;

impl Source {
    fn atom(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            binding: ATOM,
        }
    }

    /// The value of an input.
    pub fn input(name: impl AsRef<str>) -> Self {
        Self::atom(format!("self.{}.val()", name.as_ref()))
    }

    fn within(&self, binding: u8) -> String {
        if self.binding < binding {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    /// Parenthesised only where Rust needs it, so that both languages' precedences are at stake.
    fn binary(left: &Source, op: &str, right: &Source) -> Self {
        let binding = match op {
            "*" => 8,
            "+" | "-" => 7,
            "<<" | ">>" => 6,
            "&" => 5,
            "^" => 4,
            "|" => 3,
            "&&" => 1,
            "||" => 0,
            _ => COMPARE,
        };
        let left = left.within(if binding == COMPARE { binding + 1 } else { binding });
        Self {
            text: format!("{left} {op} {}", right.within(binding + 1)),
            binding,
        }
    }

    fn unary(op: &str, operand: &Source) -> Self {
        Self {
            text: format!("{op}{}", operand.within(UNARY)),
            binding: UNARY,
        }
    }

    fn call(&self, method: impl AsRef<str>) -> Self {
        Self::atom(format!("{}.{}", self.within(ATOM), method.as_ref()))
    }
}

type Sources = BoxedStrategy<Source>;

fn combine(left: Sources, right: Sources, join: impl Fn(Source, Source) -> Source + 'static) -> Sources {
    let join = Arc::new(join);
    (left, right)
        .prop_map(move |(left, right)| join(left, right))
        .boxed()
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    (0..texts.len()).prop_map(move |choice| texts[choice])
}

fn binary(operators: &'static [&'static str], left: Sources, right: Sources) -> Sources {
    let both = (one_of(operators), left, right);
    both.prop_map(|(op, left, right)| Source::binary(&left, op, &right))
        .boxed()
}

/// A number that fits `width` bits, as Rust needs it spelled.
fn number(width: usize) -> Sources {
    let limit = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    prop_oneof![Just(0), Just(1), Just(limit), 0..=limit]
        .prop_map(move |value| {
            let value = value.min(limit);
            Source::atom(if value > i32::MAX as u64 {
                format!("{value}_u64")
            } else {
                value.to_string()
            })
        })
        .boxed()
}

fn pick(widths: &[usize]) -> BoxedStrategy<usize> {
    let widths = widths.to_vec();
    (0..widths.len()).prop_map(move |choice| widths[choice]).boxed()
}

/// Expressions of `Bits<width>`.
pub fn bits(inputs: &Arc<Inputs>, width: usize, depth: u32) -> Sources {
    let leaf = (0..2u8).prop_map(move |n| Source::atom(format!("self.b{width}_{n}.val()")));
    if depth == 0 {
        let literal = number(width).prop_map(move |n| Source::atom(format!("bits::<{width}>({})", n.text)));
        return prop_oneof![4 => leaf, 1 => literal].boxed();
    }
    let inputs = inputs.clone();
    (0..15u8)
        .prop_flat_map(move |kind| bits_of_kind(&inputs, width, depth - 1, kind))
        .boxed()
}

fn bits_of_kind(inputs: &Arc<Inputs>, width: usize, depth: u32, kind: u8) -> Sources {
    let same = || bits(inputs, width, depth);
    let inputs = inputs.clone();
    match kind {
        0..=2 => binary(&["+", "-", "&", "|", "^"], same(), same()),
        3 => binary(&["+", "-", "&", "|", "^"], same(), number(width)),
        4 => binary(&["+", "-", "&", "|", "^"], number(width), same()),
        5 => same().prop_map(|operand| Source::unary("!", &operand)).boxed(),
        6 | 7 => pick(&inputs.widths)
            .prop_flat_map(move |from| {
                bits(&inputs, from, depth)
                    .prop_map(move |of| Source::atom(format!("bit_cast::<{width}, {from}>({})", of.text)))
            })
            .boxed(),
        8 => binary(&["<<", ">>"], same(), number(usize::min(width, 9))),
        9 => binary(
            &["<<", ">>"],
            same(),
            index().prop_map(|(_, index)| index).boxed(),
        ),
        10 => pick(&inputs.widths)
            .prop_flat_map(move |from| {
                let low = 0..=from;
                (low, bits(&inputs, from, depth))
                    .prop_map(move |(low, of)| of.call(format!("get_bits::<{width}>({low})")))
            })
            .boxed(),
        11 => variable_slice(&inputs, width, depth),
        12 => replaced_bit(&inputs, width, depth),
        13 if inputs.signed.contains(&width) => signed(&inputs, width, depth)
            .prop_map(|of| Source::atom(format!("unsigned_cast({})", of.text)))
            .boxed(),
        13 if width == 32 => binary(&["*"], bits(&inputs, 16, depth), bits(&inputs, 16, depth)),
        13 if inputs.fields.contains(&width) => {
            let field = inputs.fields.iter().position(|field| *field == width);
            Just(Source::atom(format!("self.fields.val().f{}", field.unwrap_or(0)))).boxed()
        }
        _ => combine(same(), boolean(&inputs, depth), |of, bit| {
            Source::binary(&of, "+", &bit)
        }),
    }
}

/// An index input or its complement, with its width.
fn index() -> BoxedStrategy<(usize, Source)> {
    (0..INDICES.len(), any::<bool>())
        .prop_map(|(choice, inverted)| {
            let width = INDICES[choice];
            let input = Source::atom(format!("self.k{width}.val()"));
            (
                width,
                if inverted {
                    Source::unary("!", &input)
                } else {
                    input
                },
            )
        })
        .boxed()
}

/// rust-hdl refuses a slice that starts beyond the end.
fn variable_slice(inputs: &Arc<Inputs>, width: usize, depth: u32) -> Sources {
    let inputs = inputs.clone();
    (index(), pick(&inputs.widths), 1..=3usize)
        .prop_flat_map(move |((bits_of_index, at), from, scale)| {
            let reach = ((1 << bits_of_index) - 1) * scale;
            let of = bits(&inputs, from, depth);
            of.prop_map(move |of| {
                if reach > from {
                    return of.call(format!("get_bits::<{width}>({})", from / 2));
                }
                let at = at.call("index()");
                let at = if scale == 1 {
                    at.text
                } else {
                    format!("{} * {scale}", at.text)
                };
                of.call(format!("get_bits::<{width}>({at})"))
            })
        })
        .boxed()
}

fn replaced_bit(inputs: &Arc<Inputs>, width: usize, depth: u32) -> Sources {
    (
        bits(inputs, width, depth),
        boolean(inputs, depth),
        index(),
        0..width,
    )
        .prop_map(move |(of, bit, (bits_of_index, at), fixed)| {
            let at = if (1 << bits_of_index) <= width {
                at.call("index()").text
            } else {
                fixed.to_string()
            };
            of.call(format!("replace_bit({at}, {})", bit.text))
        })
        .boxed()
}

/// Expressions of `bool`.
pub fn boolean(inputs: &Arc<Inputs>, depth: u32) -> Sources {
    if depth == 0 {
        let input = (0..BOOLS).prop_map(|n| Source::atom(format!("self.x{n}.val()")));
        let literal = any::<bool>().prop_map(|value| Source::atom(value.to_string()));
        return prop_oneof![9 => input, 1 => literal].boxed();
    }
    let inputs = inputs.clone();
    (0..12u8)
        .prop_flat_map(move |kind| boolean_of_kind(&inputs, depth - 1, kind))
        .boxed()
}

fn boolean_of_kind(inputs: &Arc<Inputs>, depth: u32, kind: u8) -> Sources {
    const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">="];
    let same = || boolean(inputs, depth);
    let inputs = inputs.clone();
    match kind {
        0 | 1 => binary(&["&", "|", "^", "&&", "||", "==", "!="], same(), same()),
        2 => same().prop_map(|operand| Source::unary("!", &operand)).boxed(),
        3..=5 => pick(&inputs.widths)
            .prop_flat_map(move |width| {
                binary(
                    COMPARISONS,
                    bits(&inputs, width, depth),
                    bits(&inputs, width, depth),
                )
            })
            .boxed(),
        6 => pick(&inputs.widths)
            .prop_flat_map(move |width| binary(COMPARISONS, bits(&inputs, width, depth), number(width)))
            .boxed(),
        7 => pick(&inputs.widths)
            .prop_flat_map(move |width| binary(COMPARISONS, number(width), bits(&inputs, width, depth)))
            .boxed(),
        8 | 9 => pick(&inputs.signed)
            .prop_flat_map(move |width| {
                binary(
                    COMPARISONS,
                    signed(&inputs, width, depth),
                    signed(&inputs, width, depth),
                )
            })
            .boxed(),
        10 => pick(&inputs.widths)
            .prop_flat_map(move |width| (one_of(&["any()", "all()", "xor()"]), bits(&inputs, width, depth)))
            .prop_map(|(method, of)| of.call(method))
            .boxed(),
        _ => pick(&inputs.widths)
            .prop_flat_map(move |width| (bits(&inputs, width, depth), index(), 0..width))
            .prop_flat_map(|(of, (bits_of_index, at), fixed)| {
                // The source does not say its width; a fixed position below the chosen one is safe.
                let variable = fixed >= 1 << bits_of_index;
                let at = if variable {
                    at.call("index()").text
                } else {
                    fixed.to_string()
                };
                Just(of.call(format!("get_bit({at})")))
            })
            .boxed(),
    }
}

/// Expressions of `Signed<width>`.
pub fn signed(inputs: &Arc<Inputs>, width: usize, depth: u32) -> Sources {
    if depth == 0 {
        return (0..2u8)
            .prop_map(move |n| Source::atom(format!("self.s{width}_{n}.val()")))
            .boxed();
    }
    let inputs = inputs.clone();
    (0..5u8)
        .prop_flat_map(move |kind| signed_of_kind(&inputs, width, depth - 1, kind))
        .boxed()
}

fn signed_of_kind(inputs: &Arc<Inputs>, width: usize, depth: u32, kind: u8) -> Sources {
    let same = || signed(inputs, width, depth);
    match kind {
        0 | 1 => binary(&["+", "-"], same(), same()),
        2 => same().prop_map(|operand| Source::unary("-", &operand)).boxed(),
        3 if inputs.widths.contains(&width) => bits(inputs, width, depth)
            .prop_map(|of| Source::atom(format!("signed_cast({})", of.text)))
            .boxed(),
        3 if width == 32 => binary(&["*"], signed(inputs, 16, depth), signed(inputs, 16, depth)),
        _ => {
            let inputs = inputs.clone();
            pick(&inputs.signed)
                .prop_flat_map(move |from| {
                    (0..=from, signed(&inputs, from, depth))
                        .prop_map(move |(low, of)| of.call(format!("get_bits::<{width}>({low})")))
                })
                .boxed()
        }
    }
}
