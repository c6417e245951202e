//! `hca export`: writes the hardware of a profile as Verilog, one file a module, with a file list.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::link::Link;
use super::Verdict;
use clap::Args;
use hca_hdl::verilog::Design;
use hca_host::designs::Designs;
use hca_host::profile;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Options of `hca export`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration of the hardware
    #[arg(long, default_value = profile::SMALL.name)]
    profile: String,
    /// Link framing
    #[arg(long, value_enum, default_value_t = Link::Ib)]
    link: Link,
    /// Folder for the files; made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let profile = profile_named(&arguments.profile)?.over(arguments.link.hardware());
    let design = (designs.hca)(&profile).map_err(CallError::Export)?;
    let left = others(&arguments.out, &design)?;
    design.write(&arguments.out).map_err(CallError::WriteExport)?;
    let mut console = Console::new();
    if !left.is_empty() {
        for name in &left {
            let path = arguments.out.join(name);
            fs::remove_file(&path).map_err(|source| CallError::WriteInterface { path, source })?;
        }
        console.line(&format!(
            "removed {} modules of the export that was there before: {}",
            left.len(),
            left.join(", ")
        ))?;
    }
    console.line(&format!(
        "{}: {} modules, top `{}`, listed in {}",
        arguments.out.display(),
        design.modules.len(),
        design.top,
        arguments.out.join(Design::FILE_LIST).display()
    ))?;
    Ok(Verdict::Held)
}

/// Returns the files that another export's list names and this design does not have. This design's list would not name
/// them, but `*.v` would match them. The call is refused if there is a Verilog file that no list names, because it is
/// not this program's to remove.
fn others(folder: &Path, design: &Design) -> Result<Vec<String>, CallError> {
    let own: Vec<String> = design
        .modules
        .iter()
        .map(|module| format!("{}.v", module.name))
        .collect();
    let unreadable = |path: PathBuf| move |source| CallError::WriteInterface { path, source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable(folder.to_owned()))?,
    };
    let list = fs::read_to_string(folder.join(Design::FILE_LIST)).unwrap_or_default();
    let listed: Vec<&str> = list.lines().map(str::trim).collect();
    let mut left = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable(folder.to_owned()))?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if !name.ends_with(".v") || own.contains(&name) {
            continue;
        }
        if !listed.contains(&name.as_str()) {
            return Err(CallError::OtherVerilog { path: entry.path() });
        }
        left.push(name);
    }
    left.sort_unstable();
    Ok(left)
}
