//! The devices of a case. Hardware is built once, when the first case needs it.
use super::super::cosim::profile_named;
use super::super::error::CallError;
use super::super::hardware::{config, seed_of, Hardware};
use super::super::waves::Waves;
use crate::case::frame::{self, Frame};
use crate::device::golden::GoldenDevice;
use crate::device::{translation, Device, CAPABILITIES};
use crate::life::Places;
use crate::Side;
use hca_golden::capabilities::Capabilities;
use hca_golden::port::Link;
use hca_host::designs::Designs;
use hca_host::profile::Profile;
use hca_sim::hca::SimConfig;
use hca_sim::tape::Tape;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The built hardware, by profile and link.
pub struct Devices {
    designs: Designs,
    dut: Option<PathBuf>,
    select: u64,
    trace: bool,
    /// The hardware is built by the system's own tools.
    plain: bool,
    built: BTreeMap<(String, Link), Hardware>,
    building: Duration,
}

impl Devices {
    /// Makes devices from the Verilog in `dut`, or else from that of `designs`. `select` is its active variant; with
    /// `trace` it can write waves.
    pub fn new(designs: Designs, dut: Option<PathBuf>, select: u64, trace: bool) -> Devices {
        Devices {
            designs,
            dut,
            select,
            trace,
            plain: false,
            built: BTreeMap::new(),
            building: Duration::ZERO,
        }
    }

    /// Makes devices from the Verilog of `designs`, built by the system's own tools.
    pub fn plain(designs: Designs) -> Devices {
        Devices {
            plain: true,
            ..Devices::new(designs, None, 0, false)
        }
    }

    /// Returns fresh devices for a frame.
    pub fn of(&mut self, frame: &Frame, waves: Option<&Waves>) -> Result<[Box<dyn Device>; 2], CallError> {
        self.recorded(frame, waves, None)
    }

    /// Returns fresh devices whose ports are recorded, if they are hardware.
    pub fn recorded(
        &mut self,
        frame: &Frame,
        waves: Option<&Waves>,
        tapes: Option<&[Tape; 2]>,
    ) -> Result<[Box<dyn Device>; 2], CallError> {
        let link = frame.link;
        let profile = profile_named(&frame.profile)?.over(translation::link(link));
        let device = |side| -> Result<Box<dyn Device>, CallError> {
            let port = Places::of(frame).port(side);
            match frame.devices {
                frame::Devices::Models => {
                    let capabilities = Capabilities {
                        max_qps: 1 << profile.qp_bits,
                        ports: profile.ports() as u8,
                        data_vls: 1 << profile.vl_bits,
                        ..CAPABILITIES
                    };
                    let device = GoldenDevice::with(port, capabilities);
                    Ok(Box::new(device.picking(seed_of(frame.seed.into(), side))))
                }
                frame::Devices::Hardware => {
                    let hardware = self.hardware(&frame.profile, frame.link)?;
                    let config = SimConfig {
                        tape: tapes.map(|tapes| tapes[side as usize].clone()),
                        ..timed(frame, &profile, side, waves)
                    };
                    Ok(Box::new(hardware.device_behind(port, &config)?))
                }
            }
        };
        let [x, y] = Side::BOTH.map(device);
        Ok([x?, y?])
    }

    /// Returns how long builds took since the last call.
    pub fn built_in(&mut self) -> Duration {
        std::mem::take(&mut self.building)
    }

    /// Returns the built hardware of a profile, by its name, for a link.
    pub fn hardware(&mut self, profile: &str, link: Link) -> Result<&Hardware, CallError> {
        use std::collections::btree_map::Entry;
        match self.built.entry((profile.to_owned(), link)) {
            Entry::Occupied(built) => Ok(built.into_mut()),
            Entry::Vacant(place) => {
                let profile = &profile_named(profile)?.over(translation::link(link));
                let begun = Instant::now();
                let hardware = match self.plain {
                    true => Hardware::plain(self.designs, profile),
                    false => Hardware::build(self.designs, profile, self.dut.as_deref(), self.trace),
                };
                self.building += begun.elapsed();
                Ok(place.insert(hardware?.selecting(self.select)))
            }
        }
    }
}

/// Returns the configuration of a side's simulation, with the timing of the frame.
fn timed(frame: &Frame, profile: &Profile, side: Side, waves: Option<&Waves>) -> SimConfig {
    let timing = &frame.timing;
    let (least, most) = timing.memory_latency;
    SimConfig {
        memory_latency: least..=most,
        memory_pauses: timing.memory_pauses,
        stream_gaps: timing.stream_gaps,
        stream_stalls: timing.stream_stalls,
        register_pauses: timing.register_pauses,
        rings: Places::of(frame).rings(),
        event_entries: timing.events.entries,
        event_lag: timing.events.lag,
        trace: waves.map(|w| w.of(side)),
        ..config(profile, frame.seed.into(), side)
    }
}
