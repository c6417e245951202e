//! A case, and the file that holds it.
use super::frame::Frame;
use crate::case::{Beyond, Step};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Version of the file's layout.
const VERSION: u32 = 1;

/// A life in its frame, and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Seed and number from which the case was drawn.
    pub seed: u64,
    pub index: u64,
    /// The first difference when the case was written; `None` for a case that holds.
    pub differed: Option<String>,
    pub frame: Frame,
    pub steps: Vec<Step>,
}

/// A case as it is in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    seed: u64,
    index: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    differed: Option<String>,
    frame: Frame,
    #[serde(skip_serializing)]
    life: Life,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Life {
    steps: Vec<Step>,
}

/// Why a file is not a case.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    #[error("it is of version {0}, and this program reads version {VERSION}")]
    Version(u32),
    #[error("{place}: {source}")]
    Beyond {
        /// The frame, or the number of the step.
        place: String,
        source: Box<Beyond>,
    },
}

/// A case that TOML cannot express.
#[derive(Debug, thiserror::Error)]
#[error("case {index} of seed {seed} cannot be written as TOML: {source}")]
pub struct Unwritable {
    pub seed: u64,
    pub index: u64,
    pub source: toml::ser::Error,
}

impl Case {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Case, CaseError> {
        Case::parse(&fs::read_to_string(path)?)
    }

    /// Parses the text that [`Case::text`] wrote, which may have been edited.
    pub fn parse(text: &str) -> Result<Case, CaseError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        // The version comes first, because another version may have other fields.
        let Version { version } = toml::from_str(text)?;
        if version != VERSION {
            return Err(CaseError::Version(version));
        }
        let file: File = toml::from_str(text)?;
        let beyond = |place: String, source| CaseError::Beyond {
            place,
            source: Box::new(source),
        };
        let frame = file.frame.check();
        frame.map_err(|source| beyond("frame".to_owned(), source))?;
        for (n, step) in file.life.steps.iter().enumerate() {
            let place = || format!("step {} ({})", n + 1, step.act.name());
            step.check().map_err(|source| beyond(place(), source))?;
        }
        Ok(Case {
            seed: file.seed,
            index: file.index,
            differed: file.differed,
            frame: file.frame,
            steps: file.life.steps,
        })
    }

    /// Returns the case as text for a file, one step a line.
    pub fn text(&self) -> Result<String, Unwritable> {
        let unwritable = |source| Unwritable {
            seed: self.seed,
            index: self.index,
            source,
        };
        let head = File {
            version: VERSION,
            seed: self.seed,
            index: self.index,
            differed: self.differed.clone(),
            frame: self.frame.clone(),
            life: Life::default(),
        };
        let mut text = "# `hca replay FILE` runs it again.\n".to_owned();
        text += &toml::to_string(&head).map_err(unwritable)?;
        text += "\n[life]\nsteps = [\n";
        for step in &self.steps {
            let mut line = String::new();
            step.serialize(toml::ser::ValueSerializer::new(&mut line))
                .map_err(unwritable)?;
            writeln!(text, "    {line},").expect("writing to a string");
        }
        Ok(text + "]\n")
    }

    /// Returns the name of the case in reports.
    pub fn name(&self) -> String {
        format!("case {}", self.index)
    }
}

/// Returns the paths of the cases of a folder, sorted by name.
pub fn all_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
