//! Reads the tree of blocks, with their signals and kernels.
use super::kind::Type;
use super::ExportError;
use crate::primitive::REGISTER;
use num_bigint::{BigInt, BigUint};
use rust_hdl_core::prelude::*;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// One signal or constant of a block.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    /// Name in the block. The parts of an interface field are joined with `$`.
    pub name: String,
    /// Whether it is an input, an output, a local signal or a constant.
    pub kind: AtomKind,
    /// Type of the value.
    pub ty: Type,
    /// Value at elaboration, as two's complement of the type's width.
    pub value: BigUint,
}

/// One block, with the blocks that it contains.
#[derive(Debug)]
pub(super) struct Instance {
    /// Path from the top, joined with dots.
    pub path: String,
    /// Name in the parent; array elements are `name$index`.
    pub name: String,
    /// Its signals and constants.
    pub atoms: Vec<Atom>,
    /// The blocks that it contains.
    pub children: Vec<Instance>,
    /// The kernel of the block.
    pub code: Verilog,
    /// The value at power up, if this block is a register to inline.
    pub register: Option<BigUint>,
}

impl Instance {
    pub fn ports(&self) -> impl Iterator<Item = &Atom> {
        self.atoms.iter().filter(|atom| atom.kind.is_parameter())
    }
}

/// Reads the tree of blocks from `block` down.
pub(super) fn collect(block: &dyn Block, top: &str) -> Result<Instance, ExportError> {
    let mut collector = Collector::default();
    block.accept(top, &mut collector);
    match (collector.error, collector.root) {
        (Some(error), _) => Err(error),
        (None, Some(root)) => Ok(root),
        (None, None) => Err(ExportError::Elaboration {
            block: top.into(),
            message: "it is not a single block (derive `LogicBlock` on a struct)".into(),
        }),
    }
}

#[derive(Default)]
struct Collector {
    open: Vec<(Instance, Vec<String>)>,
    root: Option<Instance>,
    error: Option<ExportError>,
}

impl Collector {
    fn fail(&mut self, error: ExportError) {
        self.error.get_or_insert(error);
    }
}

impl Probe for Collector {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let path = match self.open.last() {
            Some((parent, _)) => format!("{}.{}", parent.path, name.replace('$', ".")),
            None => name.into(),
        };
        // A kernel's translation computes widths from dummy values and may panic on the way.
        let code = catch_unwind(AssertUnwindSafe(|| node.hdl())).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown panic");
            self.fail(ExportError::Elaboration {
                block: path.clone(),
                message: text.into(),
            });
            Verilog::Empty
        });
        let register = node
            .timing()
            .iter()
            .any(|info| info.name == REGISTER)
            .then(BigUint::default);
        let instance = Instance {
            path,
            name: name.into(),
            atoms: vec![],
            children: vec![],
            code,
            register,
        };
        self.open.push((instance, vec![]));
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        let Some((mut instance, _)) = self.open.pop() else {
            return;
        };
        if instance.register.is_some() {
            let ports: Vec<&str> = instance.ports().map(|port| port.name.as_str()).collect();
            let initial = instance.atoms.iter().find(|atom| atom.kind == AtomKind::Constant);
            let initial = initial.filter(|_| ports == ["clock", "d", "q"] && instance.children.is_empty());
            instance.register = initial.map(|atom| atom.value.clone());
        }
        match self.open.last_mut() {
            Some((parent, _)) => parent.children.push(instance),
            None => self.root = Some(instance),
        }
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        if let Some((_, namespace)) = self.open.last_mut() {
            namespace.push(name.into());
        }
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        if let Some((_, namespace)) = self.open.last_mut() {
            namespace.pop();
        }
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn rust_hdl_core::prelude::Atom) {
        let Some((instance, namespace)) = self.open.last_mut() else {
            return;
        };
        let mut full: String = namespace.iter().map(|part| format!("{part}$")).collect();
        full.push_str(name);
        let ty = Type::of(&signal.descriptor());
        let value = twos_complement(&literal(&signal.verilog()), ty.width);
        let failure = match (ty.width, signal.kind()) {
            (0, _) => Some("a value of no bits (an enum of one variant, an empty vector)"),
            (_, AtomKind::InputParameter | AtomKind::OutputParameter) => None,
            (_, AtomKind::LocalSignal | AtomKind::Constant) => None,
            _ => Some("a bidirectional signal"),
        };
        let block = instance.path.clone();
        instance.atoms.push(Atom {
            name: full.clone(),
            kind: signal.kind(),
            ty,
            value,
        });
        if let Some(construct) = failure {
            self.fail(ExportError::Unsupported {
                block,
                signal: full.replace('$', "."),
                construct: construct.into(),
            });
        }
    }
}

/// Returns the value of a literal, which rust-hdl keeps private but prints.
pub(super) fn literal(literal: &VerilogLiteral) -> BigInt {
    let text = format!("{literal:x}");
    let digits = text.split("'h").nth(1).unwrap_or_default();
    BigInt::parse_bytes(digits.as_bytes(), 16).unwrap_or_default()
}

/// Returns true if a literal is a `bool`.
pub(super) fn is_bool(literal: &VerilogLiteral) -> bool {
    format!("{literal:x}").starts_with("1'h")
}

/// Returns `value` modulo 2^`width`.
pub(super) fn twos_complement(value: &BigInt, width: usize) -> BigUint {
    let modulus = BigInt::from(1) << width;
    let rest = ((value % &modulus) + &modulus) % &modulus;
    rest.to_biguint().unwrap_or_default()
}
