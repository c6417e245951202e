//! The table of a session: a line for each case of a role.
use crate::live::role::Done;
use crate::live::session::Session;
use std::time::Instant;

/// Heads of the columns. The last column, the remark, has no head.
const HEADING: &str = "role      case                            operations  packets  decisions  packets/s";

/// State of the adapter when a case began.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Instant,
    packets: u64,
    decisions: u64,
}

/// The totals of a role, over all its cases.
#[derive(Clone, Debug, Default)]
struct Total {
    role: &'static str,
    cases: u64,
    operations: u64,
    packets: u64,
    decisions: u64,
    seconds: f64,
}

/// The lines of the table as they come, and the totals of the roles.
#[derive(Debug, Default)]
pub struct Table {
    begun: Option<Mark>,
    totals: Vec<Total>,
}

impl Table {
    /// Notes that a case begins.
    pub fn begin(&mut self, session: &Session) {
        self.begun = Some(mark(session));
    }

    /// Returns the line of a case that has ended; before the first one, also the heading.
    pub fn end(&mut self, session: &Session, role: &'static str, done: &Done) -> String {
        let now = mark(session);
        let begun = self.begun.take().unwrap_or(now);
        let (packets, decisions) = (now.packets - begun.packets, now.decisions - begun.decisions);
        // The rate is by the wall clock of this machine, and not a result of the session.
        let seconds = now.at.duration_since(begun.at).as_secs_f64().max(1e-3);
        let rate = (packets as f64 / seconds) as u64;
        let Done {
            name,
            operations,
            remark,
        } = done;
        let line = format!(
            "{role:<9} {name:<31} {operations:>10} {packets:>8} {decisions:>10} {rate:>10}  {remark}"
        );
        let headed = !self.totals.is_empty();
        if self.totals.last().is_none_or(|total| total.role != role) {
            self.totals.push(Total {
                role,
                ..Total::default()
            });
        }
        if let Some(total) = self.totals.last_mut() {
            total.cases += 1;
            total.operations += operations;
            total.packets += packets;
            total.decisions += decisions;
            total.seconds += seconds;
        }
        match headed {
            true => line,
            false => format!("{HEADING}\n{line}"),
        }
    }

    /// Returns the totals of the roles as rows of a table; none if no case has ended.
    pub fn roles(&self) -> Vec<String> {
        let heading = "| role | cases | operations | packets | decisions judged | packets/s |";
        let rule = "|---|---:|---:|---:|---:|---:|";
        let row = |total: &Total| {
            let Total {
                role,
                cases,
                operations,
                packets,
                decisions,
                seconds,
            } = total;
            let rate = (*packets as f64 / seconds) as u64;
            format!("| `{role}` | {cases} | {operations} | {packets} | {decisions} | {rate} |")
        };
        let heading = [heading, rule].map(str::to_owned);
        let heading = heading.into_iter().filter(|_| !self.totals.is_empty());
        heading.chain(self.totals.iter().map(row)).collect()
    }
}

fn mark(session: &Session) -> Mark {
    let adapter = &session.adapter;
    Mark {
        at: Instant::now(),
        packets: adapter.frames_in() + adapter.frames_out(),
        decisions: adapter.decisions(),
    }
}
