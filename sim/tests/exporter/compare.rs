//! A block beside the Verilated model of its own export: the same inputs must give the same outputs.
use crate::port_value::top_level;
use hca_hdl::verilog::{export, Design, Direction, Port as DesignPort};
use hca_sim::verilated::{Build, Evaluation, Library, Lints, Model, Port, Source};
use num_bigint::BigUint;
use rust_hdl_core::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Several designs in one Verilated model, since a build costs far more than a run.
pub struct Bench {
    top: String,
    modules: BTreeMap<String, String>,
    ports: String,
    instances: String,
}

impl Bench {
    /// A bench whose module is called `top`.
    pub fn new(top: &str) -> Self {
        Self {
            top: top.into(),
            modules: BTreeMap::new(),
            ports: String::new(),
            instances: String::new(),
        }
    }

    /// Adds a block under `name`, which becomes its module's name and the prefix of its ports.
    pub fn add<B: Block>(&mut self, mut block: B, name: &str) -> &mut Self {
        block.connect_all();
        let design = export(&block, name).unwrap_or_else(|error| panic!("{error}"));
        for module in &design.modules {
            let other = self.modules.insert(module.name.clone(), module.text.clone());
            assert!(
                other.is_none_or(|other| other == module.text),
                "two modules `{}`",
                module.name
            );
        }
        let ports: Vec<(String, bool, usize)> = design
            .ports
            .iter()
            .map(|port| (port.name.clone(), port.direction == Direction::In, port.width))
            .collect();
        self.instantiate(name, &ports);
        self
    }

    fn instantiate(&mut self, name: &str, ports: &[(String, bool, usize)]) {
        let mut wires = vec![];
        for (port, input, width) in ports {
            let direction = if *input { "input" } else { "output" };
            let comma = if self.ports.is_empty() { "" } else { ",\n" };
            self.ports += &format!("{comma}  {direction} wire [{}:0] {name}_{port}", width - 1);
            wires.push(format!(".{port}({name}_{port})"));
        }
        self.instances += &format!("  {name} i_{name} ({});\n", wires.join(", "));
    }

    /// Adds an exported folder; its ports are (name, whether an input, width).
    pub fn add_folder(&mut self, folder: &Path, name: &str, ports: &[(String, bool, usize)]) {
        let list = fs::read_to_string(folder.join(Design::FILE_LIST)).unwrap();
        for file in list.lines() {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            self.modules.insert(file.trim_end_matches(".v").into(), text);
        }
        self.instantiate(name, ports);
    }

    /// Builds it; the product's own export has to pass the strict lints.
    pub fn build(&self, lints: Lints) -> Library {
        let top = format!(
            "module {} (\n{}\n);\n{}endmodule\n",
            self.top, self.ports, self.instances
        );
        let files: Vec<(String, String)> = self
            .modules
            .iter()
            .chain([(&self.top, &top)])
            .map(|(name, text)| (format!("{name}.v"), text.clone()))
            .collect();
        // For whoever has to read what failed.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&self.top);
        fs::create_dir_all(&folder).unwrap();
        files
            .iter()
            .for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
        let build = Build {
            lints,
            trace: false,
            evaluation: Evaluation::Divided,
        };
        build
            .library(&Source::from_texts(&self.top, files))
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A block and its Verilated export.
pub struct Twin<B: Block> {
    pub block: B,
    model: Model,
    ports: Vec<Port>,
}

impl<B: Block> Twin<B> {
    /// The block that was added to the bench under `name`.
    pub fn new(mut block: B, library: &Library, name: &str) -> Self {
        block.connect_all();
        // Ports are in the same order; their names may differ from the fields'.
        let design = export(&block, name).unwrap_or_else(|error| panic!("{error}"));
        let port = |port: &DesignPort| library.port(&format!("{name}_{}", port.name)).unwrap();
        let ports = design.ports.iter().map(port).collect();
        Self {
            block,
            model: Model::new(library, 1).unwrap(),
            ports,
        }
    }

    /// Lets both settle and compares their outputs.
    ///
    /// # Panics
    /// If an output differs.
    pub fn settle(&mut self, when: &dyn Fn() -> String) {
        assert!(
            simulate(&mut self.block, 200),
            "{}: the kernel does not settle",
            when()
        );
        let values = top_level(&self.block);
        for (value, port) in values.iter().zip(&self.ports).filter(|(value, _)| value.input) {
            self.model
                .set_bytes(*port, &padded(&value.value, port.byte_len()));
        }
        self.model.eval().unwrap();
        for (value, port) in values.iter().zip(&self.ports).filter(|(value, _)| !value.input) {
            let found = BigUint::from_bytes_le(self.model.bytes(*port));
            if found != value.value {
                let inputs: Vec<String> = values
                    .iter()
                    .filter(|value| value.input)
                    .map(|value| format!("{}={:x}", value.name, value.value))
                    .collect();
                panic!(
                    "{}: `{}` is {:x} in the kernel, {found:x} in Verilog; inputs {}",
                    when(),
                    value.name,
                    value.value,
                    inputs.join(" ")
                );
            }
        }
    }
}

fn padded(value: &BigUint, bytes: usize) -> Vec<u8> {
    let mut padded = value.to_bytes_le();
    padded.resize(bytes, 0);
    padded
}
