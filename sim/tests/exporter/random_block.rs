//! Random blocks: a kernel of random expressions, as Rust source.
use crate::random_expression::{bits, boolean, signed, Inputs, Source, BOOLS, INDICES};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;
use std::fmt::Write;
use std::sync::Arc;

/// How deep expressions nest.
const DEPTH: u32 = 3;

/// One output of a block.
#[derive(Clone, Debug)]
pub struct Output {
    ty: String,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Plain(Source),
    Choice {
        test: Source,
        then: Source,
        otherwise: Source,
    },
    /// A local that is assigned, read and sometimes assigned again.
    Steps {
        first: Source,
        test: Source,
        second: Source,
    },
}

/// One block: its inputs and its outputs.
#[derive(Clone, Debug)]
pub struct RandomBlock {
    inputs: Arc<Inputs>,
    outputs: Vec<Output>,
}

/// Blocks of `outputs` expressions.
pub fn block(outputs: usize) -> BoxedStrategy<RandomBlock> {
    let width = || prop_oneof![2 => 1..=8usize, 3 => 9..=64usize, 2 => 65..=512usize];
    (vec(width(), 5), vec(width(), 2), vec(1..=40usize, 3))
        .prop_map(|(mut widths, mut signed, fields)| {
            widths.extend([1, 16, 32]);
            // A signed width of which there are bits too links the two kinds.
            signed.extend([16, widths[0]]);
            for list in [&mut widths, &mut signed] {
                list.sort_unstable();
                list.dedup();
            }
            Arc::new(Inputs {
                widths,
                signed,
                fields,
            })
        })
        .prop_flat_map(move |inputs| {
            vec(output(inputs.clone()), outputs).prop_map(move |outputs| RandomBlock {
                inputs: inputs.clone(),
                outputs,
            })
        })
        .boxed()
}

fn output(inputs: Arc<Inputs>) -> BoxedStrategy<Output> {
    let choices = (0..10u8, 0..inputs.widths.len(), 0..inputs.signed.len(), 0..10u8);
    choices
        .prop_flat_map(move |(kind, width, signed_width, shape)| {
            let (width, signed_width) = (inputs.widths[width], inputs.signed[signed_width]);
            let inputs = inputs.clone();
            let (ty, value): (String, Arc<dyn Fn() -> BoxedStrategy<Source>>) = match kind {
                0..=5 => (
                    format!("Bits<{width}>"),
                    Arc::new(move || bits(&inputs, width, DEPTH)),
                ),
                6 | 7 => ("Bit".into(), Arc::new(move || boolean(&inputs, DEPTH))),
                _ => (
                    format!("Signed<{signed_width}>"),
                    Arc::new(move || signed(&inputs, signed_width, DEPTH)),
                ),
            };
            shape_of(shape, &*value).prop_map(move |shape| Output {
                ty: ty.clone(),
                shape,
            })
        })
        .boxed()
}

fn shape_of(kind: u8, value: &dyn Fn() -> BoxedStrategy<Source>) -> BoxedStrategy<Shape> {
    let test = (0..BOOLS).prop_map(|n| Source::input(format!("x{n}")));
    match kind {
        0..=6 => value().prop_map(Shape::Plain).boxed(),
        7 | 8 => (test, value(), value())
            .prop_map(|(test, then, otherwise)| Shape::Choice {
                test,
                then,
                otherwise,
            })
            .boxed(),
        _ => (value(), test, value())
            .prop_map(|(first, test, second)| Shape::Steps { first, test, second })
            .boxed(),
    }
}

impl RandomBlock {
    /// How many expressions the kernel holds.
    pub fn expressions(&self) -> usize {
        let count = |output: &Output| match output.shape {
            Shape::Plain(_) => 1,
            _ => 2,
        };
        self.outputs.iter().map(count).sum()
    }

    /// (name, type) of each input.
    fn inputs(&self) -> Vec<(String, String)> {
        let two = |prefix: &str, ty: &str, width: &usize| {
            [0, 1].map(|n| (format!("{prefix}{width}_{n}"), format!("{ty}<{width}>")))
        };
        let mut inputs = vec![];
        inputs.extend(
            self.inputs
                .widths
                .iter()
                .flat_map(|width| two("b", "Bits", width)),
        );
        inputs.extend(
            self.inputs
                .signed
                .iter()
                .flat_map(|width| two("s", "Signed", width)),
        );
        inputs.extend((0..BOOLS).map(|n| (format!("x{n}"), "Bit".into())));
        inputs.extend(INDICES.map(|width| (format!("k{width}"), format!("Bits<{width}>"))));
        inputs.push(("fields".into(), "Fields".into()));
        inputs
    }

    /// The module `name`: the block `Kernel` and `stimulate`, which sets its inputs.
    pub fn source(&self, name: &str) -> String {
        let mut text = format!("pub mod {name} {{\nuse crate::prelude::*;\n");
        text += "#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]\npub struct Fields {\n";
        for (n, width) in self.inputs.fields.iter().enumerate() {
            let _ = writeln!(text, "    pub f{n}: Bits<{width}>,");
        }
        text += "}\n#[derive(LogicBlock, Default)]\npub struct Kernel {\n";
        for (input, ty) in self.inputs() {
            let _ = writeln!(text, "    pub {input}: Signal<In, {ty}>,");
        }
        for (n, output) in self.outputs.iter().enumerate() {
            let _ = writeln!(text, "    pub o{n}: Signal<Out, {}>,", output.ty);
            if let Shape::Steps { .. } = output.shape {
                let _ = writeln!(text, "    l{n}: Signal<Local, {}>,", output.ty);
            }
        }
        text += "}\nimpl Logic for Kernel {\n    #[hdl_gen]\n    fn update(&mut self) {\n";
        for (n, output) in self.outputs.iter().enumerate() {
            text += &output.shape.statements(n);
        }
        text += "    }\n}\npub fn stimulate(kernel: &mut Kernel, random: &mut Stimulus) {\n";
        for (input, ty) in self.inputs() {
            let value = match ty.as_str() {
                "Bit" => "random.bit()".into(),
                "Fields" => {
                    let fields = (0..self.inputs.fields.len()).map(|n| format!("f{n}: random.bits(), "));
                    format!("Fields {{ {}}}", fields.collect::<String>())
                }
                ty if ty.starts_with("Signed") => "signed_cast(random.bits())".into(),
                _ if input.ends_with("_1") => {
                    // Equal operands now and then.
                    let first = input.replace("_1", "_0");
                    format!("if random.chance(20) {{ kernel.{first}.next }} else {{ random.bits() }}")
                }
                _ => "random.bits()".to_string(),
            };
            let _ = writeln!(text, "    kernel.{input}.next = {value};");
        }
        text + "}\n}\n"
    }

    /// The kernel's text for output `name`.
    pub fn explain(&self, name: &str) -> String {
        let number = name
            .trim_start_matches('o')
            .parse()
            .ok()
            .filter(|n| *n < self.outputs.len());
        number
            .map(|n: usize| self.outputs[n].shape.statements(n))
            .unwrap_or_default()
    }
}

impl Shape {
    fn statements(&self, n: usize) -> String {
        match self {
            Self::Plain(value) => format!("        self.o{n}.next = {};\n", value.text),
            Self::Choice { test, then, otherwise } => format!(
                "        if {} {{\n            self.o{n}.next = {};\n        }} else {{\n            self.o{n}.next = {};\n        }}\n",
                test.text, then.text, otherwise.text
            ),
            Self::Steps { first, test, second } => format!(
                "        self.l{n}.next = {};\n        self.o{n}.next = self.l{n}.val();\n        if {} {{\n            self.l{n}.next = {};\n            self.o{n}.next = self.l{n}.val();\n        }}\n",
                first.text, test.text, second.text
            ),
        }
    }
}
