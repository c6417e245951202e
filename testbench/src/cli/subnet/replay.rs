//! Plays recordings back, without any program.
use super::super::console::Console;
use super::super::cosim::profile_named;
use super::super::error::CallError;
use super::super::hardware::Hardware;
use super::super::Verdict;
use super::between::{nodes, Adapters, Between, Memory};
use crate::subnet::recording::{play, PlayError, Played, Recording};
use crate::subnet::session::SessionError;
use crate::subnet::socket::ServerError;
use crate::subnet::Patience;
use clap::Args;
use hca_host::designs::Designs;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `hca subnet replay`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Recordings that `hca subnet --record` wrote
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Plays each recording on nodes of its kind.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let mut console = Console::new();
    let mut verdict = Verdict::Held;
    for path in &arguments.files {
        let recording = Recording::read(path).map_err(CallError::Recording)?;
        let header = &recording.header;
        let played = match &header.profile {
            None => play_between(&Memory, &recording),
            Some(name) => {
                let profile = profile_named(name)?;
                let adapters = Adapters {
                    hardware: Hardware::build(designs, profile, None, false)?,
                    profile: *profile,
                    seed: header.seed,
                };
                play_between(&adapters, &recording)
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        console.line(&match played? {
            Ok(Played { messages, crossed }) => format!(
                "HELD: {name}, step {}: {messages} messages to programs and {crossed} MADs over the link as recorded",
                header.step
            ),
            Err(error) => {
                verdict = Verdict::Differed;
                format!("WRONG: {name}, step {}: {error}", header.step)
            }
        })?;
    }
    Ok(verdict)
}

/// The result of a replay.
type Went = Result<Played, PlayError>;

fn play_between<B: Between>(between: &B, recording: &Recording) -> Result<Went, CallError> {
    let patience = Patience {
        interval: Duration::from_millis(recording.header.repeat_after),
        repeats: recording.header.repeats,
    };
    match play(recording, &mut nodes(between, patience)?) {
        Err(PlayError::Cable(error)) => {
            Err(CallError::Subnet(SessionError::Server(ServerError::Cable(error))))
        }
        went => Ok(went),
    }
}
