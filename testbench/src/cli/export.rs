//! `hca export`: the hardware of a profile as Verilog, one file a module, with a file list.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::link::Link;
use super::Verdict;
use clap::Args;
use hca_hdl::verilog::Design;
use hca_host::designs::Designs;
use hca_host::profile;
use std::path::PathBuf;

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
    design.write(&arguments.out).map_err(CallError::WriteExport)?;
    Console::new().line(&format!(
        "{}: {} modules, top `{}`, listed in {}",
        arguments.out.display(),
        design.modules.len(),
        design.top,
        arguments.out.join(Design::FILE_LIST).display()
    ))?;
    Ok(Verdict::Held)
}
