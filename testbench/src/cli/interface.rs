//! `hca interface`: writes the host interface as a page, as SystemRDL and as a C header.
use super::console::Console;
use super::error::CallError;
use super::Verdict;
use clap::Args;
use std::path::{Path, PathBuf};

/// Options of `hca interface`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Folder for the files; made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let files = hca_host::interface::files();
    let unwritten = |path: &Path| {
        let path = path.to_owned();
        move |source| CallError::WriteInterface { path, source }
    };
    std::fs::create_dir_all(&arguments.out).map_err(unwritten(&arguments.out))?;
    for file in &files {
        let path = arguments.out.join(file.name);
        std::fs::write(&path, &file.text).map_err(unwritten(&path))?;
    }
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    Console::new().line(&format!("{}: {}", arguments.out.display(), names.join(", ")))?;
    Ok(Verdict::Held)
}
