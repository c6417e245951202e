//! `hca subnet`: two adapters under a real subnet manager.
mod table;

use super::console::Console;
use super::error::CallError;
use super::Verdict;
use crate::subnet::cable::{Cable, MemoryCable};
use crate::subnet::session::{environment, installed_library, Programs, Session, SessionError};
use crate::subnet::socket::{Server, Sockets};
use crate::subnet::step::Step;
use crate::subnet::{Node, Nodes, Patience};
use clap::{Args, ValueEnum};
use hca_sim::subnet::SubnetAgent;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use table::{Row, Table};

/// How long the server sleeps at most before it looks whether the user has had enough.
const LOOK: Duration = Duration::from_millis(100);
/// Repeats of a request that nobody answers.
const REPEATS: u32 = 3;

/// Options of `hca subnet`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// What real programs do to the subnet; if not given, all
    #[arg(value_name = "STEP", value_enum)]
    steps: Vec<Step>,
    /// What lies between the two nodes
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Between::Memory)]
    cable: Between,
    /// Play no step: serve whatever programs connect, until Ctrl-C, behind the sockets of this name
    #[arg(long, value_name = "NAME", conflicts_with = "steps")]
    serve: Option<String>,
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
enum Between {
    /// Registers and link are memory: the agents and the socket are real, and no adapter is in the path of a MAD
    Memory,
}

/// The user has had enough.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed)).map_err(CallError::Signals)?;
    let mut console = Console::new();
    if let Some(name) = &arguments.serve {
        return arguments.serve(name, &mut console);
    }
    let programs = Programs::find(arguments.library.as_deref())?;
    let steps = match arguments.steps.as_slice() {
        [] => &Step::ALL,
        steps => steps,
    };
    let mut table = Table::default();
    let mut all_held = true;
    for step in steps {
        let row = arguments.play(*step, &programs)?;
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
    /// Two nodes at reset behind the sockets of this name.
    fn server(&self, name: &str) -> Result<Server<MemoryCable>, CallError> {
        let capabilities = Node::BOTH.map(Node::capabilities);
        let [alpha, beta] = &capabilities;
        let cable = match self.cable {
            Between::Memory => MemoryCable::new([alpha, beta]),
        };
        let agents = Node::BOTH.map(|node| SubnetAgent::new(node.capabilities(), node.name()));
        let patience = Patience {
            interval: Duration::from_millis(self.repeat_after),
            repeats: REPEATS,
        };
        let sockets =
            Sockets::bind(name).map_err(|error| CallError::Subnet(SessionError::Server(error.into())))?;
        Ok(Server::new(Nodes::new(cable, agents, patience), sockets))
    }

    /// Plays a step; `None` after Ctrl-C.
    fn play(&self, step: Step, programs: &Programs) -> Result<Option<Row>, CallError> {
        let folder = tempfile::tempdir().map_err(|source| {
            CallError::Subnet(SessionError::Folder {
                folder: std::env::temp_dir(),
                source,
            })
        })?;
        let name = format!("hca-{}", std::process::id());
        let server = self.server(&name)?;
        let begun = Instant::now();
        let mut session = Session::new(
            server,
            name,
            programs.clone(),
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
    fn serve(&self, name: &str, console: &mut Console) -> Result<Verdict, CallError> {
        let mut server = self.server(name)?;
        let library = self.library.clone().or_else(installed_library);
        let library = library.unwrap_or_else(|| "libumad2sim.so".into());
        console.line("Programs with this environment are at node alpha; SIM_HOST=beta is the other one:")?;
        console.line(&format!("LD_PRELOAD={}", library.display()))?;
        for (variable, value) in environment(name, Node::Alpha) {
            console.line(&format!("{variable}={value}"))?;
        }
        while !STOPPED.load(Ordering::Relaxed) {
            let served = server.serve(LOOK);
            served.map_err(|error| CallError::Subnet(SessionError::Server(error)))?;
        }
        Ok(Verdict::Unjudged)
    }
}
