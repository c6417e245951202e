//! The messages between the two kinds of process: one line of JSON each.
use crate::fuzz::campaign::Campaign;
use crate::fuzz::record::Record;
use crate::fuzz::shard::Shard;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The first line to a process that runs cases.
#[derive(Clone, Serialize, Deserialize)]
pub struct Orders {
    pub campaign: Campaign,
    pub shard: Shard,
    /// Number of cases, from 0; `None` for cases without end.
    pub cases: Option<u64>,
    /// Cases that are done.
    pub done: BTreeSet<u64>,
    /// Differences that are known, each with the number of the case that was written for it.
    pub known: BTreeMap<String, u64>,
    pub out: PathBuf,
    /// Name under which the user called the program.
    pub program: String,
    pub dut: Option<PathBuf>,
    /// The active variant of the Verilog.
    pub select: u64,
    /// The run ends with the first case that differs, and does not shrink it.
    pub fail_fast: bool,
}

impl Orders {
    /// Returns the cases that the process has to run.
    pub fn indices(&self) -> impl Iterator<Item = u64> + '_ {
        let all = self.shard.indices();
        all.take_while(|index| self.cases.is_none_or(|cases| *index < cases))
            .filter(|index| !self.done.contains(index))
    }
}

/// A later line to the process: it ends after the present case and its shrinking.
pub const LAST: &str = "last";
/// A later line to the process: it ends after the present case without shrinking, as it does when its input ends.
pub const STOP: &str = "stop";

/// A line from the process.
#[derive(Serialize, Deserialize)]
pub enum News {
    /// A case differs and is being shrunk.
    Shrinks { index: u64, differed: String },
    /// The case was written to its folder.
    Shrunk { index: u64, effort: Effort },
    /// Simulations were built before the case, which took this long.
    Built(Duration),
    /// A case is done.
    Done(Record),
}

/// The effort and the result of shrinking.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Effort {
    /// Number of steps before and after.
    pub from: usize,
    pub to: usize,
    /// Number of cases tried.
    pub attempts: u32,
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Effort { from, to, attempts } = self;
        match attempts {
            0 => write!(f, "not shrunk, {from} steps"),
            _ => write!(f, "shrunk from {from} steps to {to} in {attempts} runs"),
        }
    }
}
