//! The link framing as an option.
use crate::device::translation;
use clap::ValueEnum;
use hca_golden::port;
use hca_host::profile;

/// The values of `--link`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Link {
    /// Native InfiniBand
    Ib,
    /// RoCEv2 over IPv4
    Roce,
}

impl Link {
    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Link::Ib => "ib",
            Link::Roce => "roce",
        }
    }

    /// Returns the link as the model and cases name it.
    pub fn golden(self) -> port::Link {
        match self {
            Link::Ib => port::Link::InfiniBand,
            Link::Roce => port::Link::Roce,
        }
    }

    /// Returns the link as the hardware names it.
    pub fn hardware(self) -> profile::Link {
        translation::link(self.golden())
    }
}
