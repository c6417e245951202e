//! The comparison of two decisions.
use crate::report::side_by_side::{row, Row};

/// The compared fields of one case.
#[derive(Debug, Default)]
pub struct Comparison {
    /// True if equal fields are kept, too, for a report.
    keeps_all: bool,
    rows: Vec<Row>,
    differs: bool,
    outcomes: Vec<&'static str>,
}

impl Comparison {
    /// Makes a comparison that keeps every row for a report.
    pub(super) fn in_full() -> Comparison {
        Comparison {
            keeps_all: true,
            ..Comparison::default()
        }
    }

    /// Clears the comparison for the next case.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.differs = false;
        self.outcomes.clear();
    }

    /// Compares a field that both sides have.
    pub fn same(&mut self, field: &str, model: impl Into<u64>, hardware: impl Into<u64>) {
        let (model, hardware) = (model.into(), hardware.into());
        if self.keeps_all || model != hardware {
            self.rows.push(row(field, number(model), number(hardware)));
            self.differs |= model != hardware;
        }
    }

    /// Compares a field for which the model permits several values.
    pub fn permitted(
        &mut self,
        field: &str,
        holds: bool,
        model: impl FnOnce() -> String,
        hardware: impl FnOnce() -> String,
    ) {
        if self.keeps_all || !holds {
            self.rows.push(Row {
                field: field.to_owned(),
                expected: model(),
                actual: hardware(),
                differs: !holds,
            });
            self.differs |= !holds;
        }
    }

    /// Records that this case produced the outcome. Call it on results of both sides.
    pub fn outcome(&mut self, name: &'static str) {
        self.outcomes.push(name);
    }

    pub(super) fn differs(&self) -> bool {
        self.differs
    }

    pub(super) fn outcomes(&self) -> &[&'static str] {
        &self.outcomes
    }

    pub(super) fn into_rows(self) -> Vec<Row> {
        self.rows
    }
}

fn number(value: u64) -> String {
    match value {
        0..=9 => value.to_string(),
        _ => format!("{value:X}h"),
    }
}
