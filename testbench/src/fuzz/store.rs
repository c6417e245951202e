//! The folder of a run: the requested cases, a line for each completed case, and a folder for each fault.
//!
//! ```text
//! DIR/fuzz.json            the campaign, a digest of the program that ran it, the requested cases, whether all ended
//! DIR/cases.jsonl          a record a line, as cases ended
//! DIR/failures/N-WORDS/    case.toml, report.txt, packets.pcap of the fault that case N showed
//! DIR/summary.json .txt    and junit.xml: at the end
//! ```
use super::campaign::Campaign;
use super::record::Record;
use super::run_spec::RunSpec;
use super::summary::{Fault, Summary};
use crate::trace::output::{OutputError, OutputFile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const CAMPAIGN: &str = "fuzz.json";
const CASES: &str = "cases.jsonl";
const FAILURES: &str = "failures";
/// Name of the file of a failure's case.
pub const CASE: &str = "case.toml";
/// Name of the file of a failure's report.
pub const REPORT: &str = "report.txt";
/// Name of the file of a failure's packets.
pub const PCAP: &str = "packets.pcap";

/// Largest number of characters in the name of a failure's folder that describe it.
const WORDS: usize = 48;

/// Content of `fuzz.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    campaign: Campaign,
    program: String,
    /// The requested cases of all runs in this folder; of several runs of a shard, the last one.
    #[serde(default)]
    asked: Vec<RunSpec>,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot use the folder `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` holds the results of {what}", path.display())]
    Other { path: PathBuf, what: &'static str },
    #[error("`{}`, line {line}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl StoreError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
        |source| StoreError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// An open folder.
pub struct Store {
    folder: PathBuf,
    head: Head,
    records: BTreeMap<u64, Record>,
    cases: Option<File>,
}

impl Store {
    /// Opens the folder of this campaign, or creates it. `program` is the digest of the program that runs the cases.
    pub fn open(
        folder: &Path,
        campaign: &Campaign,
        program: &str,
        asked: &RunSpec,
    ) -> Result<Store, StoreError> {
        fs::create_dir_all(folder.join(FAILURES)).map_err(StoreError::io(folder))?;
        let mut head = Head {
            campaign: campaign.clone(),
            program: program.to_owned(),
            asked: Vec::new(),
        };
        let path = folder.join(CAMPAIGN);
        if path.exists() {
            let before: Head = json(&path)?;
            let what = match () {
                () if before.campaign != head.campaign => "other options",
                () if before.program != head.program => "another build of this program",
                () => "",
            };
            if !what.is_empty() {
                let path = folder.to_owned();
                return Err(StoreError::Other { path, what });
            }
            head.asked = before.asked;
        }
        head.asked.retain(|before| before.shard != asked.shard);
        head.asked.push(asked.clone());
        write_json(&path, &head)?;
        let mut store = Store::read(folder)?;
        let path = folder.join(CASES);
        let cases = File::options().create(true).append(true).open(&path);
        store.cases = Some(cases.map_err(StoreError::io(&path))?);
        Ok(store)
    }

    /// Reads a folder.
    pub fn read(folder: &Path) -> Result<Store, StoreError> {
        let head = json(&folder.join(CAMPAIGN))?;
        let path = folder.join(CASES);
        let text = match fs::read_to_string(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(StoreError::io(&path))?,
        };
        let mut records = BTreeMap::new();
        // A line that a killed run left incomplete is not a record, and its case runs again.
        for (n, line) in text.split_inclusive('\n').enumerate() {
            if !line.ends_with('\n') {
                mend(&path, text.len() - line.len())?;
                break;
            }
            let record: Record = serde_json::from_str(line).map_err(|source| StoreError::Unreadable {
                path: path.clone(),
                line: n + 1,
                source,
            })?;
            records.insert(record.index, record);
        }
        Ok(Store {
            folder: folder.to_owned(),
            head,
            records,
            cases: None,
        })
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the campaign of the folder.
    pub fn campaign(&self) -> &Campaign {
        &self.head.campaign
    }

    /// Returns the digest of the program that ran the cases.
    pub fn program(&self) -> &str {
        &self.head.program
    }

    /// Returns the requested cases of all runs.
    pub fn asked(&self) -> &[RunSpec] {
        &self.head.asked
    }

    /// Notes that the run that opened the folder has reached its end.
    pub fn end(&mut self) -> Result<(), StoreError> {
        if let Some(asked) = self.head.asked.last_mut() {
            asked.ended = true;
        }
        Ok(write_json(&self.folder.join(CAMPAIGN), &self.head)?)
    }

    /// Returns the completed cases, by number.
    pub fn records(&self) -> &BTreeMap<u64, Record> {
        &self.records
    }

    /// Adds a completed case.
    pub fn add(&mut self, record: Record) -> Result<(), StoreError> {
        let path = self.folder.join(CASES);
        if let Some(file) = &mut self.cases {
            let mut line = serde_json::to_vec(&record).map_err(|e| OutputFile::error(&path, e.into()))?;
            line.push(b'\n');
            file.write_all(&line).map_err(|e| OutputFile::error(&path, e))?;
        }
        self.records.insert(record.index, record);
        Ok(())
    }

    /// Returns the differences so far, each with the lowest case that was written for it.
    pub fn known(&self) -> BTreeMap<String, u64> {
        let mut known = BTreeMap::new();
        for record in self.records.values() {
            if let Some(differed) = &record.differed {
                if failure_folder(&self.folder, record.index, differed)
                    .join(CASE)
                    .exists()
                {
                    known.entry(differed.clone()).or_insert(record.index);
                }
            }
        }
        known
    }

    /// Returns the summary of all records. For each fault, the folder of its lowest case stays; the other folders are
    /// removed.
    pub fn summary(&self) -> Result<Summary, StoreError> {
        let summary = Summary::of(&self.head.campaign, self.records.values());
        let kept: BTreeSet<PathBuf> = summary.faults.iter().map(|f| self.folder_of(f)).collect();
        for fault in &summary.faults {
            for index in &fault.cases {
                let folder = failure_folder(&self.folder, *index, &fault.differed);
                if !kept.contains(&folder) && folder.exists() {
                    fs::remove_dir_all(&folder).map_err(StoreError::io(&folder))?;
                }
            }
        }
        Ok(summary)
    }

    /// Returns the folder of a fault.
    pub fn folder_of(&self, fault: &Fault) -> PathBuf {
        failure_folder(&self.folder, fault.first(), &fault.differed)
    }
}

/// Returns the folder of the fault that a case showed.
pub fn failure_folder(out: &Path, index: u64, differed: &str) -> PathBuf {
    let mut words = String::new();
    for c in differed.chars() {
        match c.is_ascii_alphanumeric() {
            true => words.push(c.to_ascii_lowercase()),
            false if !words.ends_with('-') => words.push('-'),
            false => {}
        }
    }
    words.truncate(WORDS);
    out.join(FAILURES)
        .join(format!("{index}-{}", words.trim_matches('-')))
}

/// Removes an incomplete last line.
fn mend(path: &Path, length: usize) -> Result<(), StoreError> {
    let cut = File::options().write(true).open(path);
    cut.and_then(|file| file.set_len(length as u64))
        .map_err(StoreError::io(path))
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let text = fs::read(path).map_err(StoreError::io(path))?;
    serde_json::from_slice(&text).map_err(|source| StoreError::Unreadable {
        path: path.to_owned(),
        line: source.line(),
        source,
    })
}

/// Writes a value, completely or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), OutputError> {
    write(path, |out| {
        serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::other)?;
        out.write_all(b"\n")
    })
}

/// Writes a file, completely or not at all.
pub fn write(
    path: &Path,
    content: impl FnOnce(&mut OutputFile) -> io::Result<()>,
) -> Result<(), OutputError> {
    let mut file = OutputFile::create(path)?;
    content(&mut file).map_err(|e| OutputFile::error(path, e))?;
    file.finish()
}
