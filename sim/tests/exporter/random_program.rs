//! The part of the generated program that is the same for all kernels: exports each block, runs it
//! on random inputs and writes down what it gave.
use crate::port_value::top_level;
use crate::stimulus::Stimulus;
use hca_hdl::verilog::{export, Direction};
use rust_hdl_core::prelude::*;
use std::fmt::Write;
use std::path::Path;

/// Writes `NAME/*.v` and `NAME.vectors` into `folder`: a line of ports (`<name:width`
/// for inputs, `>name:width` for outputs), then
/// a line of values for each round.
pub fn emit<B: Block>(
    folder: &Path,
    name: &str,
    rounds: usize,
    mut block: B,
    stimulate: fn(&mut B, &mut Stimulus),
) {
    block.connect_all();
    let design = export(&block, name).unwrap_or_else(|error| panic!("{error}"));
    design.write(&folder.join(name)).unwrap();
    let names = design.ports.iter().map(|port| {
        let mark = if port.direction == Direction::In { "<" } else { ">" };
        format!("{mark}{}:{}", port.name, port.width)
    });
    let mut text = names.collect::<Vec<_>>().join(" ");
    let mut random = Stimulus::new(1);
    for _ in 0..rounds {
        stimulate(&mut block, &mut random);
        assert!(simulate(&mut block, 200), "{name} does not settle");
        let values = top_level(&block)
            .into_iter()
            .map(|port| port.value.to_str_radix(16));
        let _ = write!(text, "\n{}", values.collect::<Vec<_>>().join(" "));
    }
    std::fs::write(folder.join(format!("{name}.vectors")), text).unwrap();
}
