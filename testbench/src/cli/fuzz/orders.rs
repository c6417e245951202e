//! What the two kinds of process tell each other, a line of JSON each.
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
    /// Cases from 0 up to here; none: without end.
    pub cases: Option<u64>,
    /// Cases that are done.
    pub done: BTreeSet<u64>,
    /// What differed before, each with the case that was written down.
    pub known: BTreeMap<String, u64>,
    pub out: PathBuf,
    /// As its user called it.
    pub program: String,
    pub dut: Option<PathBuf>,
    /// The variant of it.
    pub select: u64,
    /// The first case that differs is the last, and is not shrunk.
    pub fail_fast: bool,
}

impl Orders {
    /// The cases that are left to it.
    pub fn indices(&self) -> impl Iterator<Item = u64> + '_ {
        let all = self.shard.indices();
        all.take_while(|index| self.cases.is_none_or(|cases| *index < cases))
            .filter(|index| !self.done.contains(index))
    }
}

/// A later line to it: after the case at hand, its shrinking too, it ends.
pub const LAST: &str = "last";
/// Another: the same without shrinking, as when its input ends.
pub const STOP: &str = "stop";

/// A line from it.
#[derive(Serialize, Deserialize)]
pub enum News {
    /// A case differs and is being shrunk.
    Shrinks { index: u64, differed: String },
    /// It was written down.
    Shrunk { index: u64, effort: Effort },
    /// Simulations were built before it, which took so long.
    Built(Duration),
    /// A case is done.
    Done(Record),
}

/// What shrinking came to.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Effort {
    /// Steps before and after.
    pub from: usize,
    pub to: usize,
    /// Cases tried.
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
