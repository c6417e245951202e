//! No files of a crate import each other in a circle: each can be read, and moved, with nothing but the files below it.
//!
//! A file imports another one if it names what that file defines, by `use` or by a path; a re-export is followed to the
//! definition, and is no import itself. Methods need no import, so that a type may stand in one file and what it does
//! in several others. Modules of tests do not count.
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, UseTree};

/// The folders of all crates with modules.
const CRATES: [&str; 7] = [
    "golden/src", "rtl/src", "rtl/hdl/src", "rtl/host/src", "sim/src", "testbench/src", "program/src",
];

/// Modules that import their own files and define what these import: tables in parts. No other module may do so.
const TABLES: [(&str, &str); 2] = [("rtl/host/src", "argument"), ("rtl/host/src", "register")];

/// Names from the crate's root to a module, or to something in it; `*` at the end stands for all that is there.
type Names = Vec<String>;

/// A file of a crate.
#[derive(Default)]
struct File {
    /// What its `use` items name: the name in this file, the path as it is written, and whether it is a re-export.
    uses: Vec<(String, Names, bool)>,
    /// All other paths in it.
    paths: Vec<Names>,
    /// Names of its items.
    items: BTreeSet<String>,
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    let is_test =
        |a: &Attribute| a.path().is_ident("cfg") && a.parse_args().is_ok_and(|of: syn::Ident| of == "test");
    attributes.iter().any(is_test)
}

impl File {
    fn parse(text: &str) -> File {
        let mut file = File::default();
        let parsed = syn::parse_file(text).expect("the crate compiles");
        file.items = parsed.items.iter().filter_map(name).collect();
        file.visit_file(&parsed);
        file
    }

    fn add_tree(&mut self, before: &Names, tree: &UseTree, is_public: bool) {
        let with = |name: &syn::Ident| [before.clone(), vec![name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree, is_public),
            UseTree::Group(group) => group
                .items
                .iter()
                .for_each(|tree| self.add_tree(before, tree, is_public)),
            UseTree::Glob(_) => self.uses.push((
                "*".to_owned(),
                [before.clone(), vec!["*".to_owned()]].concat(),
                is_public,
            )),
            UseTree::Rename(rename) => {
                self.uses
                    .push((rename.rename.to_string(), with(&rename.ident), is_public))
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().cloned().unwrap_or_default();
                self.uses.push((last, before.clone(), is_public));
            }
            UseTree::Name(name) => self
                .uses
                .push((name.ident.to_string(), with(&name.ident), is_public)),
        }
    }
}

fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

impl<'a> Visit<'a> for File {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        if !is_of_tests(&item.attrs) {
            self.add_tree(&Vec::new(), &item.tree, is_public);
        }
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_of_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    /// `pub(super)` names a module and imports nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        self.paths.push(names.collect());
        visit::visit_path(self, path);
    }

    /// What a macro is given is no syntax tree: only paths from the crate's root, or from a module above, are found.
    fn visit_macro(&mut self, item: &'a Macro) {
        static PATH: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\b(?:crate|super)(?: :: \w+)+").unwrap());
        let tokens = item.tokens.to_string();
        let paths = PATH
            .find_iter(&tokens)
            .map(|path| path.as_str().split(" :: ").map(str::to_owned).collect());
        self.paths.extend(paths);
    }
}

/// The files of a crate by their modules.
struct Crate(BTreeMap<Names, File>);

impl Crate {
    /// From the texts of its files, by their paths below `src`.
    fn parse<'a>(files: impl IntoIterator<Item = (String, &'a str)>) -> Crate {
        let module = |path: String| -> Names {
            let mut names: Names = path
                .trim_end_matches(".rs")
                .split('/')
                .map(str::to_owned)
                .collect();
            names.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
            names
        };
        Crate(
            files
                .into_iter()
                .map(|(path, text)| (module(path), File::parse(text)))
                .collect(),
        )
    }

    /// The path from the crate's root, if it leads into the crate.
    fn absolute(&self, module: &Names, path: &Names) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let from = |module: &[String]| [module, rest].concat();
        let child = [module.clone(), vec![first.clone()]].concat();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some(from(module)),
            "super" => {
                let above = path.iter().take_while(|name| *name == "super").count();
                Some([&module[..module.len().checked_sub(above)?], &path[above..]].concat())
            }
            // One name alone may be that of a variable.
            _ if !rest.is_empty() && self.0.contains_key(&child) => Some(from(&child)),
            _ => {
                let (_, used, _) = self.0[module]
                    .uses
                    .iter()
                    .find(|(name, used, _)| name == first && used != path)?;
                Some(from(&self.absolute(module, used)?))
            }
        }
    }

    /// The module whose file defines what this path from the root names.
    fn definition(&self, path: &Names, most: usize) -> Option<Names> {
        let module = (0..=path.len())
            .rev()
            .map(|n| path[..n].to_vec())
            .find(|names| self.0.contains_key(names))?;
        let rest = &path[module.len()..];
        let Some(first) = rest.first().filter(|first| most > 0 && *first != "*") else {
            return Some(module);
        };
        let file = &self.0[&module];
        let further = |used: &Names| {
            let target = self.absolute(&module, used).filter(|target| target != path)?;
            self.definition(&[target, rest[1..].to_vec()].concat(), most - 1)
        };
        if let Some((_, used, _)) = file.uses.iter().find(|(name, ..)| name == first) {
            return further(used).or(Some(module));
        }
        let globs = file
            .uses
            .iter()
            .filter(|(name, ..)| name == "*" && !file.items.contains(first));
        let mut found = globs.filter_map(|(_, used, _)| {
            let within = [used[..used.len() - 1].to_vec(), rest.to_vec()].concat();
            let target = self.absolute(&module, &within).filter(|target| target != path)?;
            let found = self.definition(&target, most - 1)?;
            self.0[&found].items.contains(first).then_some(found)
        });
        found.next().or(Some(module.clone()))
    }

    /// The modules that each module imports.
    fn imports(&self) -> BTreeMap<&Names, BTreeSet<Names>> {
        let of = |(module, file): (&'_ Names, &'_ File)| -> BTreeSet<Names> {
            let used = file
                .uses
                .iter()
                .filter(|(_, _, is_public)| !is_public)
                .map(|(_, path, _)| path);
            let targets = used
                .chain(&file.paths)
                .filter_map(|path| self.absolute(module, path));
            let defined = targets.filter_map(|target| self.definition(&target, 8));
            defined.filter(|other| other != module).collect()
        };
        self.0
            .iter()
            .map(|(module, file)| (module, of((module, file))))
            .collect()
    }

    /// The first circle found, as the names of its modules: each imports the next one, and the last imports the first.
    /// A module below one of `tables` may import that table.
    fn circle(&self, tables: &[&str]) -> Option<Vec<String>> {
        let mut imports = self.imports();
        for (module, of) in &mut imports {
            of.retain(|other| !(tables.contains(&other.join("::").as_str()) && module.starts_with(other)));
        }
        // Files that import nothing but such files are on no circle.
        loop {
            let left: BTreeSet<Names> = imports.keys().map(|module| (*module).clone()).collect();
            imports.retain(|_, of| !of.is_disjoint(&left));
            if imports.len() == left.len() {
                break;
            }
        }
        let mut way: Vec<&Names> = vec![imports.keys().next()?];
        loop {
            let of = &imports[way[way.len() - 1]];
            let next = *imports.keys().find(|module| of.contains(**module))?;
            if let Some(at) = way.iter().position(|module| *module == next) {
                return Some(way[at..].iter().map(|module| module.join("::")).collect());
            }
            way.push(next);
        }
    }
}

/// The Rust files below a folder, by their paths from it.
fn files(folder: &Path, below: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let name = format!("{below}{}", entry.unwrap().file_name().to_string_lossy());
        match folder.join(&name) {
            path if path.is_dir() => found.extend(files(folder, &format!("{name}/"))),
            path if name.ends_with(".rs") => found.push((name, fs::read_to_string(path).unwrap())),
            _ => {}
        }
    }
    found
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    for name in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        let files = files(&folder, "");
        let files = files.iter().map(|(path, text)| (path.clone(), text.as_str()));
        let tables = TABLES.iter().filter(|(of, _)| *of == name);
        let tables: Vec<&str> = tables.map(|(_, table)| *table).collect();
        assert_eq!(Crate::parse(files).circle(&tables), None, "in {name}");
    }
}

fn circle_of(files: &[(&str, &str)]) -> Option<Vec<String>> {
    Crate::parse(files.iter().map(|(path, text)| ((*path).to_owned(), *text))).circle(&[])
}

#[test]
fn a_circle_is_found_and_named() {
    let files = [
        ("lib.rs", "mod a; mod b; pub mod c; pub use c::C;"),
        ("a.rs", "use super::b::B; pub struct A(B);"),
        ("b.rs", "pub struct B; fn b() { assert!(crate::C::new()); }"),
        ("c/mod.rs", "mod d; pub use d::C;"),
        ("c/d.rs", "use crate::a::{self}; pub struct C(a::A);"),
    ];
    assert_eq!(
        circle_of(&files),
        Some(["a", "b", "c::d"].map(str::to_owned).to_vec())
    );
}

#[test]
fn a_module_and_what_it_declares_may_be_a_circle() {
    let files = [
        ("lib.rs", "mod a; fn f() { a::g(); } pub const N: u32 = 1;"),
        ("a.rs", "pub fn g() -> u32 { super::N }"),
    ];
    assert_eq!(circle_of(&files), Some(["", "a"].map(str::to_owned).to_vec()));
}

#[test]
fn re_exports_and_tests_are_no_imports() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*;"),
        ("a.rs", "use super::B; pub struct A(B);"),
        (
            "b.rs",
            "pub struct B; #[cfg(test)] mod tests { use super::super::a::A; }",
        ),
    ];
    assert_eq!(circle_of(&files), None);
}
