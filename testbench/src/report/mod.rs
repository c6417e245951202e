//! Reports of failures as text.
pub mod event;
pub mod side_by_side;

use crate::device::Outcome;
use crate::scoreboard::failure::{completion_rows, Failure, Kind};
use hca_golden::port::Link;
use std::fmt::Write;

/// The data needed to repeat a run.
pub struct Context<'a> {
    pub scenario: &'a str,
    pub seed: u64,
    /// The command that repeats the run, with waves if there are any.
    pub replay: &'a str,
}

/// Number of due items that are listed; the rest is only counted.
const LISTED: usize = 12;

/// Returns the whole report: scenario and seed, event, expected and actual, the QP's last events, the replay command.
pub fn render(failure: &Failure, context: &Context<'_>) -> String {
    let mut text = String::new();
    let side = failure
        .side
        .map_or("the pair".to_owned(), |s| format!("device {s}"));
    line(
        &mut text,
        format!(
            "MISMATCH in {}, seed {}: {} at {side}, cycle {}",
            context.scenario,
            context.seed,
            failure.field(),
            failure.cycle
        ),
    );
    if let Some(event) = &failure.event {
        line(&mut text, format!("  event: {}", event::text(event)));
    }
    text.push_str(&body(failure.link, &failure.kind));
    if !failure.history.is_empty() {
        line(&mut text, "  last events of the QP, oldest first:".to_owned());
        for entry in &failure.history {
            line(&mut text, format!("    {entry}"));
        }
    }
    line(&mut text, format!("  replay: {}", context.replay));
    text
}

fn line(text: &mut String, line: String) {
    text.push_str(&line);
    text.push('\n');
}

fn body(link: Link, kind: &Kind) -> String {
    let mut text = String::new();
    match kind {
        Kind::Violation {
            violation,
            expected,
            actual,
        } => {
            line(&mut text, format!("  rule: {violation}"));
            text.push_str(&packets(link, expected.as_deref(), actual.as_deref()));
        }
        Kind::Packet { expected, actual } => text.push_str(&packets(link, Some(expected), Some(actual))),
        Kind::ExtraPacket { actual, first_sent } => {
            match first_sent {
                Some(cycle) => line(
                    &mut text,
                    format!("  the same bytes were sent in cycle {cycle}; nothing was to come out again"),
                ),
                None => line(&mut text, "  no packet was to come out here".to_owned()),
            }
            text.push_str(&packets(link, None, Some(actual)));
        }
        Kind::Completion {
            cqn,
            expected,
            actual,
        } => {
            line(&mut text, format!("  CQE in CQ {cqn}:"));
            let rows = completion_rows(expected, actual);
            text.push_str(&side_by_side::table(&rows, ["expected", "actual"]));
        }
        Kind::Memory {
            what,
            addr,
            expected,
            actual,
            differing,
        } => {
            line(
                &mut text,
                format!("  {what}: {differing} bytes differ, the first at {addr:#x}"),
            );
            line(&mut text, format!("    expected {}", hex(expected)));
            line(&mut text, format!("    actual   {}", hex(actual)));
        }
        Kind::Verb {
            verb,
            expected,
            actual,
        } => {
            let words = |r: &Result<Outcome, String>| match r {
                Ok(Outcome::Done) => "accepted".to_owned(),
                Ok(found) => format!("{found:?}"),
                Err(reason) => format!("refused: {reason}"),
            };
            line(&mut text, format!("  {verb}"));
            line(&mut text, format!("    expected {}", words(expected)));
            line(&mut text, format!("    actual   {}", words(actual)));
        }
        Kind::Event { expected, actual } => {
            line(&mut text, format!("    expected {expected:?}"));
            line(&mut text, format!("    actual   {actual:?}"));
        }
        Kind::Stalled { cycles, due } => {
            line(
                &mut text,
                format!("  nothing happened for {cycles} cycles; still due:"),
            );
            text.push_str(&listed(due));
        }
        Kind::Missing { due } => {
            line(&mut text, "  the run is over; still due:".to_owned());
            text.push_str(&listed(due));
        }
        Kind::Fault { rule } => line(&mut text, format!("  {rule}")),
        Kind::Expectation {
            field,
            expected,
            actual,
        } => {
            line(&mut text, format!("  {field}:"));
            line(&mut text, format!("    expected {expected}"));
            line(&mut text, format!("    actual   {actual}"));
        }
    }
    text
}

fn packets(link: Link, expected: Option<&[u8]>, actual: Option<&[u8]>) -> String {
    let headings = ["expected", "actual"];
    match (expected, actual) {
        (Some(e), Some(a)) => side_by_side::table(&side_by_side::rows(link, e, a), headings),
        (Some(e), None) => {
            side_by_side::table(&side_by_side::single(link, e), ["expected", "actual: no packet"])
        }
        (None, Some(a)) => {
            let mut rows = side_by_side::single(link, a);
            for r in &mut rows {
                std::mem::swap(&mut r.expected, &mut r.actual);
            }
            side_by_side::table(&rows, ["expected: no packet", "actual"])
        }
        (None, None) => String::new(),
    }
}

fn listed(due: &[String]) -> String {
    let mut text = String::new();
    for item in due.iter().take(LISTED) {
        line(&mut text, format!("    {item}"));
    }
    if due.len() > LISTED {
        line(&mut text, format!("    and {} more", due.len() - LISTED));
    }
    text
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for b in bytes {
        write!(text, "{b:02X} ").expect("writing to a string");
    }
    text.trim_end().to_owned()
}
