//! `hca fuzz`: runs random cases, in as many processes as wanted.
pub mod devices;
mod jobs;
mod merge;
mod orders;
mod progress;
pub mod replay;
pub mod worker;

use super::cosim::profile_named;
use super::error::CallError;
use super::link::Link;
use super::variant::Variant;
use super::words;
use super::Verdict;
use crate::case::frame::Devices;
use crate::fuzz::campaign::{digest_of_file, digest_of_folder, Campaign};
use crate::fuzz::run_spec::RunSpec;
use crate::fuzz::shard::Shard;
use crate::fuzz::store::{self, Store};
use crate::life::Area;
use clap::{Args, Subcommand, ValueEnum};
use hca_host::profile::SMALL;
use jobs::Jobs;
use orders::Orders;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of `hca fuzz`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    call: Call,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Join the folders of shards: one summary, JSON and JUnit
    Merge(merge::Arguments),
}

/// The requested run.
#[derive(Debug, Args)]
struct Call {
    /// Cases, numbered from 0; without `--time` 200 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cases: Option<u64>,
    /// Begin no case after so long, such as `90s`, `10m` or `2h`; what a case does never depends on it
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    time: Option<Duration>,
    /// Seed of all cases
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Configuration of the hardware; drawn if not given, with `--dut` `small`
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Link framing; drawn if not given, with `--dut` `ib`
    #[arg(long, value_enum)]
    link: Option<Link>,
    /// What the cases dwell on
    #[arg(long, value_enum, value_name = "AREA", default_value_t = Focus::All)]
    focus: Focus,
    /// Two golden models, no hardware; needs no Verilator
    #[arg(long, conflicts_with = "dut")]
    golden_only: bool,
    /// Take the Verilog of this folder instead of exporting it
    #[arg(long, value_name = "DIR")]
    dut: Option<PathBuf>,
    #[command(flatten)]
    variant: Variant,
    /// Only the cases whose number leaves I when divided by N; all shards together are the whole run
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// End with the first case that differs, and do not shrink it
    #[arg(long)]
    fail_fast: bool,
    /// Processes that run cases
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: u32,
    /// Folder for results; a rerun goes on where the last one ended. Without it only what differs is kept, in a folder
    /// whose name is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the summary as JSON; `-` for standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the summary as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// The values of `--focus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Focus {
    /// Everything in turn
    All,
    /// Everything, but no packets that nobody sent
    Friendly,
    /// Packets that nobody sent: any field, any PSN, forged acks, NAKs, credits and data
    Hostile,
    /// Verbs, legal and illegal
    Verbs,
    /// Messages of every kind
    Traffic,
    /// Messages of every kind over a link that loses, repeats, corrupts, delays and reorders packets
    Faults,
    /// Messages of every kind while host memory and streams are slow
    Host,
    /// Datagrams, address handles and multicast groups
    Datagrams,
    /// Messages over native links with flow control: port steps, VLs, and link packets that nobody sent
    Link,
}

impl From<Focus> for Area {
    fn from(focus: Focus) -> Area {
        match focus {
            Focus::All => Area::All,
            Focus::Friendly => Area::Friendly,
            Focus::Hostile => Area::Hostile,
            Focus::Verbs => Area::Verbs,
            Focus::Traffic => Area::Traffic,
            Focus::Faults => Area::Faults,
            Focus::Host => Area::Host,
            Focus::Datagrams => Area::Datagrams,
            Focus::Link => Area::Link,
        }
    }
}

/// Number of cases if neither a number nor a time is given.
const CASES: u64 = 200;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    match &arguments.command {
        Some(Command::Merge(arguments)) => merge::run(arguments),
        None => arguments.call.run(),
    }
}

impl Call {
    fn run(&self) -> Result<Verdict, CallError> {
        let campaign = self.campaign()?;
        merge::check_files(self.json.as_deref(), self.junit.as_deref())?;
        let program = std::env::current_exe().and_then(|path| digest_of_file(&path));
        let program = program.map_err(CallError::Jobs)?;
        // Without its own folder, a run leaves only what differed.
        let temporary = match &self.out {
            Some(_) => None,
            None => Some(temporary_folder()?),
        };
        let out = match (&self.out, &temporary) {
            (Some(out), _) => out.as_path(),
            (None, Some(folder)) => folder.path(),
            (None, None) => Path::new("."),
        };
        let cases = self.cases.or_else(|| self.time.is_none().then_some(CASES));
        let asked = RunSpec {
            shard: self.shard,
            cases: cases.filter(|_| self.time.is_none()),
            ended: false,
        };
        let store = Store::open(out, &campaign, &program, &asked)?;
        let orders = Orders {
            campaign,
            shard: self.shard,
            cases,
            done: store.records().keys().copied().collect(),
            known: store.known(),
            out: out.to_owned(),
            program: words::program(),
            dut: self.dut.clone(),
            select: self.variant.select,
            fail_fast: self.fail_fast,
        };
        let mut console = merge::console(self.json.as_deref());
        console.line(&self.heading(&orders))?;
        let jobs = Jobs::new(store, orders, self.jobs, self.time);
        let Some(store) = jobs.run(&mut console)? else {
            return Ok(Verdict::Refused);
        };
        let summary = store.summary()?;
        merge::write(&store, &summary)?;
        merge::write_files(&store, &summary, self.json.as_deref(), self.junit.as_deref())?;
        let place = |fault: &_| {
            let file = store.folder_of(fault).join(store::CASE);
            Some(replay::command(
                &words::program(),
                &file,
                self.dut.as_deref(),
                self.variant.select,
                summary.campaign.devices,
            ))
        };
        console.line(&summary.text(place))?;
        if summary.held() {
            return Ok(Verdict::Held);
        }
        if let Some(folder) = temporary {
            console.line(&format!("kept: {}", folder.keep().display()))?;
        }
        Ok(Verdict::Differed)
    }

    fn campaign(&self) -> Result<Campaign, CallError> {
        let given = match (&self.profile, &self.dut) {
            (Some(name), _) => Some(name.as_str()),
            (None, Some(_)) => Some(SMALL.name),
            (None, None) => None,
        };
        let profile = given.map(profile_named).transpose()?;
        let link = match (self.link, &self.dut) {
            (None, Some(_)) => Some(Link::Ib),
            (link, _) => link,
        };
        let digest = |folder: &Path| {
            digest_of_folder(folder).map_err(|e| CallError::Dut {
                path: folder.to_owned(),
                reason: e.to_string(),
                profile: profile.unwrap_or(&SMALL).name,
            })
        };
        Ok(Campaign {
            seed: self.seed,
            focus: self.focus.into(),
            devices: match self.golden_only {
                true => Devices::Models,
                false => Devices::Hardware,
            },
            profile: profile.map(|p| p.name.to_owned()),
            link: link.map(Link::golden),
            dut: self.dut.as_deref().map(digest).transpose()?,
            select: self.variant.select,
        })
    }

    fn heading(&self, orders: &Orders) -> String {
        let mut text = format!("fuzz, seed {}: ", self.seed);
        text += &match orders.cases {
            Some(cases) => format!("cases 0 to {}", cases - 1),
            None => "cases from 0 on".to_owned(),
        };
        if self.shard != Shard::WHOLE {
            text += &format!(", shard {}", self.shard);
        }
        text += match self.golden_only {
            true => ", two golden models",
            false => ", two Verilated HCAs, each beside its golden model",
        };
        if let Some(profile) = &orders.campaign.profile {
            text += &format!(", profile {profile}");
        }
        if let Some(link) = self.link {
            text += &format!(", link {}", link.name());
        }
        let of_these = |index: &&u64| {
            let shard = self.shard;
            **index % shard.of == shard.rest && orders.cases.is_none_or(|cases| **index < cases)
        };
        match orders.done.iter().filter(of_these).count() {
            0 => text,
            done => text + &format!("; {done} are done"),
        }
    }
}

fn temporary_folder() -> Result<tempfile::TempDir, CallError> {
    let folder = tempfile::Builder::new().prefix("hca-fuzz-").tempdir();
    folder.map_err(|source| {
        let path = std::env::temp_dir();
        CallError::Store(store::StoreError::Io { path, source })
    })
}
