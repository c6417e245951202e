//! A block out of another design that holds it, in place of the block's own export: for designs with mutants in them.
use hca_rtl::verilog::Design;
use hca_sim::verilated::{Build, Library, Lints, Source};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::env;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// Folder of the design, and of the export that it was made of, where modules have the same names.
const FOLDER: &str = "HCA_DUT";
const EXPORT: &str = "HCA_DUT_EXPORT";
const SELECT: &str = "HCA_SELECT";
/// The input of each module that says which mutant is real, and what it is called here: Verilator has names of its own for
/// two underscores.
const MUTANT: &str = "mutant__";
pub const INPUT: &str = "mutant_select";

/// A design with mutants.
pub struct Dut {
    folder: PathBuf,
    export: PathBuf,
}

impl Dut {
    /// The one that this test program was told of.
    pub fn told() -> Option<Dut> {
        Some(Dut {
            folder: env::var_os(FOLDER)?.into(),
            export: env::var_os(EXPORT)?.into(),
        })
    }

    /// Which of its mutants is real; 0: none.
    pub fn select() -> u64 {
        env::var(SELECT).map_or(0, |text| text.parse().expect("a number of a mutant"))
    }

    /// The modules that it was made of, by name.
    pub fn export(&self) -> BTreeMap<String, String> {
        modules(&self.export)
    }

    /// Its files by name, with `INPUT` where a module has mutants.
    pub fn files(&self) -> BTreeMap<String, String> {
        let source = Source::from_dir(&self.folder, "").expect("the design is there");
        let text = |text: &[u8]| String::from_utf8_lossy(text).replace(MUTANT, INPUT);
        source
            .files
            .iter()
            .map(|file| (file.name.clone(), text(&file.text)))
            .collect()
    }

    /// The block as this design has it; none where it holds no such block.
    pub fn library(&self, block: &Design, top: &str) -> Option<Library> {
        let ours = block
            .modules
            .iter()
            .map(|m| (m.name.clone(), m.text.clone()))
            .collect();
        let theirs = self.export();
        let wanted = Shapes::of(&ours).shape(top);
        let mut shapes = Shapes::of(&theirs);
        let name = theirs.keys().find(|name| shapes.shape(name) == wanted)?;
        let build = Build {
            lints: Lints::Lenient,
            trace: false,
        };
        let source = Source::from_texts(name, self.files());
        Some(build.library(&source).expect("the block builds"))
    }
}

/// The modules of a folder by name.
fn modules(folder: &Path) -> BTreeMap<String, String> {
    let source = Source::from_dir(folder, "").expect("the export is there");
    let named = source.files.into_iter().map(|file| {
        let name = file.name.trim_end_matches(".v").to_owned();
        (name, String::from_utf8(file.text).expect("an export is text"))
    });
    named.collect()
}

/// What modules are, whatever they are called: names depend on what else a design holds.
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
                [inner, instance, "("] if self.modules.contains_key(inner) => {
                    (self.shape(inner), instance).hash(&mut hasher);
                }
                ["module", _, "("] => {}
                _ => line.hash(&mut hasher),
            }
        }
        let shape = hasher.finish();
        self.known.insert(name.to_owned(), shape);
        shape
    }
}
