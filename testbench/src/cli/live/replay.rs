//! `hca live replay`: replays recorded sessions without their peers.
use super::adapter::{Built, Choice};
use crate::cli::console::Console;
use crate::cli::cosim::profile_named;
use crate::cli::error::CallError;
use crate::cli::Verdict;
use crate::live::adapter::{Adapter, Halt};
use crate::live::address::Address;
use crate::live::recording::{Ended, Recording};
use crate::live::replay::{play, Replayed};
use crate::report::{self, Context};
use clap::Args;
use hca_host::designs::Designs;
use hca_host::profile;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest number of differing completions of each kind that are listed.
const LISTED: usize = 8;

/// Options of `hca live replay`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Recordings that `hca live --record FILE` wrote
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// No model beside the adapter
    #[arg(long)]
    unchecked: bool,
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let mut console = Console::new();
    let mut built = BTreeMap::new();
    let mut verdict = Verdict::Held;
    for file in &arguments.files {
        if replay(designs, arguments, file, &mut built, &mut console)? == Verdict::Differed {
            verdict = Verdict::Differed;
        }
    }
    Ok(verdict)
}

fn replay(
    designs: Designs,
    arguments: &Arguments,
    file: &Path,
    built: &mut BTreeMap<(String, bool), Built>,
    console: &mut Console,
) -> Result<Verdict, CallError> {
    let recording = Recording::read(file)?;
    let header = &recording.header;
    let choice = Choice {
        golden_only: header.golden_only,
        unchecked: arguments.unchecked,
    };
    let profile = profile_named(&header.profile)?.over(profile::Link::Roce);
    let key = (header.profile.clone(), header.golden_only);
    if !built.contains_key(&key) {
        built.insert(key.clone(), choice.build(designs, &profile)?);
    }
    let station = choice.station(&built[&key], &profile, Address(header.host), header.seed)?;
    let mut adapter = Adapter::new(station, None);
    let name = file.display();
    let replayed = match play(&recording, &mut adapter) {
        Ok(replayed) => replayed,
        Err(Halt::Output(error)) => return Err(error.into()),
        Err(Halt::Failed(failure)) => {
            let context = Context {
                scenario: &format!("live replay, {}", choice.describe(&profile)),
                seed: header.seed,
                replay: &format!("hca live replay {name}"),
            };
            console.line(&report::render(&failure, &context))?;
            return Ok(Verdict::Differed);
        }
    };
    let came = format!(
        "{} frames out, {} in, {} decisions judged in {} cycles",
        adapter.frames_out(),
        adapter.frames_in(),
        adapter.decisions(),
        adapter.now()
    );
    match replayed {
        Replayed::Same(_) => console.line(&format!("HELD: {name}: {came}, all as recorded"))?,
        Replayed::Otherwise(_) => console.line(&format!(
            "HELD: {name}: {came}; frames or their times are not those recorded, which the rules permit"
        ))?,
        Replayed::Astray {
            entry,
            needed,
            reached,
        } => {
            return Err(CallError::Astray {
                path: file.to_owned(),
                line: entry,
                needed,
                reached,
            })
        }
        Replayed::Completions { missing, extra } => {
            console.line(&format!(
                "DIFFERED: {name}: {came}; completions are not those recorded"
            ))?;
            list(console, "recorded, and not now", &missing)?;
            list(console, "now, and not recorded", &extra)?;
            return Ok(Verdict::Differed);
        }
    }
    Ok(Verdict::Held)
}

fn list(console: &mut Console, what: &str, completions: &[Ended]) -> Result<(), CallError> {
    for ended in completions.iter().take(LISTED) {
        let Ended {
            qpn,
            wr_id,
            status,
            bytes,
            ..
        } = ended;
        console.line(&format!(
            "  {what}: QP {qpn:06X}h, wr_id {wr_id}, status {status}, {bytes} bytes"
        ))?;
    }
    if completions.len() > LISTED {
        console.line(&format!("  {what}: {} more", completions.len() - LISTED))?;
    }
    Ok(())
}
