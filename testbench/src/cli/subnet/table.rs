//! The table of a run: a row for each step.
use crate::subnet::step::Step;
use clap::ValueEnum;

/// The result of a step.
#[derive(Clone, Debug)]
pub struct Row {
    pub step: Step,
    /// Number of programs that were started.
    pub programs: u32,
    /// Number of conditions that held.
    pub checks: u32,
    /// Number of MADs that crossed the link.
    pub mads: u64,
    pub seconds: f64,
    /// What did not hold, if anything.
    pub wrong: Option<String>,
}

/// The table as far as it is.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

const HEADING: &str = "| step | programs | checks | MADs over the link | seconds | verdict |
|---|---:|---:|---:|---:|---|";

impl Table {
    /// Returns the line of a step; before the first one, also the heading. What did not hold comes before the line.
    pub fn line(&mut self, row: Row) -> String {
        let mut line = String::new();
        if self.rows.is_empty() {
            line += HEADING;
            line += "\n";
        }
        line += &format!(
            "| `{}` | {} | {} | {} | {:.1} | {} |",
            name(row.step),
            row.programs,
            row.checks,
            row.mads,
            row.seconds,
            if row.wrong.is_some() { "WRONG" } else { "held" },
        );
        self.rows.push(row);
        line
    }

    /// Returns the result of all steps, with the reasons of those that did not hold.
    pub fn whole(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            if let Some(wrong) = &row.wrong {
                text += &format!("{}: {wrong}\n", name(row.step));
            }
        }
        let held = self.rows.iter().filter(|row| row.wrong.is_none()).count();
        let wrong = self.rows.len() - held;
        let checks: u32 = self.rows.iter().map(|row| row.checks).sum();
        let verdict = if wrong == 0 { "HELD" } else { "WRONG" };
        text + &format!("{verdict}: {held} steps held, {wrong} did not; {checks} conditions were true")
    }
}

pub fn name(step: Step) -> String {
    let value = step.to_possible_value();
    value.map(|value| value.get_name().to_owned()).unwrap_or_default()
}
