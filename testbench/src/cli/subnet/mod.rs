//! `hca subnet`: runs two adapters under a real subnet manager.
mod between;
mod replay;
mod table;

use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::Hardware;
use super::Verdict;
use crate::subnet::cable::{Cable, FIRST};
use crate::subnet::recording::{Header, Recorder};
use crate::subnet::session::{environment, installed_library, Programs, Session, SessionError};
use crate::subnet::socket::{Server, Sockets};
use crate::subnet::step::Step;
use crate::subnet::{Node, Patience};
use between::{nodes, Adapters, Between, Memory};
use clap::{Args, Subcommand, ValueEnum};
use hca_host::designs::Designs;
use hca_host::profile;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use table::{Row, Table};

/// Longest sleep of the server before it looks whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(100);
/// Number of repetitions of a request without an answer.
const REPEATS: u32 = 3;

/// Options of `hca subnet`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    replay: Option<Recorded>,
    /// What real programs do to the subnet; if not given, all
    #[arg(value_name = "STEP", value_enum)]
    steps: Vec<Step>,
    /// What lies between the two nodes
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Kind::Adapters)]
    cable: Kind,
    /// Configuration of the adapters
    #[arg(long, value_name = "NAME", default_value = profile::SMALL.name)]
    profile: String,
    /// Number of the ports that programs manage, of an adapter with two
    #[arg(long, value_name = "NUMBER", default_value_t = FIRST, value_parser = clap::value_parser!(u8).range(1..=2))]
    port: u8,
    /// Seed of everything random in the adapters' surroundings
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Play no step: serve whatever programs connect, until Ctrl-C, behind the sockets of this name
    #[arg(long, value_name = "NAME", conflicts_with = "steps")]
    serve: Option<String>,
    /// Record what programs do to the subnet in the one step that is named
    #[arg(long, value_name = "FILE", requires = "steps", conflicts_with = "serve")]
    record: Option<PathBuf>,
    /// Where `libumad2sim.so` is, if not where distributions have it
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Milliseconds after which a request without a response is repeated
    #[arg(long, value_name = "MS", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    repeat_after: u64,
    /// Seconds that a program may run, or anything be awaited
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
}

/// What lies between the two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Two simulated adapters: every MAD that leaves a node crosses their hardware
    Adapters,
    /// Registers and link are memory: the agents and the socket are real, and no adapter is in the path of a MAD
    Memory,
}

/// What needs no program.
#[derive(Debug, Subcommand)]
enum Recorded {
    /// Play recordings of steps back, each on nodes of its kind
    Replay(replay::Arguments),
}

/// Set when the user has pressed Ctrl-C.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    if let Some(Recorded::Replay(replay)) = &arguments.replay {
        return replay::run(designs, replay);
    }
    if arguments.record.is_some() && !matches!(&arguments.steps[..], [step] if step.can_be_recorded()) {
        return Err(CallError::OneStep);
    }
    ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed)).map_err(CallError::Signals)?;
    match arguments.cable {
        Kind::Memory => run_between(&Memory, arguments),
        Kind::Adapters => {
            let profile = profile_named(&arguments.profile)?;
            let adapters = Adapters {
                hardware: Hardware::build(designs, profile, None, false)?,
                profile: *profile,
                seed: arguments.seed,
            };
            run_between(&adapters, arguments)
        }
    }
}

fn run_between<B: Between>(between: &B, arguments: &Arguments) -> Result<Verdict, CallError> {
    let [capabilities, _] = between.capabilities();
    if arguments.port > capabilities.ports {
        return Err(CallError::NoPort(arguments.port));
    }
    let mut console = Console::new();
    if let Some(name) = &arguments.serve {
        return arguments.serve(between, name, &mut console);
    }
    let programs = Programs::find(arguments.library.as_deref())?;
    let steps = match arguments.steps.as_slice() {
        [] => &Step::ALL,
        steps => steps,
    };
    let mut table = Table::default();
    let mut all_held = true;
    for step in steps {
        let row = arguments.play(between, *step, &programs)?;
        let Some(row) = row else {
            console.line("interrupted")?;
            return Ok(Verdict::Unjudged);
        };
        all_held &= row.wrong.is_none();
        console.line(&table.line(row))?;
    }
    console.line(&table.whole())?;
    Ok(if all_held {
        Verdict::Held
    } else {
        Verdict::Differed
    })
}

impl Arguments {
    fn patience(&self) -> Patience {
        Patience {
            interval: Duration::from_millis(self.repeat_after),
            repeats: REPEATS,
        }
    }

    /// Returns two nodes at reset behind the sockets with this name.
    fn server<B: Between>(&self, between: &B, name: &str) -> Result<Server<B::Cable>, CallError> {
        let sockets =
            Sockets::bind(name).map_err(|error| CallError::Subnet(SessionError::Server(error.into())))?;
        Ok(Server::new(nodes(between, self.patience())?, sockets))
    }

    /// Returns the recording of a step that begins.
    fn recorder(&self, step: Step) -> Result<Option<Recorder>, CallError> {
        let Some(path) = &self.record else {
            return Ok(None);
        };
        let profile = (self.cable == Kind::Adapters).then(|| self.profile.clone());
        let header = Header::new(
            table::name(step),
            profile,
            self.port,
            self.seed,
            self.repeat_after,
            REPEATS,
        );
        Ok(Some(Recorder::create(path, &header)?))
    }

    /// Plays a step. Returns `None` after Ctrl-C.
    fn play<B: Between>(
        &self,
        between: &B,
        step: Step,
        programs: &Programs,
    ) -> Result<Option<Row>, CallError> {
        let folder = tempfile::tempdir().map_err(|source| {
            CallError::Subnet(SessionError::Folder {
                folder: std::env::temp_dir(),
                source,
            })
        })?;
        let name = format!("hca-{}", std::process::id());
        let mut server = self.server(between, &name)?;
        if let Some(recorder) = self.recorder(step)? {
            server.record(recorder);
        }
        let begun = Instant::now();
        let mut session = Session::new(
            server,
            name,
            programs.clone(),
            self.port,
            folder.path().to_owned(),
            Duration::from_secs(self.patience),
            &STOPPED,
        );
        let wrong = match step.play(&mut session) {
            Ok(()) => None,
            Err(SessionError::Wrong(what)) => Some(what),
            Err(SessionError::Interrupted) => return Ok(None),
            Err(error) => return Err(CallError::Subnet(error)),
        };
        session
            .server()
            .finish_recording(self.port)
            .map_err(|error| CallError::Subnet(SessionError::Server(error)))?;
        Ok(Some(Row {
            step,
            programs: session.started(),
            checks: session.checks(),
            mads: session.server().nodes().cable().crossed(),
            seconds: begun.elapsed().as_secs_f64(),
            wrong,
        }))
    }

    /// Serves until Ctrl-C.
    fn serve<B: Between>(
        &self,
        between: &B,
        name: &str,
        console: &mut Console,
    ) -> Result<Verdict, CallError> {
        let mut server = self.server(between, name)?;
        let library = self.library.clone().or_else(installed_library);
        let library = library.unwrap_or_else(|| "libumad2sim.so".into());
        let [(_, _), (_, beta)] = environment(name, (Node::Beta, self.port));
        console.line(&format!(
            "Programs with this environment are at node alpha; SIM_HOST={beta} is the other one:"
        ))?;
        console.line(&format!("LD_PRELOAD={}", library.display()))?;
        for (variable, value) in environment(name, (Node::Alpha, self.port)) {
            console.line(&format!("{variable}={value}"))?;
        }
        while !STOPPED.load(Ordering::Relaxed) {
            let served = server.serve(LOOK);
            served.map_err(|error| CallError::Subnet(SessionError::Server(error)))?;
        }
        Ok(Verdict::Unjudged)
    }
}
