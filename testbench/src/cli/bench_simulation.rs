//! `hca bench simulation`: what comparing costs. The cases of `hca fuzz`, then the same inputs into bare models.
use super::console::Console;
use super::cosim::profile_named;
use super::error::CallError;
use super::fuzz::devices::Devices;
use super::link::Link;
use super::Verdict;
use crate::fabric::Unwatched;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::case::Case;
use crate::fuzz::{differed, frame, live, store};
use crate::life::Area;
use clap::Args;
use hca_rtl::profile;
use hca_sim::tape::Tape;
use rustix::time::{clock_gettime, ClockId};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Seed of all cases
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

/// What was done, and the processor's time for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Speed {
    /// On the link.
    packets: u64,
    /// Clock cycles; two devices have run each.
    cycles: u64,
    /// Seconds of `hca fuzz`, comparison and all.
    compared: f64,
    /// Seconds of the two bare models.
    bare: f64,
}

impl Speed {
    fn add(&mut self, more: &Speed) {
        self.packets += more.packets;
        self.cycles += more.cycles;
        self.compared += more.compared;
        self.bare += more.bare;
    }

    fn rows(&self) -> [String; 2] {
        [("hca fuzz", self.compared), ("bare models", self.bare)].map(|(name, seconds)| {
            format!(
                "{name:<12} {:>10.1} {:>10.0} {:>19.2}",
                self.packets as f64 / seconds,
                self.cycles as f64 / seconds,
                self.bare / seconds
            )
        })
    }
}

/// What `speed.json` holds.
#[derive(Serialize)]
struct Told<'a> {
    profile: &'a str,
    link: &'a str,
    seed: u64,
    case: u64,
    #[serde(flatten)]
    speed: Speed,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict, CallError> {
    let profile = profile_named(&arguments.profile)?;
    let campaign = Campaign {
        seed: arguments.seed,
        focus: Area::All,
        devices: frame::Devices::Hardware,
        profile: Some(profile.name.to_owned()),
        link: Some(Link::of_case(arguments.link)),
        dut: None,
        select: 0,
    };
    let mut devices = Devices::new(None, 0, false);
    let mut console = Console::new();
    console.line(&format!(
        "profile {}, link {}, cases 0 to {} of seed {}; seconds are the processor's",
        profile.name,
        arguments.link.name(),
        arguments.cases - 1,
        arguments.seed
    ))?;
    let mut all = Speed::default();
    let mut most: Option<(u64, Speed)> = None;
    for index in 0..arguments.cases {
        let case = without_reset(campaign.draw(index).case());
        let speed = match measure(&case, &mut devices, None)? {
            Ok(speed) => speed,
            Err(words) => {
                console.line(&format!("case {index} differs, see `hca fuzz`: {words}"))?;
                return Ok(Verdict::Differed);
            }
        };
        all.add(&speed);
        if most.is_none_or(|(_, before)| before.packets < speed.packets) {
            most = Some((index, speed));
        }
    }
    console.line(&format!(
        "{} packets in {} cycles of two devices",
        all.packets, all.cycles
    ))?;
    console.line("              packets/s   cycles/s  of the bare models")?;
    for row in all.rows() {
        console.line(&row)?;
    }
    if let (Some(folder), Some((index, speed))) = (&arguments.tapes, most) {
        let told = Told {
            profile: profile.name,
            link: arguments.link.name(),
            seed: arguments.seed,
            case: index,
            speed,
        };
        let case = without_reset(campaign.draw(index).case());
        measure(&case, &mut devices, Some((folder, &told)))?.ok();
        console.line(&format!(
            "case {index}, {} packets: {}",
            speed.packets,
            folder.display()
        ))?;
    }
    Ok(Verdict::Held)
}

/// The case as one life: a tape is of a device that is reset before it runs, and then no more.
fn without_reset(mut case: Case) -> Case {
    case.frame.reset = None;
    case
}

/// Runs a case as `hca fuzz` does, then bare; in words what differed, if something did. Writes the tapes where one wants them.
fn measure(
    case: &Case,
    devices: &mut Devices,
    tapes_to: Option<(&PathBuf, &Told<'_>)>,
) -> Result<Result<Speed, String>, CallError> {
    let library = devices.library(&case.frame)?;
    let begun = processor_time();
    let run = live(case, devices.of(&case.frame, None)?, &mut Unwatched)?;
    let compared = processor_time() - begun;
    if let Some(failure) = &run.failure {
        return Ok(Err(differed(failure)));
    }
    let tapes = [Tape::new(), Tape::new()];
    live(
        case,
        devices.recorded(&case.frame, None, Some(&tapes))?,
        &mut Unwatched,
    )?;
    let begun = processor_time();
    for tape in &tapes {
        tape.play(&library).map_err(CallError::Played)?;
    }
    let bare = processor_time() - begun;
    if let Some((folder, told)) = tapes_to {
        write(folder, &tapes, told)?;
    }
    Ok(Ok(Speed {
        packets: run.packets,
        cycles: run.cycles,
        compared: compared.as_secs_f64(),
        bare: bare.as_secs_f64(),
    }))
}

fn write(folder: &Path, tapes: &[Tape; 2], told: &Told<'_>) -> Result<(), CallError> {
    std::fs::create_dir_all(folder).map_err(|source| CallError::WriteInterface {
        path: folder.to_owned(),
        source,
    })?;
    for (tape, name) in tapes.iter().zip(TAPES) {
        store::write(&folder.join(name), |out| tape.write(out))?;
    }
    store::write_json(&folder.join(SPEED), told)?;
    Ok(())
}

/// The processor's time that this process has had: other processes do not change it.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
