//! The requested cases of runs, and those that are missing.
use super::shard::Shard;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// The requested cases of a run, and whether it reached its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    pub shard: Shard,
    /// Number of cases of all shards together; `None` if a time limit decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<u64>,
    /// The run was neither interrupted nor killed.
    pub ended: bool,
}

/// The missing cases of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The shard, in the form of `--shard`.
    pub shard: String,
    /// There is no run of the shard.
    pub absent: bool,
    /// Number of missing cases; `None` if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases: Option<u64>,
    /// The lowest missing case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.absent { "is missing" } else { "did not end" };
        write!(f, "shard {} {what}", self.shard)?;
        match (self.cases, self.first) {
            (Some(1), Some(first)) => write!(f, ": case {first} was not run"),
            (Some(cases), Some(first)) => write!(f, ": {cases} cases were not run, the first is {first}"),
            _ => Ok(()),
        }
    }
}

/// Returns the missing cases of these runs, by shard, if these cases are done.
pub fn gaps(asked: &[RunSpec], done: &BTreeSet<u64>) -> Vec<Gap> {
    let of = asked.iter().map(|a| a.shard.of).max().unwrap_or(1);
    let all = asked.iter().map(|a| a.cases).max().flatten();
    let mut gaps = Vec::new();
    for rest in 0..of {
        let shard = Shard { rest, of };
        let covers = |a: &&RunSpec| of % a.shard.of == 0 && rest % a.shard.of == a.shard.rest;
        let runs: Vec<&RunSpec> = asked.iter().filter(covers).collect();
        let absent = runs.is_empty();
        let timed = runs.iter().any(|run| run.cases.is_none());
        let cases = match absent {
            true => all.filter(|_| asked.iter().all(|a| a.cases.is_some())),
            false if timed => None,
            false => runs.iter().filter_map(|run| run.cases).max(),
        };
        let missing = cases.map(|cases| missing_below(cases, shard, done));
        let is_gap = match missing {
            Some((missing, _)) => missing > 0,
            // A later run may have requested the same cases, and completed them.
            None => !runs.iter().any(|run| run.ended),
        };
        if is_gap {
            gaps.push(Gap {
                shard: shard.to_string(),
                absent,
                cases: missing.map(|(missing, _)| missing),
                first: missing.and_then(|(_, first)| first),
            });
        }
    }
    gaps
}

/// Returns the number of missing cases of a shard below this number, and the lowest of them.
fn missing_below(cases: u64, shard: Shard, done: &BTreeSet<u64>) -> (u64, Option<u64>) {
    let all = cases.saturating_sub(shard.rest).div_ceil(shard.of);
    let there = done
        .range(..cases)
        .filter(|index| *index % shard.of == shard.rest);
    let first = shard.indices().find(|index| !done.contains(index));
    (all - there.count() as u64, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(shard: &str, cases: Option<u64>, ended: bool) -> RunSpec {
        let shard = shard.parse().unwrap();
        RunSpec { shard, cases, ended }
    }

    fn missing(asked: &[RunSpec], done: impl IntoIterator<Item = u64>) -> Vec<String> {
        let done = done.into_iter().collect();
        gaps(asked, &done).iter().map(Gap::to_string).collect()
    }

    #[test]
    fn what_is_not_there_is_counted() {
        let three = ["0/3", "1/3", "2/3"].map(|s| asked(s, Some(10), true));
        assert!(missing(&three, 0..10).is_empty());
        assert_eq!(
            missing(&three[..2], (0..10).filter(|n| n % 3 < 2)),
            ["shard 2/3 is missing: 3 cases were not run, the first is 2"]
        );
        assert_eq!(
            missing(&three, (0..10).filter(|n| *n != 4)),
            ["shard 1/3 did not end: case 4 was not run"]
        );
        // This run was killed, but had completed all cases.
        assert!(missing(&[asked("0/1", Some(4), false)], 0..4).is_empty());
    }

    #[test]
    fn with_time_shards_count() {
        let runs = [asked("0/3", None, true), asked("1/3", None, false)];
        assert_eq!(
            missing(&runs, [0, 1, 3]),
            ["shard 1/3 did not end", "shard 2/3 is missing"]
        );
    }

    #[test]
    fn a_run_may_cover_several_shards() {
        let runs = [asked("0/2", Some(8), true), asked("1/4", Some(8), true)];
        assert_eq!(
            missing(&runs, [0, 2, 4, 6, 1, 5]),
            ["shard 3/4 is missing: 2 cases were not run, the first is 3"]
        );
    }
}
