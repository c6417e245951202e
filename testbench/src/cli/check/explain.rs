//! `hca check --explain CFnnn`: the rule of a finding, from `protocol/conformance.csv`.
use crate::cli::console::Console;
use crate::cli::error::CallError;
use crate::conformance::row::rows;

/// Prints the rule of this row.
pub fn explain(name: &str) -> Result<(), CallError> {
    let row = rows().iter().find(|row| row.id.eq_ignore_ascii_case(name));
    let Some(row) = row else {
        return Err(CallError::UnknownRule {
            name: name.to_owned(),
            last: rows().last().map_or("", |row| &row.id),
        });
    };
    let mut console = Console::new();
    for line in [
        format!("{}: {}", row.id, row.statement),
        format!("  whose:    {} ({})", row.role, row.area),
        format!("  shown by: {}", row.expected_observable),
        format!("  sources:  {}, by the names of protocol/sources.md", row.source),
    ] {
        console.line(&line)?;
    }
    Ok(())
}
