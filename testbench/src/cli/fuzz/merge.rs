//! `hca fuzz merge`: joins shards. This module also writes the files of a summary.
use super::super::console::Console;
use super::super::error::CallError;
use super::super::words::quoted;
use super::super::Verdict;
use crate::fuzz::joined::joined;
use crate::fuzz::store::{self, Store};
use crate::fuzz::summary::{Fault, Summary};
use crate::trace::output::OutputFile;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of a file that stands for standard output.
const STDOUT: &str = "-";

/// Options of `hca fuzz merge`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Folders of `hca fuzz --out`
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Write the summary as JSON; `-` for standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the summary as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    check_files(arguments.json.as_deref(), arguments.junit.as_deref())?;
    let stores = arguments.folders.iter().map(|folder| Store::read(folder));
    let stores = stores.collect::<Result<Vec<Store>, _>>()?;
    let Some(first) = stores.first() else {
        return Ok(Verdict::Held);
    };
    for store in &stores {
        let (first, other) = (first.folder().to_owned(), store.folder().to_owned());
        if store.campaign() != stores[0].campaign() {
            return Err(CallError::OtherCampaign { first, other });
        }
        if store.program() != stores[0].program() {
            return Err(CallError::OtherBuild { first, other });
        }
        if store.asked().is_empty() {
            return Err(CallError::Unasked { path: other });
        }
    }
    let Some(summary) = joined(&stores.iter().collect::<Vec<_>>()) else {
        return Ok(Verdict::Held);
    };
    let folder_of = |fault: &Fault| {
        let folders = stores.iter().map(|store| store.folder_of(fault));
        folders
            .into_iter()
            .find(|folder| folder.join(store::CASE).exists())
    };
    let mut console = console(arguments.json.as_deref());
    write_json(&summary, arguments.json.as_deref())?;
    write_junit(&summary, arguments.junit.as_deref(), folder_of)?;
    let place = |fault: &Fault| folder_of(fault).map(|folder| quoted(&folder.join(store::CASE)));
    console.line(&summary.text(place))?;
    Ok(match (summary.held(), summary.faults.is_empty()) {
        (true, _) => Verdict::Held,
        (false, false) => Verdict::Differed,
        // A part is missing.
        (false, true) => Verdict::Refused,
    })
}

/// Returns the console for the text, which is silent if the JSON goes to standard output.
pub fn console(json: Option<&Path>) -> Console {
    match json == Some(Path::new(STDOUT)) {
        true => Console::silent(),
        false => Console::new(),
    }
}

/// Checks before the work that the files can be written.
pub fn check_files(json: Option<&Path>, junit: Option<&Path>) -> Result<(), CallError> {
    let json = json.filter(|path| *path != Path::new(STDOUT));
    Ok(json.into_iter().chain(junit).try_for_each(OutputFile::check)?)
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

/// Writes the requested files.
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
    match path {
        None => {}
        Some(path) if path == Path::new(STDOUT) => {
            let text = serde_json::to_string_pretty(summary);
            let text = text.map_err(|e| OutputFile::error(Path::new("standard output"), e.into()))?;
            Console::new().line(&text)?;
        }
        Some(path) => store::write_json(path, summary)?,
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
