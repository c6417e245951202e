//! Builds a block from the modules of a mutated design, so that the tests of the block run against mutants.
use crate::verilated::{Build, Error, Evaluation, Library, Lints, Source};
use hca_hdl::verilog::Design;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::env;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::path::Path;

/// Environment variable with the folder of the mutated design.
const FOLDER: &str = "HCA_DUT";
/// Environment variable with the folder of the export from which the mutated design was made. Its modules have the same
/// names.
const EXPORT: &str = "HCA_DUT_EXPORT";
/// Environment variable with the number of the active mutant.
const SELECT: &str = "HCA_SELECT";
/// Name of the input of the design's modules that selects the mutant.
const MUTANT: &str = "mutant__";
/// Name of that input in the block. It differs, because Verilator changes names with two underscores.
pub const INPUT: &str = "mutant_select";
/// Suffix of the names of modules that are the block's own.
const OWN: &str = "_own";

/// The mutated design.
pub struct Graft {
    /// The modules of the export from which it was made, by name.
    pub export: BTreeMap<String, String>,
    /// Its files by name.
    pub files: BTreeMap<String, String>,
}

/// Returns the number of the active mutant; 0 for none.
fn active_mutant() -> u64 {
    env::var(SELECT).map_or(0, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{SELECT}={text} is no number"))
    })
}

impl Graft {
    /// Returns the design that the environment names; `None` if blocks are built from the project's own modules.
    pub fn from_environment() -> Option<Result<Graft, Error>> {
        let (folder, export) = (env::var_os(FOLDER)?, env::var_os(EXPORT)?);
        Some(Graft::of(Path::new(&folder), Path::new(&export)))
    }

    fn of(folder: &Path, export: &Path) -> Result<Graft, Error> {
        let texts = |folder| -> Result<BTreeMap<String, String>, Error> {
            let files = Source::from_dir(folder, "")?.files.into_iter();
            Ok(files
                .map(|file| {
                    (
                        file.name,
                        String::from_utf8_lossy(&file.text).replace(MUTANT, INPUT),
                    )
                })
                .collect())
        };
        let modules = texts(export)?.into_iter();
        Ok(Graft {
            export: modules
                .map(|(name, text)| (name.trim_end_matches(".v").to_owned(), text))
                .collect(),
            files: texts(folder)?,
        })
    }

    /// Returns true if a module of the design contains mutants.
    pub fn selects(&self, module: &str) -> bool {
        self.inside(module)
            .is_some_and(|(ports, _)| ports.contains(INPUT))
    }

    /// Returns the design's version of a module: the names of its ports, and the text after them.
    pub fn inside(&self, module: &str) -> Option<(&str, &str)> {
        let head = format!("module {module}(");
        let (_, rest) = self.files.values().find_map(|text| text.split_once(&head))?;
        rest.split("endmodule").next()?.split_once(';')
    }

    /// Builds a block, with every module that the design has taken from the design.
    pub fn library(&self, block: &Design) -> Result<Library, Error> {
        let build = Build {
            lints: Lints::Lenient,
            trace: false,
            evaluation: Evaluation::Divided,
        };
        Ok(Graft::select(build.library(&self.source(block))?))
    }

    /// Returns the library with the active mutant selected at its input [`INPUT`], if it has one.
    pub fn select(library: Library) -> Library {
        match library.port(INPUT) {
            Ok(input) => library.preset(input, active_mutant()),
            Err(_) => library,
        }
    }

    fn source(&self, block: &Design) -> Source {
        let own: BTreeMap<String, String> = block
            .modules
            .iter()
            .map(|m| (m.name.clone(), m.text.clone()))
            .collect();
        let mut theirs = Shapes::of(&self.export);
        let by_shape: HashMap<u64, &str> = self
            .export
            .keys()
            .map(|n| (theirs.shape(n), n.as_str()))
            .collect();
        let mut shapes = Shapes::of(&own);
        let taken: HashMap<&str, Option<&str>> = own
            .keys()
            .map(|name| (name.as_str(), by_shape.get(&shapes.shape(name)).copied()))
            .collect();
        let mut text = String::new();
        for (name, module) in &own {
            if taken[name.as_str()].is_none() {
                self.grafted(module, &taken, &mut text);
            }
        }
        let top = match taken[block.top.as_str()] {
            Some(theirs) => theirs.to_owned(),
            None => format!("{}{OWN}", block.top),
        };
        let own_file = (format!("{top}{OWN}.v"), text);
        Source::from_texts(&top, self.files.clone().into_iter().chain([own_file]))
    }

    /// Writes a module of the block itself, with the design's modules as its instances.
    fn grafted(&self, module: &str, taken: &HashMap<&str, Option<&str>>, text: &mut String) {
        for line in module.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let added = match words[..] {
                ["module", name, "("] => writeln!(text, "module {name}{OWN} (")
                    .map(|()| Some(format!("  input  wire [15:0] {INPUT},"))),
                [inner, instance, "("] if taken.contains_key(inner) => {
                    let (name, selects) = match taken[inner] {
                        Some(theirs) => (theirs.to_owned(), self.selects(theirs)),
                        None => (format!("{inner}{OWN}"), true),
                    };
                    writeln!(text, "  {name} {instance} (")
                        .map(|()| selects.then(|| format!("    .{INPUT}({INPUT}),")))
                }
                _ => writeln!(text, "{line}").map(|()| None),
            };
            let added = added.expect("a string takes all");
            text.extend(added.map(|line| line + "\n"));
        }
    }
}

/// Compares modules without regard to their names, which depend on the other modules of a design.
struct Shapes<'a> {
    modules: &'a BTreeMap<String, String>,
    known: HashMap<String, u64>,
}

impl<'a> Shapes<'a> {
    fn of(modules: &'a BTreeMap<String, String>) -> Shapes<'a> {
        Shapes {
            modules,
            known: HashMap::new(),
        }
    }

    fn shape(&mut self, name: &str) -> u64 {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let mut hasher = DefaultHasher::new();
        for line in self.modules[name].lines() {
            // `  type name (` is an instance, `module name (` the module itself.
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["module", _, "("] => {}
                [inner, instance, "("] if self.modules.contains_key(inner) => {
                    (self.shape(inner), instance).hash(&mut hasher);
                }
                _ => line.hash(&mut hasher),
            }
        }
        let shape = hasher.finish();
        self.known.insert(name.to_owned(), shape);
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hca_hdl::verilog::Module;

    const LEAF: &str = "module NAME (\n  input  wire a,\n  output wire y\n);\n  assign y = !a;\nendmodule\n";
    const PAIR: &str = "module NAME (\n  input  wire a,\n  output wire y\n);\n  INNER inner (\n    .a(a),\n    .y(y)\n  );\nendmodule\n";
    const MUTATED: &str = "module leaf(a, y, mutant__);\n  input a;\n  output y;\n  input [15:0] mutant__;\n  assign y = mutant__ == 16'h0001 ? a : !a;\nendmodule\n";

    fn leaf(name: &str) -> (String, String) {
        (name.to_owned(), LEAF.replace("NAME", name))
    }

    fn pair(name: &str, inner: &str) -> (String, String) {
        (
            name.to_owned(),
            PAIR.replace("NAME", name).replace("INNER", inner),
        )
    }

    /// A design whose module `leaf` has a mutant.
    fn graft() -> Graft {
        Graft {
            export: [leaf("leaf")].into(),
            files: [("all.v".to_owned(), MUTATED.replace(MUTANT, INPUT))].into(),
        }
    }

    fn block(modules: impl IntoIterator<Item = (String, String)>) -> Design {
        let modules: Vec<Module> = modules
            .into_iter()
            .map(|(name, text)| Module { name, text })
            .collect();
        Design {
            top: modules[0].name.clone(),
            modules,
            ports: Vec::new(),
        }
    }

    #[test]
    fn the_same_module_is_taken_whatever_it_is_called() {
        let source = graft().source(&block([pair("pair", "leaf_2"), leaf("leaf_2")]));
        assert_eq!(source.top, "pair_own");
        let own = String::from_utf8(source.files.last().unwrap().text.clone()).unwrap();
        let expected = "module pair_own (\n  input  wire [15:0] mutant_select,\n  input  wire a,\n  output wire y\n);\n  leaf inner (\n    .mutant_select(mutant_select),\n    .a(a),\n    .y(y)\n  );\nendmodule\n";
        assert_eq!(own, expected);
    }

    #[test]
    fn a_block_that_the_design_holds_is_all_its_own() {
        assert_eq!(graft().source(&block([leaf("leaf_7")])).top, "leaf");
    }

    #[test]
    fn another_module_of_the_same_name_stays() {
        let (name, text) = leaf("leaf");
        let other = (name, text.replace("!a", "a"));
        let source = graft().source(&block([pair("pair", "leaf"), other]));
        let own = String::from_utf8(source.files.last().unwrap().text.clone()).unwrap();
        assert!(own.contains("module leaf_own (\n"), "{own}");
        assert!(
            own.contains("  leaf_own inner (\n    .mutant_select(mutant_select),\n"),
            "{own}"
        );
    }

    #[test]
    fn a_module_with_mutants_is_known_by_its_ports() {
        assert!(graft().selects("leaf"));
        assert!(!graft().selects("pair"));
        let graft = graft();
        let (ports, inside) = graft.inside("leaf").unwrap();
        assert_eq!(ports, "a, y, mutant_select)");
        assert!(inside.ends_with("!a;\n"), "{inside}");
    }
}
