//! Checks of a frame before it names a QP (`responder.md` section 1, steps 1 to 4), as lists of named checks, each with
//! its source. The checks apply in the order of the lists, and only the first failure is reported. Step 3 comes before
//! the ICRC of step 2, because only a packet with these network headers has an ICRC (`crc.md` section 1, presence;
//! `lnh.csv`).
//!
//! A check never uses bytes unless an earlier check has ensured that they exist; missing bytes read as 0.
mod management;
pub mod native;
pub mod roce;
mod transport;

use super::header::HeaderFormat;
use super::malformed::{Fault, Malformed};
use crate::event::DropReason;

/// A check: the counted reason, its source, and the function that finds the fault.
struct Check<F> {
    reason: DropReason,
    citation: &'static str,
    fault: F,
}

/// Returns the first check of the list that finds a fault, as an error.
fn first_fault<F>(checks: &[Check<F>], find: impl Fn(&F) -> Option<Fault>) -> Result<(), Malformed> {
    let failed = checks.iter().find_map(|check| Some((check, find(&check.fault)?)));
    match failed {
        None => Ok(()),
        Some((check, fault)) => Err(Malformed {
            reason: check.reason,
            citation: check.citation,
            fault,
        }),
    }
}

/// Returns the header at this place. Its fields are 0 if the bytes end within it.
fn read_at<H: HeaderFormat + Default>(bytes: &[u8], at: usize) -> H {
    bytes
        .get(at..at + H::BYTES)
        .and_then(H::parse)
        .unwrap_or_default()
}

/// Returns the bytes at this place; 0 where there are none.
fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or(0))
}
