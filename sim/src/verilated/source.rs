use super::Error;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of Verilog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFile {
    /// Path relative to the design's folder. Verilator's messages use it.
    pub name: String,
    pub text: Vec<u8>,
}

/// A design to build: Verilog, and the name of its top module.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the design in messages: a folder, or the name of the top module.
    pub design: String,
    pub top: String,
    /// The files for Verilator, in order.
    pub files: Vec<VerilogFile>,
    /// The files that those may include.
    pub extra: Vec<VerilogFile>,
}

impl Source {
    /// Makes a design of texts in memory: pairs of file name and text.
    pub fn from_texts<N: Into<String>, T: Into<Vec<u8>>>(
        top: &str,
        texts: impl IntoIterator<Item = (N, T)>,
    ) -> Source {
        let files = texts.into_iter().map(|(name, text)| VerilogFile {
            name: name.into(),
            text: text.into(),
        });
        Source {
            design: top.to_owned(),
            top: top.to_owned(),
            files: files.collect(),
            extra: Vec::new(),
        }
    }

    /// Reads a design from a folder: the files that its `files.f` lists, else every `.v` and `.sv` file in it by name.
    /// Headers (`.vh`, `.svh`) in the folder can be included.
    pub fn from_dir(dir: &Path, top: &str) -> Result<Source, Error> {
        let names = listing(dir)?;
        let list = dir.join("files.f");
        let wanted: Vec<String> = if list.is_file() {
            let text = fs::read_to_string(&list).map_err(Error::io("read", &list))?;
            let lines = text.lines().map(|l| l.split("//").next().unwrap_or("").trim());
            lines
                .filter(|l| !l.is_empty() && !l.starts_with(['#', '+', '-']))
                .map(str::to_owned)
                .collect()
        } else {
            let verilog = names.iter().filter(|n| has_extension(n, &["v", "sv"]));
            verilog.cloned().collect()
        };
        if wanted.is_empty() {
            return Err(Error::NoVerilog(dir.to_owned()));
        }
        let read = |name: &String| -> Result<VerilogFile, Error> {
            let path = dir.join(name);
            let text = fs::read(&path).map_err(Error::io("read", &path))?;
            Ok(VerilogFile {
                name: name.clone(),
                text,
            })
        };
        let extra = names.iter().filter(|n| has_extension(n, &["vh", "svh"]));
        Ok(Source {
            design: dir.display().to_string(),
            top: top.to_owned(),
            files: wanted.iter().map(read).collect::<Result<_, _>>()?,
            extra: extra.map(read).collect::<Result<_, _>>()?,
        })
    }
}

fn listing(dir: &Path) -> Result<BTreeSet<String>, Error> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(dir).map_err(Error::io("read the folder", dir))? {
        let entry = entry.map_err(Error::io("read the folder", dir))?;
        if let Ok(name) = entry.file_name().into_string() {
            names.insert(name);
        }
    }
    Ok(names)
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    PathBuf::from(name)
        .extension()
        .is_some_and(|e| extensions.iter().any(|x| e == *x))
}
