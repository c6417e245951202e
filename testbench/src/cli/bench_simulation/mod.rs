//! `hca bench simulation`: measures the cost of a run with and without the comparison, on the models that `hca` builds
//! and on those of the system's own tools. It also checks that both models have the same values at every clock.
mod speed;
mod workload;

use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::hardware::system_tools;
use super::link::Link;
use super::Verdict;
use crate::case::frame;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::store;
use crate::life::Area;
use clap::Args;
use hca_host::designs::Designs;
use hca_host::profile;
use hca_sim::tape::{PlayError, Tape};
use hca_sim::verilated::{Evaluation, Tools};
use rustix::time::{clock_gettime, ClockId};
use serde::Serialize;
use speed::{heading, Seconds, Speed};
use std::path::{Path, PathBuf};
use std::time::Duration;
use workload::{Model, Models, Workload};

/// Options of `hca bench simulation`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration of the hardware
    #[arg(long, default_value = profile::SMALL.name)]
    profile: String,
    /// Link framing
    #[arg(long, value_enum, default_value_t = Link::Ib)]
    link: Link,
    /// Cases, numbered from 0, as of `hca fuzz` with this profile and link
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Packets of scenario `soak`
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    packets: u64,
    /// Seed of all cases and scenarios
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Folder for what `testbench/peer/run` takes: what went through the ports of the two devices in the case with the
    /// most packets, and what the devices were
    #[arg(long, value_name = "DIR")]
    tapes: Option<PathBuf>,
}

/// Files of `--tapes`.
const TAPES: [&str; 2] = ["x.tape", "y.tape"];
const SPEED: &str = "speed.json";

/// The contents of `speed.json`.
#[derive(Serialize)]
struct Recorded<'a> {
    profile: &'a str,
    link: &'a str,
    seed: u64,
    case: u64,
    #[serde(flatten)]
    speed: Speed,
}

/// Runs the command.
pub fn run(designs: Designs, arguments: &Arguments) -> Result<Verdict, CallError> {
    let profile = profile_named(&arguments.profile)?;
    let link = arguments.link;
    let mut models = Models::build(designs, profile, link)?;
    let mut console = Console::new();
    console.line(&format!(
        "profile {}, link {}, seed {}; seconds are the processor's",
        profile.name,
        link.name(),
        arguments.seed
    ))?;
    let fast = models.library(Model::Fast)?.evaluation();
    let tools = Tools::find().map_err(CallError::Build)?;
    console.line(&built("plain", &system_tools()?, Evaluation::Whole))?;
    console.line(&built("hca", &tools, fast))?;
    for line in heading() {
        console.line(&line)?;
    }
    let campaign = Campaign {
        seed: arguments.seed,
        focus: Area::All,
        devices: frame::Devices::Hardware,
        profile: Some(profile.name.to_owned()),
        link: Some(link.golden()),
        dut: None,
        select: 0,
    };
    let mut all = Speed::default();
    let mut most: Option<(u64, Speed, [Tape; 2])> = None;
    for index in 0..arguments.cases {
        let workload = Workload::case(&campaign, index);
        let (speed, tapes) = match measure(&workload, &mut models)? {
            Ok(measured) => measured,
            Err(words) => return differs(&mut console, &format!("case {index}"), &words),
        };
        all += speed;
        if most
            .as_ref()
            .is_none_or(|(_, before, _)| before.packets < speed.packets)
        {
            most = Some((index, speed, tapes));
        }
    }
    console.line(&all.row("hca fuzz"))?;
    for workload in Workload::scenarios(arguments.seed, arguments.packets) {
        match measure(&workload, &mut models)? {
            Ok((speed, _)) => console.line(&speed.row(workload.name()))?,
            Err(words) => return differs(&mut console, workload.name(), &words),
        }
    }
    console.line("at every clock both models gave the same outputs and retire records")?;
    if let (Some(folder), Some((case, speed, tapes))) = (&arguments.tapes, most) {
        let recorded = Recorded {
            profile: profile.name,
            link: link.name(),
            seed: arguments.seed,
            case,
            speed,
        };
        write(folder, &tapes, &recorded)?;
        console.line(&format!(
            "case {case}, {} packets: {}",
            speed.packets,
            folder.display()
        ))?;
    }
    Ok(Verdict::Held)
}

/// Describes in a line how models are built.
fn built(name: &str, tools: &Tools, evaluation: Evaluation) -> String {
    let how = match evaluation {
        Evaluation::Whole => "each level of the clock evaluated whole",
        Evaluation::Divided => "settle and edge apart",
        Evaluation::Gated => "blocks that run when something they read has changed",
    };
    format!(
        "{:6} {}, {}: {how}",
        format!("{name}:"),
        tools.verilator_version().trim(),
        tools.compiler_version()
    )
}

fn differs(console: &mut Console, what: &str, words: &str) -> Result<Verdict, CallError> {
    console.line(&format!("{what} differs: {words}"))?;
    Ok(Verdict::Differed)
}

/// Runs a workload with the comparison, on either model in turn, and its inputs without. The plain model must have the
/// values of `hca`'s model at every clock. Returns a text if something differed.
fn measure(
    workload: &Workload,
    models: &mut Models,
) -> Result<Result<(Speed, [Tape; 2]), String>, CallError> {
    let mut compared = |model| -> Result<_, CallError> {
        let begun = processor_time();
        let ran = workload.run(models, model, None)?;
        Ok(ran.map(|ran| (ran, since(begun))))
    };
    let ((ran, plain_compared), (other, fast_compared)) =
        match (compared(Model::Plain)?, compared(Model::Fast)?) {
            (Ok(plain), Ok(fast)) => (plain, fast),
            (Err(words), _) | (_, Err(words)) => return Ok(Err(words)),
        };
    if ran != other {
        return Ok(Err(format!(
            "{} packets in {} cycles of the plain model, {} in {} of `hca`'s",
            ran.packets, ran.cycles, other.packets, other.cycles
        )));
    }
    let tapes = [Tape::new(), Tape::new()];
    if let Err(words) = workload.run(models, Model::Fast, Some(&tapes))? {
        return Ok(Err(words));
    }
    let plain = models.library(Model::Plain)?;
    for tape in &tapes {
        match tape.compare(&plain) {
            Ok(()) => {}
            Err(error @ PlayError::Differs { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(CallError::Played(error)),
        }
    }
    let mut bare = |model| -> Result<f64, CallError> {
        let library = models.library(model)?;
        let begun = processor_time();
        for tape in &tapes {
            tape.play(&library).map_err(CallError::Played)?;
        }
        Ok(since(begun))
    };
    let speed = Speed {
        packets: ran.packets,
        cycles: ran.cycles,
        plain: Seconds {
            bare: bare(Model::Plain)?,
            compared: plain_compared,
        },
        fast: Seconds {
            bare: bare(Model::Fast)?,
            compared: fast_compared,
        },
    };
    Ok(Ok((speed, tapes)))
}

fn write(folder: &Path, tapes: &[Tape; 2], recorded: &Recorded<'_>) -> Result<(), CallError> {
    std::fs::create_dir_all(folder).map_err(|source| CallError::WriteInterface {
        path: folder.to_owned(),
        source,
    })?;
    for (tape, name) in tapes.iter().zip(TAPES) {
        store::write(&folder.join(name), |out| tape.write(out))?;
    }
    store::write_json(&folder.join(SPEED), recorded)?;
    Ok(())
}

/// Returns the processor time of this process. Other processes do not change it.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn since(begun: Duration) -> f64 {
    (processor_time() - begun).as_secs_f64()
}
