//! Rows without a case, with the reasons.
use std::ops::RangeInclusive;

const RAW: &str = "the adapter takes and sends no Raw packets";
const RD: &str = "the adapter has no RD";
const WINDOWS: &str = "the adapter has no memory windows";

/// First and last row, and the reason.
type Reason = (RangeInclusive<u16>, &'static str);

/// Rows that wait for what the adapter does not have yet.
const WAITING: &[Reason] = &[
    (230..=231, RAW),
    (362..=374, RAW),
    (375..=415, RD),
    (486..=535, WINDOWS),
];

/// Rows without a case for another reason.
const EXEMPT: &[Reason] = &[(
    541..=541,
    "a stall of the protocol above: `o2iblnd` always sends its NOOPs",
)];

/// Returns why the row with this name has no case; `None` if it must have one.
pub fn why_without(row: &str) -> Option<&'static str> {
    find(WAITING, row).or(find(EXEMPT, row))
}

/// Returns true if the row with this name has no case because of what the adapter does not have yet.
pub fn waits(row: &str) -> bool {
    find(WAITING, row).is_some()
}

fn find(reasons: &[Reason], row: &str) -> Option<&'static str> {
    let number: u16 = row.strip_prefix("CF")?.parse().ok()?;
    let found = reasons.iter().find(|(rows, _)| rows.contains(&number));
    found.map(|(_, why)| *why)
}
