//! Hardware for a run: exported or given Verilog, built once, started as often as wanted.
use super::error::CallError;
use super::exported;
use crate::device::port_of;
use crate::device::verilated::VerilatedDevice;
use crate::scenario::Scenario;
use crate::Side;
use hca_golden::port::PortConfig;
use hca_host::designs::{Designs, TOP};
use hca_host::profile::Profile;
use hca_sim::hca::{SimConfig, SimError};
use hca_sim::verilated::{target_dir, Build, Evaluation, Library, Lints, Source, Tools};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A built simulation.
pub struct Hardware {
    library: Library,
    profile: Profile,
    dut: Option<PathBuf>,
    select: u64,
}

/// True if builds say how their models are evaluated.
static EXPLAINED: AtomicBool = AtomicBool::new(false);

/// Makes builds say on standard error why their model is slower than it could be.
pub fn explain_builds() {
    EXPLAINED.store(true, Ordering::Relaxed);
}

impl Hardware {
    /// Builds the Verilog of `dut`, or else that of the profile. With `trace` it can write waves.
    pub fn build(
        designs: Designs,
        profile: &Profile,
        dut: Option<&Path>,
        trace: bool,
    ) -> Result<Hardware, CallError> {
        let (source, lints) = match dut {
            Some(folder) => {
                let source = Source::from_dir(folder, TOP).map_err(|e| dut_error(folder, profile, &e))?;
                (source, Lints::Lenient)
            }
            None => {
                let texts = exported::texts(designs, profile)?.into_iter();
                let files = texts.map(|(name, text)| (format!("{name}.v"), text));
                (Source::from_texts(TOP, files), Lints::Strict)
            }
        };
        let spinner =
            ProgressBar::new_spinner().with_message("building the simulation, once for each design");
        spinner.enable_steady_tick(Duration::from_millis(100));
        let built = Build {
            lints,
            trace,
            evaluation: Evaluation::Gated,
        }
        .library(&source);
        spinner.finish_and_clear();
        let library = built.map_err(|e| match dut {
            Some(folder) if is_of_the_design(&e) => dut_error(folder, profile, &e),
            _ => CallError::Build(e),
        })?;
        if let Some(note) = library.note().filter(|_| EXPLAINED.load(Ordering::Relaxed)) {
            eprintln!("{}: {note}", source.design);
        }
        Ok(Hardware {
            library,
            profile: *profile,
            dut: dut.map(Path::to_owned),
            select: 0,
        })
    }

    /// Builds the Verilog of the profile with the [`system_tools`], so that the whole design is evaluated at each level
    /// of the clock.
    pub fn plain(designs: Designs, profile: &Profile) -> Result<Hardware, CallError> {
        let texts = exported::texts(designs, profile)?.into_iter();
        let files = texts.map(|(name, text)| (format!("{name}.v"), text));
        let build = Build {
            lints: Lints::Strict,
            trace: false,
            evaluation: Evaluation::Whole,
        };
        let library = build.library_by(&system_tools()?, &Source::from_texts(TOP, files));
        Ok(Hardware {
            library: library.map_err(CallError::Build)?,
            profile: *profile,
            dut: None,
            select: 0,
        })
    }

    /// Returns the hardware as this variant of a design that holds many; 0 is the original design.
    pub fn selecting(self, select: u64) -> Hardware {
        Hardware { select, ..self }
    }

    /// Returns a device with this configuration behind the port of its side.
    pub fn device(&self, side: Side, config: &SimConfig) -> Result<VerilatedDevice, CallError> {
        self.device_behind(port_of(side), config)
    }

    /// Returns a device with this configuration behind any port.
    pub fn device_behind(&self, port: PortConfig, config: &SimConfig) -> Result<VerilatedDevice, CallError> {
        let config = self.selected(config);
        VerilatedDevice::new(&self.library, &config, port).map_err(|e| match (e, &self.dut) {
            (SimError::Model(e), Some(folder)) if is_of_the_design(&e) => {
                dut_error(folder, &self.profile, &e)
            }
            (SimError::Model(e), _) => CallError::Build(e),
            (other, _) => CallError::Start(other),
        })
    }

    /// Returns the configuration with this variant.
    pub fn selected(&self, config: &SimConfig) -> SimConfig {
        SimConfig {
            select: self.select,
            ..config.clone()
        }
    }

    /// Returns the library, to run it without buses.
    pub fn library(&self) -> &Library {
        &self.library
    }
}

/// Returns the tools that `scripts/setup` finds if it can fetch none. If only fetched tools exist, it returns those.
pub fn system_tools() -> Result<Tools, CallError> {
    Tools::system()
        .or_else(|_| Tools::find())
        .map_err(CallError::Build)
}

/// Returns the seed of a device: each side draws its own random numbers.
pub fn seed_of(seed: u64, side: Side) -> u64 {
    seed.wrapping_mul(2).wrapping_add(side as u64)
}

/// Returns the configuration of one side's simulation.
pub fn config(profile: &Profile, seed: u64, side: Side) -> SimConfig {
    SimConfig {
        seed: seed_of(seed, side),
        profile: *profile,
        ..SimConfig::default()
    }
}

/// Returns the configuration of one side's simulation in a scenario.
pub fn config_for(scenario: &Scenario, profile: &Profile, seed: u64, side: Side) -> SimConfig {
    let config = config(profile, seed, side);
    let (first, last) = (*config.memory_latency.start(), *config.memory_latency.end());
    SimConfig {
        memory_latency: first..=scenario.memory_latency().unwrap_or(last),
        ..config
    }
}

/// Returns true for an error that the author of the folder can mend.
fn is_of_the_design(error: &hca_sim::verilated::Error) -> bool {
    use hca_sim::verilated::Error::*;
    // Errors of the cache are not.
    if matches!(error, Io { path, .. } if path.starts_with(target_dir())) {
        return false;
    }
    matches!(
        error,
        NoVerilog(_)
            | NoTop { .. }
            | Refused { .. }
            | Compile { .. }
            | NoPort { .. }
            | PortShape { .. }
            | Io { .. }
    )
}

fn dut_error(folder: &Path, profile: &Profile, error: &hca_sim::verilated::Error) -> CallError {
    CallError::Dut {
        path: folder.to_owned(),
        reason: error.to_string(),
        profile: profile.name,
    }
}
