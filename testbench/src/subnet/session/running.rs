//! A program that runs as a client.
use super::error::{Ran, SessionError};
use rustix::process::{kill_process, Pid, Signal};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Name of the file for a program's output.
const OUTPUT: &str = "printed";
/// Largest number of lines of output that a message shows.
const SHOWN: usize = 12;

/// A running program. It is ended when this value is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    /// The command line.
    call: String,
    output: PathBuf,
}

/// A program that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    pub call: String,
    pub status: ExitStatus,
    /// Standard output and standard error.
    pub printed: String,
}

impl Running {
    pub(super) fn start(
        mut command: Command,
        program: &str,
        arguments: &[&str],
        folder: &Path,
    ) -> Ran<Running> {
        let output = folder.join(OUTPUT);
        let opened = File::create(&output).and_then(|file| Ok((file.try_clone()?, file)));
        let (out, err) = opened.map_err(|source| SessionError::Folder {
            folder: output.clone(),
            source,
        })?;
        // A file takes all of the output while nobody reads.
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let child = command.spawn().map_err(|source| SessionError::Start {
            program: program.to_owned(),
            source,
        })?;
        Ok(Running {
            child,
            call: [&[program], arguments].concat().join(" "),
            output,
        })
    }

    /// Returns true if the program has ended.
    pub fn has_ended(&mut self) -> Ran<bool> {
        let status = self.child.try_wait();
        let status = status.map_err(|source| SessionError::Start {
            program: self.call.clone(),
            source,
        })?;
        Ok(status.is_some())
    }

    /// Asks it to end.
    pub fn stop(&self) {
        // A program that has ended already cannot be asked.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
    }

    /// Returns its result. It must have ended.
    pub(super) fn finish(mut self) -> Ran<Finished> {
        let status = self.child.wait().map_err(|source| SessionError::Start {
            program: self.call.clone(),
            source,
        })?;
        Ok(Finished {
            call: self.call.clone(),
            status,
            printed: self.printed(),
        })
    }

    pub(super) fn describe_hung(&self) -> String {
        format!(
            "`{}` does not end; it printed\n{}",
            self.call,
            last_lines(&self.printed())
        )
    }

    fn printed(&self) -> String {
        let bytes = std::fs::read(&self.output).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // This fails only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Finished {
    /// Describes how it ended and what it printed last.
    pub fn describe(&self) -> String {
        format!(
            "`{}` ended with {}:\n{}",
            self.call,
            self.status,
            last_lines(&self.printed)
        )
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN)..].join("\n")
}
