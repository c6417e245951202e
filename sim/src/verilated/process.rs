use rustix::process::{kill_process_group, Pid, Signal};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Largest number of lines of a tool's report in a message.
const REPORT_LINES: usize = 30;

/// The running tools, so that they can be ended.
struct Tools {
    /// True if each tool runs in its own process group.
    apart: bool,
    /// True if no more tools may start.
    over: bool,
    groups: Vec<Pid>,
}

static TOOLS: Mutex<Tools> = Mutex::new(Tools {
    apart: false,
    over: false,
    groups: Vec::new(),
});

fn tools() -> MutexGuard<'static, Tools> {
    TOOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps Ctrl-C from reaching the tools that build from now on. The caller must then call [`end_builds`].
pub fn keep_builds_apart() {
    tools().apart = true;
}

/// Ends all builds. Later builds fail.
pub fn end_builds() {
    let mut tools = tools();
    tools.over = true;
    for group in &tools.groups {
        // The group may have ended already.
        let _ = kill_process_group(*group, Signal::KILL);
    }
}

/// Runs a command. Returns its output whether it succeeded or not.
pub(super) fn run(command: &mut Command) -> io::Result<Output> {
    if !tools().apart {
        return command.output();
    }
    let command = command.process_group(0).stdin(Stdio::null());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // The lock is held, so that nobody ends the builds between a start and its entry in the list.
    let (child, group) = {
        let mut tools = tools();
        if tools.over {
            return Err(interrupted());
        }
        let child = command.spawn()?;
        let group = Pid::from_child(&child);
        tools.groups.push(group);
        (child, group)
    };
    let output = child.wait_with_output();
    let mut tools = tools();
    tools.groups.retain(|other| *other != group);
    match tools.over {
        true => Err(interrupted()),
        false => output,
    }
}

fn interrupted() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "interrupted")
}

/// Returns the first line of a program's version output.
pub(super) fn version(command: &mut Command) -> Result<String, String> {
    let output = run(command).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().next() {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        _ => Err(report(&output)),
    }
}

/// Returns the output of a failed tool, cut to a page.
pub(super) fn report(output: &Output) -> String {
    let text = String::from_utf8_lossy(if output.stderr.is_empty() {
        &output.stdout
    } else {
        &output.stderr
    });
    let mut lines: Vec<&str> = text.lines().take(REPORT_LINES).collect();
    let all = text.lines().count();
    let rest = format!("({} more lines)", all - lines.len());
    if all > lines.len() {
        lines.push(&rest);
    }
    if lines.is_empty() {
        return output.status.to_string();
    }
    lines.join("\n")
}
