//! `hca bench fuzz`: measures how soon random cases find each bug that is planted in the Verilog.
use super::console::Console;
use super::error::CallError;
use super::fuzz::devices::Devices;
use super::Verdict;
use crate::case::frame;
use crate::fabric::Unwatched;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::{differed, run_case, store};
use crate::life::Area;
use crate::planted::{plant, planted, select_of, Bug, Without};
use clap::Args;
use hca_golden::port::Link;
use hca_host::designs::{Designs, TOP};
use hca_host::profile::SMALL;
use indicatif::ProgressBar;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Options of `hca bench fuzz`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Bugs such as FB06; all if not given
    #[arg(value_name = "BUG")]
    bugs: Vec<String>,
    /// Seeds, from 1 on
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Cases of each seed at most: the budget of a bug
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Write the finds as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A bug found with a seed.
#[derive(Clone, Debug, Serialize)]
struct Find {
    seed: u64,
    /// Number of cases that were run, including the one that failed.
    cases: u64,
    seconds: f64,
    differed: String,
}

/// The search for a bug.
#[derive(Clone, Debug, Serialize)]
struct Hunt {
    id: &'static str,
    what: &'static str,
    finds: Vec<Find>,
}

/// The whole result, as JSON.
#[derive(Debug, Serialize)]
struct Document<'a> {
    seeds: u64,
    budget: u64,
    hunts: &'a [Hunt],
    /// Number of cases without any bug, and what differed in them: false alarms.
    unpatched_cases: usize,
    unpatched_failures: Vec<String>,
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let chosen = arguments.chosen()?;
    let folder = tempfile::tempdir().map_err(|source| {
        let path = std::env::temp_dir();
        CallError::Store(store::StoreError::Io { path, source })
    })?;
    let patched = plant(
        (designs.hca)(&SMALL).map_err(CallError::Export)?,
        &planted().bugs,
        TOP,
    )?;
    patched.write(folder.path()).map_err(CallError::WriteExport)?;
    let mut console = Console::new();
    console.line(&format!(
        "{} planted bugs, seeds 1 to {}, of each at most {} cases, of every focus in turn; profile {}, link ib, one process",
        chosen.len(),
        arguments.seeds,
        arguments.cases,
        SMALL.name
    ))?;
    console.line("                            cases          seconds")?;
    console.line("bug                 found   median  worst  median  worst  what differed first")?;
    let mut field = Field::new(designs, folder.path());
    let mut hunts = Vec::new();
    for (n, bug) in chosen {
        let hunt = field.hunt(n, bug, arguments)?;
        console.line(&hunt.line(arguments.seeds))?;
        hunts.push(hunt);
    }
    let alarms = field.alarms();
    for alarm in &alarms {
        console.line(&format!("without any bug: {alarm}"))?;
    }
    for Without { id, why } in &planted().without {
        console.line(&format!("{id:<20}not planted: {why}"))?;
    }
    let missed = hunts
        .iter()
        .filter(|hunt| hunt.finds.len() as u64 != arguments.seeds);
    let missed: Vec<&str> = missed.map(|hunt| hunt.id).collect();
    console.line(&format!(
        "{} of {} bugs found with every seed; {} cases without any bug, {} false alarms",
        hunts.len() - missed.len(),
        hunts.len(),
        field.unpatched.len(),
        alarms.len()
    ))?;
    if !missed.is_empty() {
        console.line(&format!("not always found: {}", missed.join("; ")))?;
    }
    if let Some(path) = &arguments.json {
        let document = Document {
            seeds: arguments.seeds,
            budget: arguments.cases,
            hunts: &hunts,
            unpatched_cases: field.unpatched.len(),
            unpatched_failures: alarms.clone(),
        };
        store::write_json(path, &document)?;
    }
    Ok(match missed.is_empty() && alarms.is_empty() {
        true => Verdict::Held,
        false => Verdict::Differed,
    })
}

impl Arguments {
    /// Returns the requested bugs, with their numbers among all bugs.
    fn chosen(&self) -> Result<Vec<(usize, &'static Bug)>, CallError> {
        let is = |bug: &Bug, name: &String| bug.id == *name || bug.id.split(',').next() == Some(name);
        let bugs = &planted().bugs;
        if let Some(name) = self
            .bugs
            .iter()
            .find(|name| !bugs.iter().any(|bug| is(bug, name)))
        {
            return Err(CallError::UnknownBug {
                name: name.clone(),
                known: bugs
                    .iter()
                    .map(|bug| bug.id.as_str())
                    .collect::<Vec<_>>()
                    .join("; "),
            });
        }
        let asked = |bug: &Bug| self.bugs.is_empty() || self.bugs.iter().any(|name| is(bug, name));
        Ok(bugs.iter().enumerate().filter(|(_, bug)| asked(bug)).collect())
    }
}

/// The design with all bugs, and the results of the design without any.
struct Field {
    designs: Designs,
    folder: PathBuf,
    sound: Devices,
    /// The first difference of each case without a bug, if there is one, by seed and number.
    unpatched: BTreeMap<(u64, u64), Option<String>>,
}

impl Field {
    fn new(designs: Designs, folder: &Path) -> Field {
        Field {
            designs,
            folder: folder.to_owned(),
            sound: Devices::new(designs, Some(folder.to_owned()), 0, false),
            unpatched: BTreeMap::new(),
        }
    }

    /// Looks for a bug with every seed.
    fn hunt(&mut self, n: usize, bug: &'static Bug, arguments: &Arguments) -> Result<Hunt, CallError> {
        let mut devices = Devices::new(self.designs, Some(self.folder.clone()), select_of(n), false);
        let spinner = ProgressBar::new_spinner();
        spinner.enable_steady_tick(Duration::from_millis(200));
        // The model is built here, so that no case waits for it.
        devices.of(&campaign(1, Area::All).draw(0).frame, None)?;
        let mut finds = Vec::new();
        for seed in 1..=arguments.seeds {
            spinner.set_message(format!("{}, seed {seed}", bug.id));
            finds.extend(self.find(&mut devices, seed, arguments.cases)?);
        }
        spinner.finish_and_clear();
        Ok(Hunt {
            id: &bug.id,
            what: &bug.what,
            finds,
        })
    }

    /// Finds the first case of a seed that fails with the bug and holds without it.
    fn find(&mut self, devices: &mut Devices, seed: u64, budget: u64) -> Result<Option<Find>, CallError> {
        let mut took = Duration::ZERO;
        for index in 0..budget {
            let begun = Instant::now();
            let failure = first_difference(seed, index, devices)?;
            took += begun.elapsed();
            let sound = self.without_bugs(seed, index)?;
            if let (Some(differed), None) = (failure, sound) {
                return Ok(Some(Find {
                    seed,
                    cases: index + 1,
                    seconds: took.as_secs_f64(),
                    differed,
                }));
            }
        }
        Ok(None)
    }

    /// Returns what differs in a case without any bug.
    fn without_bugs(&mut self, seed: u64, index: u64) -> Result<&Option<String>, CallError> {
        use std::collections::btree_map::Entry;
        Ok(match self.unpatched.entry((seed, index)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(first_difference(seed, index, &mut self.sound)?),
        })
    }

    fn alarms(&self) -> Vec<String> {
        let failed = self.unpatched.iter().filter_map(|((seed, index), words)| {
            let words = words.as_ref()?;
            Some(format!("seed {seed} case {index}: {words}"))
        });
        failed.collect()
    }
}

/// The areas on which the cases of a seed concentrate, in turn.
const AREAS: [Area; 7] = [
    Area::All,
    Area::Hostile,
    Area::Faults,
    Area::Verbs,
    Area::Traffic,
    Area::Host,
    Area::Datagrams,
];

/// Returns the cases of a seed that concentrate on this area, on the design's profile and link.
fn campaign(seed: u64, focus: Area) -> Campaign {
    Campaign {
        seed,
        focus,
        devices: frame::Devices::Hardware,
        profile: Some(SMALL.name.to_owned()),
        link: Some(Link::InfiniBand),
        dut: None,
        select: 0,
    }
}

fn first_difference(seed: u64, index: u64, devices: &mut Devices) -> Result<Option<String>, CallError> {
    // No number comes twice, because the frame of a life depends only on the number, not on the area.
    let focus = AREAS[(index % AREAS.len() as u64) as usize];
    let case = campaign(seed, focus).draw(index).case();
    let run = run_case(&case, devices.of(&case.frame, None)?, &mut Unwatched)?;
    Ok(run.failure.as_deref().map(differed))
}

impl Hunt {
    fn line(&self, seeds: u64) -> String {
        let found = format!("{} of {seeds}", self.finds.len());
        let cases = sorted(self.finds.iter().map(|find| find.cases as f64));
        let seconds = sorted(self.finds.iter().map(|find| find.seconds));
        let [(cases, most), (time, longest)] = [&cases, &seconds].map(|of| (of.get(of.len() / 2), of.last()));
        let number = |value: Option<&f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "-".to_owned(),
        };
        format!(
            "{:<19} {found:<8} {:>5} {:>6} {:>7} {:>6}  {}",
            self.id,
            number(cases, 0),
            number(most, 0),
            number(time, 1),
            number(longest, 1),
            self.first_difference()
        )
    }

    /// Returns the difference that was found most often; for a bug that was not found, what the bug is.
    fn first_difference(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for find in &self.finds {
            *counts.entry(&find.differed).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map_or_else(
            || format!("not found: {}", self.what),
            |(words, _)| words.to_owned(),
        )
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_median_and_worst() {
        let find = |seed, cases, differed: &str| Find {
            seed,
            cases,
            seconds: cases as f64 / 10.0,
            differed: differed.to_owned(),
        };
        let hunt = Hunt {
            id: "FB06",
            what: "MSN",
            finds: vec![find(1, 9, "PSN"), find(2, 2, "AETH.MSN"), find(4, 3, "AETH.MSN")],
        };
        assert_eq!(
            hunt.line(10),
            "FB06                3 of 10      3      9     0.3    0.9  AETH.MSN"
        );
        let hunt = Hunt {
            finds: vec![],
            ..hunt
        };
        assert_eq!(
            hunt.line(10),
            "FB06                0 of 10      -      -       -      -  not found: MSN"
        );
    }
}
