//! Rows without a case, with the reasons.
use std::ops::RangeInclusive;

const RAW: &str = "the adapter takes and sends no Raw packets";
const VLS: &str = "data goes on VL 0 alone: there is no VL arbiter";
const SMPS: &str = "VL 15 has no buffer of its own yet";
const LINK_CREDITS: &str = "flow control of the link is not the adapter's yet";
const RD: &str = "the adapter has no RD";
const ONE_PORT: &str = "the adapter has one port";
const LINK: &str = "counters, VLs and rates of the link are not the adapter's yet";
const LATCH: &str = "the adapter counts packets with a wrong key and does not say what the last one was";
const WINDOWS: &str = "the adapter has no memory windows";

/// First and last row, and the reason.
const WITHOUT: &[(RangeInclusive<u16>, &str)] = &[
    (48..=48, ONE_PORT),
    (230..=231, RAW),
    (265..=265, VLS),
    (268..=270, VLS),
    (277..=277, LINK_CREDITS),
    (278..=281, VLS),
    (282..=283, SMPS),
    (339..=339, ONE_PORT),
    (362..=374, RAW),
    (375..=415, RD),
    (427..=427, ONE_PORT),
    (436..=436, LINK_CREDITS),
    (439..=454, LINK_CREDITS),
    (455..=457, LINK),
    (459..=463, LINK),
    (465..=466, LINK),
    (476..=476, LINK),
    (480..=481, VLS),
    (482..=482, LATCH),
    (486..=535, WINDOWS),
    (
        541..=541,
        "a stall of the protocol above: `o2iblnd` always sends its NOOPs",
    ),
];

/// Why the row with this name has no case; `None` if it must have one.
pub fn why_without(row: &str) -> Option<&'static str> {
    let number: u16 = row.strip_prefix("CF")?.parse().ok()?;
    let found = WITHOUT.iter().find(|(rows, _)| rows.contains(&number));
    found.map(|(_, why)| *why)
}
