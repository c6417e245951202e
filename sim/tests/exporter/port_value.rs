//! The values of a block's ports.
use num_bigint::BigUint;
use rust_hdl_core::prelude::*;

/// A port of a block and the value it carries.
pub struct PortValue {
    pub name: String,
    pub input: bool,
    pub value: BigUint,
}

/// The values of a block's own ports, in order of declaration.
pub fn top_level(block: &dyn Block) -> Vec<PortValue> {
    let mut reader = Reader {
        depth: 0,
        values: vec![],
    };
    block.accept("top", &mut reader);
    reader.values
}

struct Reader {
    depth: usize,
    values: Vec<PortValue>,
}

impl Probe for Reader {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if self.depth != 1 || !signal.kind().is_parameter() {
            return;
        }
        let text = format!("{:x}", signal.verilog());
        let digits = text.split("'h").nth(1).unwrap();
        self.values.push(PortValue {
            name: name.into(),
            input: signal.kind() == AtomKind::InputParameter,
            value: BigUint::parse_bytes(digits.as_bytes(), 16).unwrap(),
        });
    }
}
