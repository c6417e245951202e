//! One exported block under Verilator, its ports by name.
use hca_hdl::verilog::export;
use hca_sim::graft;
use hca_sim::verilated::{Library, Model, Port};
use rust_hdl_core::prelude::{Bits, Block};
use std::collections::HashMap;

/// A block in its simulation; `clock` and `reset` are driven here.
pub struct Bench {
    model: Model,
    ports: HashMap<String, Port>,
    pub cycle: u64,
}

/// Exports and builds a block.
pub fn library<B: Block + Default>(top: &str) -> Library {
    library_of(B::default(), top)
}

/// The same of a block with parameters of its own. A design that holds the block may be put in its place.
pub fn library_of<B: Block>(mut block: B, top: &str) -> Library {
    block.connect_all();
    let design = export(&block, top).expect("the block exports");
    hca_sim::wire::library(&design).expect("the block builds without warnings")
}

impl Bench {
    /// An instance after reset.
    pub fn new(library: &Library, seed: u64) -> Bench {
        Bench::without_clock(library, seed).after_reset()
    }

    /// The same, with no mutant.
    pub fn as_designed(library: &Library, seed: u64) -> Bench {
        let mut bench = Bench::without_clock(library, seed);
        if bench.ports.contains_key(graft::INPUT) {
            bench.set(graft::INPUT, 0);
        }
        bench.after_reset()
    }

    fn after_reset(mut self) -> Bench {
        self.set("reset", 1);
        for _ in 0..16 {
            self.settle();
            self.tick();
        }
        self.set("reset", 0);
        self.cycle = 0;
        self
    }

    /// An instance of a block that knows neither clock nor reset.
    pub fn without_clock(library: &Library, seed: u64) -> Bench {
        let ports = library
            .ports()
            .iter()
            .map(|info| (info.name.clone(), library.port(&info.name).expect("it is listed")))
            .collect();
        Bench {
            model: Model::new(library, seed).expect("the model loads"),
            ports,
            cycle: 0,
        }
    }

    fn port(&self, name: &str) -> Port {
        *self.ports.get(name).unwrap_or_else(|| panic!("no port {name}"))
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.port(name);
        self.model.set(port, value);
    }

    pub fn get(&self, name: &str) -> u64 {
        self.model.get(self.port(name))
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.get(name) != 0
    }

    /// Bytes of a port, least significant first.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        self.model.bytes(self.port(name)).to_vec()
    }

    pub fn set_bytes(&mut self, name: &str, bytes: &[u8]) {
        let port = self.port(name);
        self.model.set_bytes(port, bytes);
    }

    /// Outputs follow the inputs.
    pub fn settle(&mut self) {
        self.set("clock", 0);
        self.follow();
    }

    /// The same, of a block without clock.
    pub fn follow(&mut self) {
        self.model.eval().expect("the model runs");
    }

    /// The rising edge.
    pub fn tick(&mut self) {
        self.set("clock", 1);
        self.model.eval().expect("the model runs");
        self.cycle += 1;
    }
}

/// The bytes of a port's value, from its least significant end.
pub fn vector<const N: usize>(value: Bits<N>) -> Vec<u8> {
    let byte = |at: usize| {
        let bits = (at * 8..N.min(at * 8 + 8)).enumerate();
        bits.fold(0, |byte, (n, bit)| byte | u8::from(value.get_bit(bit)) << n)
    };
    (0..N.div_ceil(8)).map(byte).collect()
}

/// Bits `at` and up of a vector, least significant byte first.
pub fn bits(vector: &[u8], at: usize, width: usize) -> u64 {
    (0..width)
        .filter(|bit| vector[(at + bit) / 8] >> ((at + bit) % 8) & 1 == 1)
        .fold(0, |value, bit| value | 1 << bit)
}
