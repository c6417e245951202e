//! The adapter of a session.
use crate::cli::error::CallError;
use crate::cli::hardware::{self, Hardware};
use crate::device::golden::GoldenDevice;
use crate::device::{Device, CAPABILITIES};
use crate::live::address::Address;
use crate::scoreboard::Checked;
use crate::station::{Alone, Station};
use crate::Side;
use clap::Args;
use hca_host::designs::Designs;
use hca_host::profile::Profile;

/// Number of clock cycles without progress that count as a failure. It exceeds the RNR and ack timers of sessions.
const STALL: u64 = 200_000;

/// Options that choose the adapter.
#[derive(Clone, Copy, Debug, Args)]
pub struct Choice {
    /// The golden model alone is the adapter; needs no Verilator
    #[arg(long)]
    pub golden_only: bool,
    /// No model beside the adapter: what the peer makes of it is the only judge
    #[arg(long)]
    pub unchecked: bool,
}

/// The Verilated hardware that was built; `None` if the golden model is the adapter.
pub type Built = Option<Hardware>;

impl Choice {
    /// Describes the adapter in words.
    pub fn describe(&self, profile: &Profile) -> String {
        let adapter = match self.golden_only {
            true => "the golden model".to_owned(),
            false => format!("the Verilated adapter (profile {})", profile.name),
        };
        match (self.unchecked, self.golden_only) {
            (true, _) => format!("{adapter}, unchecked"),
            (false, true) => adapter,
            (false, false) => format!("{adapter} beside its golden model"),
        }
    }

    /// Builds the hardware, if the adapter is hardware.
    pub fn build(&self, designs: Designs, profile: &Profile) -> Result<Built, CallError> {
        match self.golden_only {
            true => Ok(None),
            false => Hardware::build(designs, profile, None, false).map(Some),
        }
    }

    /// Returns a fresh adapter with this address.
    pub fn station(
        &self,
        built: &Built,
        profile: &Profile,
        own: Address,
        seed: u64,
    ) -> Result<Box<dyn Station>, CallError> {
        let port = own.port();
        let device: Box<dyn Device> = match built {
            None => Box::new(GoldenDevice::with(port, CAPABILITIES)),
            Some(built) => Box::new(built.device_behind(port, &hardware::config(profile, seed, Side::X))?),
        };
        Ok(match self.unchecked {
            true => Box::new(Alone::new(Side::X, device)),
            false => Box::new(Checked::new(Side::X, device, port, STALL)),
        })
    }
}
