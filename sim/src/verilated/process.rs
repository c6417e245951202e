use std::io;
use std::process::{Command, Output};

/// Lines of a tool's report that a message shows.
const REPORT_LINES: usize = 30;

/// Runs a command; gives its output whether it succeeded or not.
pub(super) fn run(command: &mut Command) -> io::Result<Output> {
    command.output()
}

/// First line that a program prints when asked for its version.
pub(super) fn version(command: &mut Command) -> Result<String, String> {
    let output = run(command).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().next() {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        _ => Err(report(&output)),
    }
}

/// What a failed tool said, cut to a page.
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
