//! `hca cosim`: scenarios on the hardware beside the model, or on two models.
mod arguments;
mod chosen;
mod each_seed;
mod replay;
mod run;
mod seeds;

pub use arguments::Arguments;

use super::console::Console;
use super::error::CallError;
use super::waves::{supervise, Waves};
use super::Verdict;
use crate::scenario::all;
use crate::trace::junit;
use crate::trace::output::{OutputError, OutputFile};
use arguments::list;
use hca_host::designs::Designs;
use hca_host::profile::{self, Profile};
use run::Bench;
use std::io::{self, Write};
use std::path::Path;

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    if arguments.list {
        let mut console = Console::new();
        for entry in all() {
            console.line(&format!("{:<21} {}", entry.name, entry.about))?;
        }
        return Ok(Verdict::Held);
    }
    let profile = profile_named(arguments.profile())?.over(arguments.link().hardware());
    let scenarios = arguments.scenarios(&profile)?;
    arguments.check_hardware_options()?;
    let waves = arguments.fst.as_deref().map(Waves::of_this_process);
    if let (Some(None), Some(file)) = (&waves, &arguments.fst) {
        return supervise(file);
    }
    let waves = waves.flatten();
    if let Some(lacking) = scenarios.iter().find_map(|s| s.lacks(arguments.golden_only)) {
        return Err(CallError::HardwareLacks { scenario: lacking });
    }
    let mut bench = Bench::new(designs, arguments, &scenarios, &profile, waves.as_ref())?;
    if let Some(seeds) = &arguments.seeds {
        return each_seed::run(arguments, seeds, &scenarios, &mut bench);
    }
    let mut results = Vec::new();
    for scenario in &scenarios {
        results.push(bench.show(arguments, scenario, arguments.seed)?);
    }
    let json = |out: &mut OutputFile| serde_json::to_writer_pretty(out, &results).map_err(io::Error::other);
    write_file(arguments.json.as_deref(), json)?;
    write_file(arguments.junit.as_deref(), |out| junit::write(&results, out))?;
    let held = results.iter().all(|r| r.held);
    Ok(if held { Verdict::Held } else { Verdict::Differed })
}

/// Returns the profile with this name.
pub fn profile_named(name: &str) -> Result<&'static Profile, CallError> {
    profile::by_name(name).ok_or_else(|| CallError::UnknownProfile {
        name: name.to_owned(),
        known: list(profile::ALL.iter().map(|p| p.name)),
    })
}

fn write_file(
    path: Option<&Path>,
    write: impl FnOnce(&mut OutputFile) -> io::Result<()>,
) -> Result<(), OutputError> {
    let Some(path) = path else {
        return Ok(());
    };
    let mut file = OutputFile::create(path)?;
    write(&mut file).map_err(|e| OutputFile::error(path, e))?;
    file.write_all(b"\n").map_err(|e| OutputFile::error(path, e))?;
    file.finish()
}
