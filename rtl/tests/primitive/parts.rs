//! All modules of a kind that the adapter has, side by side in one simulation.
use hca_host::profile::SMALL;
use hca_rtl::export;
use hca_sim::graft::{Graft, INPUT};
use hca_sim::verilated::{Build, Evaluation, Library, Lints, Source};
use std::collections::BTreeMap;
use std::fmt::Write;

const TOP: &str = "parts";

/// A module of the adapter.
pub struct Part {
    pub name: String,
    pub text: String,
    ports: Vec<Port>,
    /// Outputs that nothing in the adapter looks at; a design made of it may leave them open.
    open: Vec<String>,
}

struct Port {
    input: bool,
    /// As Verilog has it, such as `[3:0]`; empty of a bit.
    range: String,
    name: String,
}

impl Part {
    /// The name of a port in the simulation.
    pub fn port(&self, name: &str) -> String {
        format!("{}_of_{}", name, self.name)
    }

    /// An output says something.
    pub fn tells(&self, name: &str) -> bool {
        !self.open.iter().any(|open| open == name)
    }

    /// Bits of a port.
    pub fn width(&self, name: &str) -> usize {
        let port = self
            .ports
            .iter()
            .find(|port| port.name == name)
            .expect("it is there");
        width(&port.range)
    }

    /// What stands in its text behind `before`, up to the next character that is neither letter nor digit nor `_`.
    pub fn word_behind(&self, before: &str) -> &str {
        let at = self.text.find(before).expect("it is there") + before.len();
        let rest = &self.text[at..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        &rest[..end]
    }
}

fn width(range: &str) -> usize {
    match range.trim_start_matches('[').split_once(':') {
        Some((high, _)) => 1 + high.parse::<usize>().expect("a number"),
        None => 1,
    }
}

/// The modules whose names begin so, and a simulation that holds them all; each at a port of its own but for `clock`
/// and `reset`.
pub fn of(beginning: &str) -> (Vec<Part>, Library) {
    let dut = Graft::from_environment().map(|dut| dut.expect("the design is there"));
    let modules = match &dut {
        Some(dut) => dut.export.clone(),
        None => adapter(),
    };
    let mut parts: Vec<Part> = modules
        .iter()
        .filter(|(name, _)| name.starts_with(beginning))
        .map(|(name, text)| Part {
            name: name.clone(),
            text: text.clone(),
            ports: ports(text),
            open: Vec::new(),
        })
        .collect();
    let files = match &dut {
        Some(dut) => dut.files.clone(),
        None => modules
            .into_iter()
            .map(|(name, text)| (format!("{name}.v"), text))
            .collect(),
    };
    let mut selected = Vec::new();
    if let Some(dut) = &dut {
        for part in &mut parts {
            let (_, inside) = dut.inside(&part.name).expect("the design has it");
            let open = |port: &&Port| inside.contains(&format!("assign {} = 1'hx;", port.name));
            part.open = part
                .ports
                .iter()
                .filter(open)
                .map(|port| port.name.clone())
                .collect();
            if dut.selects(&part.name) {
                selected.push(part.name.clone());
            }
        }
    }
    let top = top(&parts, &selected, dut.is_some());
    let build = Build {
        lints: if dut.is_some() {
            Lints::Lenient
        } else {
            Lints::Strict
        },
        trace: false,
        evaluation: Evaluation::Divided,
    };
    let files = files.into_iter().chain([(format!("{TOP}.v"), top)]);
    let library = build
        .library(&Source::from_texts(TOP, files))
        .expect("the parts build");
    (parts, Graft::select(library))
}

/// They are not the project's own, as exported.
pub fn elsewhere() -> bool {
    Graft::from_environment().is_some()
}

fn adapter() -> BTreeMap<String, String> {
    let design = export::hca(&SMALL).expect("the adapter exports");
    design.modules.into_iter().map(|m| (m.name, m.text)).collect()
}

fn ports(text: &str) -> Vec<Port> {
    let declared = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.trim().trim_end_matches(',').split_whitespace().collect();
        let (direction, rest) = words.split_first()?;
        if !matches!(*direction, "input" | "output") || !line.starts_with("  ") {
            return None;
        }
        let (name, kind) = rest.split_last()?;
        Some(Port {
            input: *direction == "input",
            range: kind
                .iter()
                .find(|word| word.starts_with('['))
                .unwrap_or(&"")
                .to_string(),
            name: name.to_string(),
        })
    });
    declared.collect()
}

fn top(parts: &[Part], selected: &[String], selects: bool) -> String {
    let shared = |port: &Port| matches!(port.name.as_str(), "clock" | "reset");
    let mut declared = vec!["input clock".to_owned(), "input reset".to_owned()];
    if selects {
        declared.push(format!("input [15:0] {INPUT}"));
    }
    let mut instances = String::new();
    for part in parts {
        let mut ends = Vec::new();
        for port in &part.ports {
            let name = if shared(port) {
                port.name.clone()
            } else {
                part.port(&port.name)
            };
            if !shared(port) {
                let direction = if port.input { "input" } else { "output" };
                declared.push(format!("{direction} {} {name}", port.range));
            }
            ends.push(format!(".{}({name})", port.name));
        }
        if selected.contains(&part.name) {
            ends.push(format!(".{INPUT}({INPUT})"));
        }
        writeln!(instances, "  {0} the_{0} ({1});", part.name, ends.join(", ")).expect("it is a string");
    }
    format!(
        "module {TOP} (\n  {}\n);\n{instances}endmodule\n",
        declared.join(",\n  ")
    )
}
