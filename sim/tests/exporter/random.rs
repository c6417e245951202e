//! Random kernels against their Verilog.
//!
//! The kernels are real ones: their Rust source is generated, built offline as a program of its own
//! under the target folder, run for the expected values and exported, and the Verilog compared.
use crate::compare::Bench;
use crate::random_block::{block, RandomBlock};
use hca_sim::verilated::{Library, Lints, Model, Port};
use num_bigint::BigUint;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OUTPUTS: usize = 25;
const ROUNDS: usize = 40;

/// Programs in a run; each is built on its own.
fn programs() -> u8 {
    match std::env::var("HCA_TIER").as_deref() {
        Ok("nightly") => 21,
        _ => 1,
    }
}

const BLOCKS: usize = 16;

#[test]
fn random_kernels_agree() {
    let mut expressions = 0;
    for seed in 0..programs() {
        let blocks = generate(seed);
        expressions += blocks.iter().map(RandomBlock::expressions).sum::<usize>();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random_kernels_{seed}"));
        build_and_run(&folder, &blocks);
        compare(&folder.join("out"), &format!("random_{seed}"), &blocks);
    }
    let wanted = if programs() > 1 { 10_000 } else { 400 };
    assert!(expressions >= wanted, "only {expressions} expressions");
}

fn generate(seed: u8) -> Vec<RandomBlock> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = block(OUTPUTS);
    (0..BLOCKS)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

/// Writes only what changed, so that cargo builds only what changed.
fn place(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

/// A program that exports and runs these kernels.
fn main_source(blocks: &[RandomBlock]) -> String {
    let root = workspace();
    let module = |name: &str, path: &str| format!("#[path = {:?}]\npub mod {name};\n", root.join(path));
    let mut text = String::from("#![allow(warnings)]\n");
    text += &module("stimulus", "sim/tests/exporter/stimulus.rs");
    text += &module("port_value", "sim/tests/exporter/port_value.rs");
    text += &module("random_program", "sim/tests/exporter/random_program.rs");
    text += "pub mod prelude {\n    pub use crate::stimulus::Stimulus;\n";
    text += "    pub use rust_hdl_core::prelude::*;\n}\n";
    for (n, block) in blocks.iter().enumerate() {
        text += &block.source(&format!("k{n}"));
    }
    text += "fn main() {\n    let folder = std::env::args().nth(1).unwrap();\n";
    text += "    let folder = std::path::Path::new(&folder);\n";
    for n in 0..blocks.len() {
        text += &format!(
            "    random_program::emit(folder, \"k{n}\", {ROUNDS}, k{n}::Kernel::default(), k{n}::stimulate);\n"
        );
    }
    text + "}\n"
}

/// A manifest with the workspace's versions, built for a short compilation.
fn manifest() -> String {
    let text = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let version = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} = ")));
        line.unwrap_or_else(|| panic!("no {name} in the workspace"))
            .to_string()
    };
    let names = ["rust-hdl-core", "num-bigint", "rand_chacha"];
    let mut versions: Vec<String> = names.iter().map(|name| version(name)).collect();
    versions.push(format!(
        "hca-hdl = {{ path = {:?} }}",
        workspace().join("rtl/hdl")
    ));
    format!(
        "[workspace]\n[package]\nname = \"random-kernels\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
         [dependencies]\n{}\n[profile.dev]\nopt-level = 0\ndebug = false\nincremental = false\n",
        versions.join("\n")
    )
}

fn build_and_run(folder: &Path, blocks: &[RandomBlock]) {
    let out = folder.join("out");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::create_dir_all(&out).unwrap();
    place(&folder.join("Cargo.toml"), &manifest());
    place(&folder.join("src/main.rs"), &main_source(blocks));
    // The versions that the workspace has are on this machine. Cargo prunes the copy.
    let lock = fs::read_to_string(workspace().join("Cargo.lock")).unwrap();
    let copied = folder.join("workspace.lock");
    if fs::read_to_string(&copied).ok().as_deref() != Some(&lock) {
        fs::write(folder.join("Cargo.lock"), &lock).unwrap();
        fs::write(copied, lock).unwrap();
    }
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_kernels");
    let built = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--jobs", "2", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&shared)
        .arg("--")
        .arg(&out)
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
}

/// What one block gave: its ports as (name, whether an input, width), and their values in each round.
struct Vectors {
    ports: Vec<(String, bool, usize)>,
    rounds: Vec<Vec<BigUint>>,
}

impl Vectors {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        let port = |text: &str| {
            let (name, width) = text[1..].split_once(':').unwrap();
            (name.to_string(), text.starts_with('<'), width.parse().unwrap())
        };
        let ports = lines.next().unwrap().split(' ').map(port).collect();
        let number = |text: &str| BigUint::parse_bytes(text.as_bytes(), 16).unwrap();
        let rounds: Vec<Vec<BigUint>> = lines.map(|line| line.split(' ').map(number).collect()).collect();
        assert_eq!(rounds.len(), ROUNDS, "{}", path.display());
        Self { ports, rounds }
    }
}

fn compare(out: &Path, top: &str, blocks: &[RandomBlock]) {
    let vectors: Vec<Vectors> = (0..blocks.len())
        .map(|n| Vectors::read(&out.join(format!("k{n}.vectors"))))
        .collect();
    let mut bench = Bench::new(top);
    for (n, vectors) in vectors.iter().enumerate() {
        bench.add_folder(&out.join(format!("k{n}")), &format!("k{n}"), &vectors.ports);
    }
    // A comparison with a random number may be constant, which the strict lints refuse.
    let library = bench.build(Lints::Lenient);
    let differing: Vec<String> = blocks
        .iter()
        .zip(&vectors)
        .enumerate()
        .flat_map(|(n, (block, vectors))| differences(&format!("k{n}"), block, vectors, &library))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// A report for each output that differs, of its first round.
fn differences(name: &str, block: &RandomBlock, vectors: &Vectors, library: &Library) -> Vec<String> {
    let mut model = Model::new(library, 1).unwrap();
    let mut reports = BTreeMap::new();
    for values in &vectors.rounds {
        let ports: Vec<(&str, bool, Port, &BigUint)> = vectors
            .ports
            .iter()
            .zip(values)
            .map(|((port, input, _), value)| {
                (
                    port.as_str(),
                    *input,
                    library.port(&format!("{name}_{port}")).unwrap(),
                    value,
                )
            })
            .collect();
        for (_, _, port, value) in ports.iter().filter(|(_, input, ..)| *input) {
            let mut bytes = value.to_bytes_le();
            bytes.resize(port.byte_len(), 0);
            model.set_bytes(*port, &bytes);
        }
        model.eval().unwrap();
        for (output, _, port, value) in ports.iter().filter(|(_, input, ..)| !*input) {
            let found = BigUint::from_bytes_le(model.bytes(*port));
            if found != **value {
                reports.entry(output.to_string()).or_insert_with(|| {
                    let inputs = ports.iter().filter(|(_, input, ..)| *input);
                    let inputs: Vec<String> =
                        inputs.map(|(input, _, _, value)| format!("{input}={value:x}")).collect();
                    format!(
                        "block {name}, {output}: {value:x} in the kernel, {found:x} in Verilog, for\n{}with {}",
                        block.explain(output),
                        inputs.join(" ")
                    )
                });
            }
        }
    }
    reports.into_values().collect()
}
