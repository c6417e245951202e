//! The workloads: cases of `hca fuzz`, and scenarios.
use crate::case::Case;
use crate::cli::error::CallError;
use crate::cli::fuzz::devices::Devices;
use crate::cli::hardware::config_for;
use crate::cli::link::Link;
use crate::device::{port_on, translation, Device};
use crate::fabric::{Fabric, Stop, Unwatched};
use crate::fuzz::campaign::Campaign;
use crate::fuzz::{differed, run_case};
use crate::scenario::{rc, Scenario};
use crate::scoreboard::Checked;
use crate::station::Station;
use crate::Side;
use hca_golden::port;
use hca_host::designs::Designs;
use hca_host::profile::Profile;
use hca_sim::hca::SimConfig;
use hca_sim::tape::Tape;
use hca_sim::verilated::Library;

/// Number of clock cycles without progress that count as a hang.
const PATIENCE: u64 = 100_000;

/// The model that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    /// The model that the system's own tools build, evaluated whole.
    Plain,
    /// The model as `hca` builds it.
    Fast,
}

/// One configuration of the hardware, built in both ways.
pub(super) struct Models {
    profile: &'static Profile,
    link: port::Link,
    plain: Devices,
    fast: Devices,
}

impl Models {
    pub fn build(designs: Designs, profile: &'static Profile, link: Link) -> Result<Models, CallError> {
        let mut models = Models {
            profile,
            link: link.golden(),
            plain: Devices::plain(designs),
            fast: Devices::new(designs, None, 0, false),
        };
        models.library(Model::Plain)?;
        models.library(Model::Fast)?;
        Ok(models)
    }

    fn of(&mut self, model: Model) -> &mut Devices {
        match model {
            Model::Plain => &mut self.plain,
            Model::Fast => &mut self.fast,
        }
    }

    /// Returns the built model, to run it without a bus.
    pub fn library(&mut self, model: Model) -> Result<Library, CallError> {
        let (profile, link) = (self.profile.name, self.link);
        Ok(self.of(model).hardware(profile, link)?.library().clone())
    }
}

/// The extent of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    /// Number of packets on the link.
    pub packets: u64,
    pub cycles: u64,
}

/// A workload.
pub(super) enum Workload {
    Case(Box<Case>),
    Scenario { scenario: Scenario, seed: u64 },
}

impl Workload {
    /// Returns a case of `hca fuzz` as one life, because a tape is of a device that is reset before it runs and not
    /// again.
    pub fn case(campaign: &Campaign, index: u64) -> Workload {
        let mut case = campaign.draw(index).case();
        case.frame.reset = None;
        Workload::Case(Box::new(case))
    }

    /// Returns the measured scenarios. `packets` is the number of packets of `soak`.
    pub fn scenarios(seed: u64, packets: u64) -> [Workload; 2] {
        let soak = rc::Soak { packets, lost: 1 };
        [Scenario::Rc(rc::LOSS_20), Scenario::Soak(soak)]
            .map(|scenario| Workload::Scenario { scenario, seed })
    }

    pub fn name(&self) -> &'static str {
        match self {
            Workload::Case(_) => "hca fuzz",
            Workload::Scenario { scenario, .. } => scenario.name(),
        }
    }

    /// Runs the workload beside the golden model and records the ports of the two devices on the tapes. Returns a text
    /// if something differed.
    pub fn run(
        &self,
        models: &mut Models,
        model: Model,
        tapes: Option<&[Tape; 2]>,
    ) -> Result<Result<Ran, String>, CallError> {
        match self {
            Workload::Case(case) => {
                let devices = models.of(model).recorded(&case.frame, None, tapes)?;
                let run = run_case(case, devices, &mut Unwatched)?;
                let ran = Ran {
                    packets: run.packets,
                    cycles: run.cycles,
                };
                Ok(run.failure.map_or(Ok(ran), |failure| Err(differed(&failure))))
            }
            Workload::Scenario { scenario, seed } => {
                let profile = models.profile.over(translation::link(models.link));
                let (name, link) = (models.profile.name, models.link);
                let hardware = models.of(model).hardware(name, link)?;
                let station = |side: Side| -> Result<Box<dyn Station>, CallError> {
                    let port = port_on(link, side);
                    let config = SimConfig {
                        tape: tapes.map(|tapes| tapes[side as usize].clone()),
                        ..config_for(scenario, &profile, *seed, side)
                    };
                    let device: Box<dyn Device> = Box::new(hardware.device_behind(port, &config)?);
                    Ok(Box::new(Checked::new(side, device, port, PATIENCE)))
                };
                let (x, y) = (station(Side::X)?, station(Side::Y)?);
                let mut unwatched = Unwatched;
                let mut fabric = Fabric::new(x, y, PATIENCE, &mut unwatched).over(link);
                match scenario.run(&mut fabric, *seed) {
                    Ok(()) => Ok(Ok(Ran {
                        packets: fabric.packets(),
                        cycles: fabric.cycle(),
                    })),
                    Err(Stop::Failed(failure)) => Ok(Err(differed(&failure))),
                    Err(Stop::Output(error)) => Err(error.into()),
                }
            }
        }
    }
}
