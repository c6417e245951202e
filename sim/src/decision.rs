//! Runs a decision block by itself: set inputs, evaluate once, read outputs.
use crate::verilated::{Direction, Error, Library, Model, Port};
use hca_hdl::verilog::{self, Design};
use std::collections::HashMap;

/// A block without registers that makes one decision. A value is named by its port or, for a port that is a struct, by
/// `port.field`.
pub struct DecisionBlock {
    model: Model,
    values: HashMap<String, Value>,
    /// Input ports that receive arbitrary values before a case is set.
    inputs: Vec<Port>,
}

/// The place of a value.
#[derive(Clone, Copy)]
struct Value {
    port: Port,
    direction: Direction,
    /// Lowest bit of the value in its port, counted from the least significant end.
    low: usize,
    bits: usize,
}

impl DecisionBlock {
    /// Makes an instance of the design from which `library` was built.
    pub fn new(design: &Design, library: &Library) -> Result<DecisionBlock, Error> {
        let (mut values, mut inputs) = (HashMap::new(), Vec::new());
        for declared in &design.ports {
            let direction = match declared.direction {
                verilog::Direction::In => Direction::In,
                verilog::Direction::Out => Direction::Out,
            };
            let port = library.expect(&declared.name, direction, declared.width as u32)?;
            if direction == Direction::In {
                inputs.push(port);
            }
            let mut add = |name: String, low, bits| {
                values.insert(
                    name,
                    Value {
                        port,
                        direction,
                        low,
                        bits,
                    },
                );
            };
            add(declared.name.clone(), 0, declared.width);
            let mut low = 0;
            for (field, bits) in &declared.fields {
                add(format!("{}.{field}", declared.name), low, *bits);
                low += bits;
            }
        }
        Ok(DecisionBlock {
            model: Model::new(library, 1)?,
            values,
            inputs,
        })
    }

    /// Sets every input bit to an arbitrary value. The decision must not depend on an input that is not set afterwards.
    pub fn fill(&mut self, mut noise: impl FnMut(&mut [u8])) {
        let mut bytes = Vec::new();
        for port in &self.inputs {
            bytes.resize(port.byte_len(), 0);
            noise(&mut bytes);
            self.model.set_bytes(*port, &bytes);
        }
    }

    /// Sets an input; bits from 64 on become 0.
    ///
    /// # Panics
    /// If the block has no such input, or the value does not fit.
    pub fn set(&mut self, name: &str, value: u64) {
        self.set_part(name, 0, value);
    }

    /// Sets 64 bits of an input from bit `from` on, or as many as there are.
    ///
    /// # Panics
    /// Under the conditions of [`set`](Self::set).
    pub fn set_part(&mut self, name: &str, from: usize, value: u64) {
        let Value {
            port,
            direction,
            low,
            bits,
        } = self.value(name);
        assert_eq!(direction, Direction::In, "`{name}` is an output");
        let width = (bits - from).min(64);
        assert!(
            width == 64 || value >> width == 0,
            "{value:X}h does not fit the {bits} bits of `{name}`"
        );
        self.model.set_bits(port, low + from, width, value);
    }

    /// Computes the outputs from the inputs.
    pub fn settle(&mut self) -> Result<(), Error> {
        self.model.eval()
    }

    /// Returns the value of an output or an input; of a wider one, its low 64 bits.
    ///
    /// # Panics
    /// If the block has no such value.
    pub fn get(&self, name: &str) -> u64 {
        let Value { port, low, bits, .. } = self.value(name);
        self.model.bits(port, low, bits.min(64))
    }

    /// Returns the value of a single bit.
    ///
    /// # Panics
    /// Under the conditions of [`get`](Self::get).
    pub fn is_set(&self, name: &str) -> bool {
        self.get(name) != 0
    }

    fn value(&self, name: &str) -> Value {
        match self.values.get(name) {
            Some(value) => *value,
            None => panic!("{} has no value `{name}`", self.model.library().top()),
        }
    }
}
