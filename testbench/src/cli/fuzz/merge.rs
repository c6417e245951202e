//! `hca fuzz merge`: shards joined; and the files of a summary.
use super::super::console::Console;
use super::super::error::CallError;
use super::super::words::quoted;
use super::super::Verdict;
use crate::fuzz::record::Record;
use crate::fuzz::store::{self, Store};
use crate::fuzz::summary::{Fault, Summary};
use clap::Args;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of `hca fuzz merge`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Folders of `hca fuzz --out`
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Write the summary as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the summary as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let stores = arguments.folders.iter().map(|folder| Store::read(folder));
    let stores = stores.collect::<Result<Vec<Store>, _>>()?;
    let Some(first) = stores.first() else {
        return Ok(Verdict::Held);
    };
    let mut records: BTreeMap<u64, &Record> = BTreeMap::new();
    for store in &stores {
        if store.campaign() != first.campaign() {
            return Err(CallError::OtherCampaign {
                first: first.folder().to_owned(),
                other: store.folder().to_owned(),
            });
        }
        records.extend(store.records().iter().map(|(index, record)| (*index, record)));
    }
    let summary = Summary::of(first.campaign(), records.into_values());
    let folder_of = |fault: &Fault| {
        let folders = stores.iter().map(|store| store.folder_of(fault));
        folders
            .into_iter()
            .find(|folder| folder.join(store::CASE).exists())
    };
    write_json(&summary, arguments.json.as_deref())?;
    write_junit(&summary, arguments.junit.as_deref(), folder_of)?;
    let place = |fault: &Fault| folder_of(fault).map(|folder| quoted(&folder.join(store::CASE)));
    Console::new().line(&summary.text(place))?;
    Ok(if summary.held() {
        Verdict::Held
    } else {
        Verdict::Differed
    })
}

/// Writes `summary.json`, `summary.txt` and `junit.xml` into the folder of a run.
pub fn write(store: &Store, summary: &Summary) -> Result<(), CallError> {
    let at = |name: &str| store.folder().join(name);
    write_files(store, summary, Some(&at("summary.json")), Some(&at("junit.xml")))?;
    let place = |fault: &Fault| {
        let folder = store.folder_of(fault);
        folder
            .strip_prefix(store.folder())
            .ok()
            .map(|f| f.display().to_string())
    };
    let text = summary.text(place);
    store::write(&at("summary.txt"), |out| out.write_all(text.as_bytes()))?;
    Ok(())
}

/// Writes what was asked for.
pub fn write_files(
    store: &Store,
    summary: &Summary,
    json: Option<&Path>,
    junit: Option<&Path>,
) -> Result<(), CallError> {
    write_json(summary, json)?;
    write_junit(summary, junit, |fault| Some(store.folder_of(fault)))
}

fn write_json(summary: &Summary, path: Option<&Path>) -> Result<(), CallError> {
    if let Some(path) = path {
        store::write_json(path, summary)?;
    }
    Ok(())
}

fn write_junit(
    summary: &Summary,
    path: Option<&Path>,
    folder_of: impl Fn(&Fault) -> Option<PathBuf>,
) -> Result<(), CallError> {
    let report = |fault: &Fault| std::fs::read_to_string(folder_of(fault)?.join(store::REPORT)).ok();
    if let Some(path) = path {
        store::write(path, |out| {
            summary.junit(out, report)?;
            out.write_all(b"\n")
        })?;
    }
    Ok(())
}
