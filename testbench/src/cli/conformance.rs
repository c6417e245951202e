//! `hca conformance`: each requirement, its cases, and the result on the model and on the hardware.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::fuzz::devices::Devices;
use super::link::Link;
use super::variant::Variant;
use super::Verdict;
use crate::case::frame;
use crate::conformance::device::{device_of, needs_two_ports, rows_of, Device};
use crate::conformance::dut::{is_elsewhere, Dut};
use crate::conformance::program::Program;
use crate::conformance::report::{CaseResult, Random, Report, MODEL};
use crate::conformance::result::Outcome;
use crate::conformance::row::{rows, Row};
use crate::fabric::Unwatched;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::joined::joined;
use crate::fuzz::record::Record;
use crate::fuzz::store::{self, Store};
use crate::fuzz::summary::Summary;
use crate::fuzz::{differed, run_case};
use crate::life::Area;
use crate::trace::output::OutputError;
use clap::Args;
use hca_host::designs::Designs;
use hca_host::profile::SMALL;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `hca conformance`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Rows such as CF059, or areas such as `cq`, each then with its cases by name; all rows if not given
    #[arg(value_name = "ROW")]
    rows: Vec<String>,
    /// Configurations of the hardware
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = SMALL.name)]
    profile: Vec<String>,
    /// The golden model's cases alone; needs no Verilator
    #[arg(long)]
    golden_only: bool,
    /// The hardware's cases on the Verilog in this folder, in place of our own: rows whose cases are of another link or
    /// of a single block are passed over
    #[arg(long, value_name = "DIR", conflicts_with = "golden_only")]
    dut: Option<PathBuf>,
    /// Link framing of `--dut`
    #[arg(long, value_enum, default_value_t = Link::Ib, requires = "dut")]
    link: Link,
    #[command(flatten)]
    variant: Variant,
    /// Test programs that hold the cases; if not given cargo builds the project's
    #[arg(long, value_name = "FILE")]
    program: Vec<PathBuf>,
    /// Folders of `hca fuzz --out` whose random cases are counted, in place of cases on two golden models
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["cases", "seed"])]
    runs: Vec<PathBuf>,
    /// Random cases on two golden models
    #[arg(long, value_name = "N", default_value_t = 200)]
    cases: u64,
    /// Seed of the random cases
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Write everything as JSON; `-` for standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a test case for each row and device as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let rows = arguments.rows()?;
    let profiles = arguments.profiles()?;
    let random = arguments.random(designs)?;
    let dut = arguments.dut(profiles.first().copied().unwrap_or(SMALL.name))?;
    let cases = arguments.results(&rows, &profiles, dut.as_ref())?;
    let model = dut.is_none().then_some(MODEL);
    let devices = model.into_iter().chain(profiles.iter().copied());
    let is_run = |row: &&Row| {
        dut.is_none()
            || cases
                .iter()
                .any(|case| rows_of(&case.case).any(|id| id == row.id))
    };
    let report = Report::of(
        rows.into_iter().filter(is_run),
        &cases,
        devices.map(str::to_owned).collect(),
        random,
    );
    if let Some(path) = &arguments.junit {
        store::write(path, |out| {
            report.junit(out)?;
            out.write_all(b"\n")
        })?;
    }
    match arguments.json.as_deref() {
        Some(path) if path == Path::new("-") => print(&report)?,
        path => {
            if let Some(path) = path {
                store::write_json(path, &report)?;
            }
            Console::new().line(&report.text(!arguments.rows.is_empty()))?;
        }
    }
    Ok(match report.held() {
        true => Verdict::Held,
        false => Verdict::Differed,
    })
}

fn print(report: &Report) -> Result<(), CallError> {
    let text = serde_json::to_string_pretty(report).map_err(|e| OutputError {
        path: "standard output".into(),
        source: io::Error::other(e),
    })?;
    Ok(Console::new().line(&text)?)
}

impl Arguments {
    /// Returns the requested rows.
    fn rows(&self) -> Result<Vec<&'static Row>, CallError> {
        let is = |row: &Row, name: &str| row.id.eq_ignore_ascii_case(name) || row.area == name;
        for name in &self.rows {
            if !rows().iter().any(|row| is(row, name)) {
                let areas: BTreeSet<&str> = rows().iter().map(|row| row.area.as_str()).collect();
                return Err(CallError::UnknownRow {
                    name: name.clone(),
                    last: rows().last().map_or("none", |row| row.id.as_str()),
                    areas: areas.into_iter().collect::<Vec<_>>().join(", "),
                });
            }
        }
        let asked = |row: &&Row| self.rows.is_empty() || self.rows.iter().any(|name| is(row, name));
        Ok(rows().iter().filter(asked).collect())
    }

    /// Returns the requested profiles of the hardware.
    fn profiles(&self) -> Result<Vec<&'static str>, CallError> {
        if self.golden_only {
            return Ok(Vec::new());
        }
        let profiles = self
            .profile
            .iter()
            .map(|name| profile_named(name).map(|p| p.name));
        profiles.collect()
    }

    /// Returns the foreign Verilog of this profile.
    fn dut(&self, profile: &'static str) -> Result<Option<Dut>, CallError> {
        let Some(folder) = &self.dut else {
            return Ok(None);
        };
        // The path must be absolute, because a test program runs in its own folder.
        let found = folder.canonicalize().map_err(|e| CallError::Dut {
            path: folder.clone(),
            reason: e.to_string(),
            profile,
        });
        Ok(Some(Dut {
            folder: found?,
            link: self.link.golden(),
            select: self.variant.select,
        }))
    }

    fn programs(&self) -> Result<Vec<Program>, CallError> {
        match self.program.is_empty() {
            true => Ok(Program::built()?),
            false => Ok(self.program.iter().cloned().map(Program::new).collect()),
        }
    }

    /// Returns the results of the cases of these rows: those of the model once, those of the hardware on each profile
    /// that has the ports for them.
    fn results(
        &self,
        rows: &[&Row],
        profiles: &[&str],
        dut: Option<&Dut>,
    ) -> Result<Vec<CaseResult>, CallError> {
        let wanted: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let is_wanted = |case: &String| rows_of(case).any(|row| wanted.contains(row.as_str()));
        let mut turns = Vec::new();
        for program in self.programs()? {
            let cases = program.cases()?.into_iter().filter(is_wanted);
            let (model, hardware): (Vec<_>, Vec<_>) =
                cases.partition(|case| device_of(case) == Device::Model);
            if dut.is_none() {
                turns.push((program.clone(), model, MODEL));
            }
            for name in profiles {
                let ports = profile_named(name)?.ports();
                let fits = |case: &&String| ports > 1 || !needs_two_ports(case);
                turns.push((
                    program.clone(),
                    hardware.iter().filter(fits).cloned().collect(),
                    *name,
                ));
            }
        }
        let all = turns.iter().map(|(_, cases, _)| cases.len() as u64).sum();
        let bar = progress(all);
        let mut results = Vec::new();
        for (program, cases, on) in turns.iter().filter(|(_, cases, _)| !cases.is_empty()) {
            let profile = if *on == MODEL { SMALL.name } else { on };
            let outcomes = program.run(cases, profile, dut, |case| {
                bar.set_message(format!("{on}: {case}"));
                bar.inc(1);
            })?;
            let is_elsewhere =
                |outcome: &Outcome| matches!(outcome, Outcome::Failed { printed } if is_elsewhere(printed));
            let of = outcomes
                .iter()
                .filter(|(_, outcome)| dut.is_none() || !is_elsewhere(outcome))
                .map(|(case, outcome)| CaseResult::of(case, profile, outcome));
            results.extend(of);
        }
        bar.finish_and_clear();
        Ok(results)
    }

    /// Returns how often random runs exercised each row.
    fn random(&self, designs: Designs) -> Result<Random, CallError> {
        let summaries = match self.runs.is_empty() {
            false => self.summaries()?,
            true if self.cases == 0 => Vec::new(),
            true => vec![self.lived(designs)?],
        };
        let mut random = Random::default();
        for summary in &summaries {
            random.cases += summary.cases;
            random.packets += summary.packets;
            for (row, cases) in &summary.requirements {
                *random.rows.entry(row.clone()).or_default() += cases;
            }
        }
        let Random { cases, packets, .. } = random;
        random.what = match self.runs.is_empty() {
            false => format!("{cases} random cases of `hca fuzz`, {packets} packets"),
            true => format!(
                "{cases} random cases on two golden models, seed {}, {packets} packets",
                self.seed
            ),
        };
        let faults: usize = summaries.iter().map(|summary| summary.faults.len()).sum();
        if faults > 0 {
            random.what += &format!("; in them something differed in {faults} ways, which `hca fuzz` tells");
        }
        Ok(random)
    }

    /// Returns the summaries of the folders. Each case of a campaign counts once if several folders have run it by one
    /// program.
    fn summaries(&self) -> Result<Vec<Summary>, CallError> {
        let stores = self.runs.iter().map(|folder| Store::read(folder));
        let stores = stores.collect::<Result<Vec<Store>, _>>()?;
        let is_alike = |one: &Store, other: &Store| {
            (one.campaign(), one.program()) == (other.campaign(), other.program())
        };
        let mut campaigns: Vec<Vec<&Store>> = Vec::new();
        for store in &stores {
            match campaigns.iter_mut().find(|of| is_alike(of[0], store)) {
                Some(of) => of.push(store),
                None => campaigns.push(vec![store]),
            }
        }
        Ok(campaigns.iter().filter_map(|of| joined(of)).collect())
    }

    /// Returns the summary of random cases that are run here.
    fn lived(&self, designs: Designs) -> Result<Summary, CallError> {
        let campaign = Campaign {
            seed: self.seed,
            focus: Area::All,
            devices: frame::Devices::Models,
            profile: None,
            link: None,
            dut: None,
            select: 0,
        };
        let mut devices = Devices::new(designs, None, 0, false);
        let bar = progress(self.cases);
        bar.set_message("random cases on two golden models");
        let mut records = BTreeMap::new();
        for index in 0..self.cases {
            let case = campaign.draw(index).case();
            let run = run_case(&case, devices.of(&case.frame, None)?, &mut Unwatched)?;
            let words = run.failure.as_deref().map(differed);
            records.insert(index, Record::of(&case, &run, words));
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(Summary::of(&campaign, records.values()))
    }
}

/// Makes a progress bar, which is drawn on a terminal only.
fn progress(cases: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len}  {msg}");
    ProgressBar::new(cases).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
