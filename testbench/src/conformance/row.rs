//! The conformance table.
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// `protocol/conformance.csv`.
const TABLE: &str = include_str!("../../../protocol/conformance.csv");

/// A requirement for a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// CF001 and so on.
    pub id: String,
    pub area: String,
    pub role: String,
    pub statement: String,
    /// Source of the requirement, with the abbreviations of `protocol/sources.md`.
    pub source: String,
    pub expected_observable: String,
}

/// All rows, in the order of the table.
pub fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_deserialize();
        rows.collect::<Result<_, _>>()
            .expect("the table is part of the program")
    });
    &ROWS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoreboard::requirement::ROWS;

    #[test]
    fn every_number_has_its_row() {
        let ids: Vec<&str> = rows().iter().map(|row| row.id.as_str()).collect();
        let expected: Vec<String> = (1..=ROWS).map(|n| format!("CF{n:03}")).collect();
        assert_eq!(ids, expected);
        let first = &rows()[0].statement;
        assert!(first.ends_with("headers.csv, big-endian"), "{first}");
    }
}
