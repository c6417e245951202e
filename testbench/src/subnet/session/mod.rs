//! A session: the subnet, and real programs that run as its clients.
mod error;
mod manager;
mod programs;
mod running;

pub use error::{Ran, SessionError};
pub use manager::Manager;
pub use programs::{environment, installed_library, Programs, ProgramsError};
pub use running::{Finished, Running};

use super::cable::Cable;
use super::socket::{Server, ServerError};
use super::Node;
use hca_sim::subnet::attribute::PortInfo;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longest wait of the server for a message before it looks at the programs again.
const LOOK: Duration = Duration::from_millis(5);

/// The subnet, and the programs of one step.
pub struct Session<C> {
    server: Server<C>,
    socket: String,
    programs: Programs,
    /// Number of the ports that the programs are at.
    port: u8,
    /// Folder in which each program gets its own folder.
    folder: PathBuf,
    limit: Duration,
    interrupted: &'static AtomicBool,
    started: u32,
    checks: u32,
}

impl<C: Cable> Session<C> {
    /// Makes a session of programs at the ports of this number. `folder` is an empty one for the files of programs.
    /// `limit` is how long a program may run, or anything is waited for.
    pub fn new(
        server: Server<C>,
        socket: String,
        programs: Programs,
        port: u8,
        folder: PathBuf,
        limit: Duration,
        interrupted: &'static AtomicBool,
    ) -> Session<C> {
        Session {
            server,
            socket,
            programs,
            port,
            folder,
            limit,
            interrupted,
            started: 0,
            checks: 0,
        }
    }

    /// Returns the nodes behind the sockets.
    pub fn server(&mut self) -> &mut Server<C> {
        &mut self.server
    }

    /// Returns the number of the ports that the programs are at.
    pub fn port(&self) -> u8 {
        self.port
    }

    /// Returns the number of programs that were started.
    pub fn started(&self) -> u32 {
        self.started
    }

    /// Returns the number of conditions that held.
    pub fn checks(&self) -> u32 {
        self.checks
    }

    /// Counts a condition that holds. Otherwise `wrong` describes the error.
    pub fn check(&mut self, holds: bool, wrong: impl FnOnce() -> String) -> Ran<()> {
        match holds {
            true => {
                self.checks += 1;
                Ok(())
            }
            false => Err(SessionError::Wrong(wrong())),
        }
    }

    /// Makes a new folder.
    pub fn make_folder(&mut self, name: &str) -> Ran<PathBuf> {
        let folder = self.folder.join(format!("{}-{name}", self.started));
        match std::fs::create_dir_all(&folder) {
            Ok(()) => Ok(folder),
            Err(source) => Err(SessionError::Folder { folder, source }),
        }
    }

    /// Writes a file that a program reads.
    pub fn write(&self, path: &Path, text: &str) -> Ran<()> {
        std::fs::write(path, text).map_err(|source| SessionError::Folder {
            folder: path.to_owned(),
            source,
        })
    }

    /// Starts a program at a node, in this folder.
    pub fn start(&mut self, node: Node, program: &str, arguments: &[&str], folder: &Path) -> Ran<Running> {
        self.started += 1;
        let command = self
            .programs
            .command(&self.socket, (node, self.port), program, arguments, folder);
        Running::start(command, program, arguments, folder)
    }

    /// Runs a program at a node to its end.
    pub fn run(&mut self, node: Node, program: &str, arguments: &[&str]) -> Ran<Finished> {
        let folder = self.make_folder(program)?;
        let running = self.start(node, program, arguments, &folder)?;
        self.finish(running)
    }

    /// Runs a program that must succeed; returns what it printed.
    pub fn succeed(&mut self, node: Node, program: &str, arguments: &[&str]) -> Ran<String> {
        let finished = self.run(node, program, arguments)?;
        self.check(finished.status.success(), || finished.describe())?;
        Ok(finished.printed)
    }

    /// Runs a program that must succeed and print each of these texts.
    pub fn print(&mut self, node: Node, program: &str, arguments: &[&str], texts: &[&str]) -> Ran<()> {
        let printed = self.succeed(node, program, arguments)?;
        for text in texts {
            self.check(printed.contains(text), || {
                format!(
                    "`{program} {}` did not print \"{text}\":\n{printed}",
                    arguments.join(" ")
                )
            })?;
        }
        Ok(())
    }

    /// Serves until the program ends, and returns its result.
    pub fn finish(&mut self, mut running: Running) -> Ran<Finished> {
        let mut ended = false;
        self.serve_until("the end of a program", |_| {
            ended = running.has_ended()?;
            Ok(ended)
        })
        .map_err(|error| match error {
            SessionError::Wrong(_) => SessionError::Wrong(running.describe_hung()),
            other => other,
        })?;
        running.finish()
    }

    /// Serves until the condition holds, at most as long as the limit.
    pub fn serve_until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> Ran<bool>) -> Ran<()> {
        let begun = Instant::now();
        while !holds(self)? {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(SessionError::Interrupted);
            }
            if begun.elapsed() > self.limit {
                let seconds = self.limit.as_secs();
                return Err(SessionError::Wrong(format!("{what} did not come in {seconds} s")));
            }
            self.server.serve(LOOK)?;
        }
        Ok(())
    }

    /// Serves for this long.
    pub fn serve_for(&mut self, duration: Duration) -> Ran<()> {
        let begun = Instant::now();
        self.serve_until("the end of a pause", |_| Ok(begun.elapsed() >= duration))
    }

    /// Returns PortInfo of the port of a node, from its agent and its registers.
    pub fn port_info(&mut self, node: Node) -> Ran<PortInfo> {
        self.port_info_of(node, self.port)
    }

    /// Returns PortInfo of this port of a node.
    pub fn port_info_of(&mut self, node: Node, port: u8) -> Ran<PortInfo> {
        let (agent, ports) = self.server.agent(node);
        let info = agent.port_info(ports, port);
        info.map_err(|error| SessionError::Server(ServerError::Cable(Box::new(error))))
    }
}
