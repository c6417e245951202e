//! The link framing as an option.
use crate::device::translation;
use clap::ValueEnum;
use hca_golden::port;
use hca_host::profile;

/// What `--link` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Link {
    /// Native InfiniBand
    Ib,
    /// RoCEv2 over IPv4
    Roce,
}

impl Link {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Link::Ib => "ib",
            Link::Roce => "roce",
        }
    }

    /// As the model and cases call it.
    pub fn golden(self) -> port::Link {
        match self {
            Link::Ib => port::Link::InfiniBand,
            Link::Roce => port::Link::Roce,
        }
    }

    /// As the hardware calls it.
    pub fn hardware(self) -> profile::Link {
        translation::link(self.golden())
    }
}
