//! Rows without a case, and why.
use std::ops::RangeInclusive;

const UC: &str = "the adapter has no UC";
const UD: &str = "the adapter has no UD";
const RAW: &str = "the adapter takes and sends no Raw packets";
const VLS: &str = "data goes on VL 0 alone: there is no VL arbiter";
const SMPS: &str = "the adapter sends and takes no SMPs, and has no VL 15";
const LINK_CREDITS: &str = "flow control of the link is not the adapter's yet";

/// From row to row.
const WITHOUT: &[(RangeInclusive<u16>, &str)] = &[
    (48..=48, "the adapter has one port"),
    (167..=167, "the adapter has neither UC nor UD"),
    (208..=208, "the adapter has neither UC, UD nor RD"),
    (209..=217, UC),
    (218..=229, UD),
    (230..=231, RAW),
    (265..=265, VLS),
    (266..=266, SMPS),
    (268..=270, VLS),
    (277..=277, LINK_CREDITS),
    (278..=281, VLS),
    (282..=283, SMPS),
];

/// Why the row of this name has no case; none of one that must have.
pub fn why_without(row: &str) -> Option<&'static str> {
    let number: u16 = row.strip_prefix("CF")?.parse().ok()?;
    let found = WITHOUT.iter().find(|(rows, _)| rows.contains(&number));
    found.map(|(_, why)| *why)
}
