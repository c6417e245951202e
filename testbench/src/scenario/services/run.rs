//! The runs with several services, by name.
use super::super::uc;
use super::layout::QPS;
use crate::faults::Faults;
use hca_golden::verbs::Service;

/// A run with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Services {
    pub name: &'static str,
    /// The services, which the queue pairs have in turn.
    pub(super) services: &'static [Service],
    pub(super) faults: Option<Faults>,
    /// Flow control of the link, with the VL of each SL as in [`Fabric::control_flow`].
    pub(super) credits: Option<u16>,
    /// QP0, QP1 and members of a multicast group run beside the queue pairs.
    pub(super) beside: bool,
}

const UD: &[Service] = &[Service::Ud];
const ALL: &[Service] = &[Service::Rc, Service::Uc, Service::Ud];

impl Services {
    /// Datagrams on a sound link. All arrive that are not longer than a packet.
    pub const UD_MIXED: Services = Services::of("ud-mixed", UD, None);
    /// The same with the faults of [`uc::LOSS_1`].
    pub const UD_LOSS_1: Services = Services::of("ud-loss-1", UD, uc::LOSS_1.faults);
    /// The same with the faults of [`uc::LOSS_20`].
    pub const UD_LOSS_20: Services = Services::of("ud-loss-20", UD, uc::LOSS_20.faults);
    /// RC, UC and UD, QP0, QP1 and a multicast group at once.
    pub const MIXED: Services = Services::of_all("services-mixed", None);
    /// The same run with the faults of [`uc::LOSS_1`].
    pub const LOSS_1: Services = Services::of_all("services-loss-1", uc::LOSS_1.faults);
    /// The same run with the faults of [`uc::LOSS_20`].
    pub const LOSS_20: Services = Services::of_all("services-loss-20", uc::LOSS_20.faults);

    /// RC, UC and UD at once, by credits of the link, on two VLs.
    pub const CREDITS: Services = Services::by_credits("services-credits", None);
    /// The same run with one packet in five lost. Its credits come back.
    pub const CREDITS_LOSS_20: Services = Services::by_credits(
        "services-credits-loss-20",
        Some(Faults {
            lost: 200,
            repeated: 0,
            echoed: 0,
            corrupted: 20,
            delayed: 0,
            overtaken: 0,
        }),
    );

    const RUNS: [Services; 8] = [
        Services::UD_MIXED,
        Services::UD_LOSS_1,
        Services::UD_LOSS_20,
        Services::MIXED,
        Services::LOSS_1,
        Services::LOSS_20,
        Services::CREDITS,
        Services::CREDITS_LOSS_20,
    ];

    const fn of(name: &'static str, services: &'static [Service], faults: Option<Faults>) -> Services {
        Services {
            name,
            services,
            faults,
            credits: None,
            beside: false,
        }
    }

    const fn of_all(name: &'static str, faults: Option<Faults>) -> Services {
        Services {
            beside: true,
            ..Services::of(name, ALL, faults)
        }
    }

    /// Makes a run by credits on two VLs: SL 2 is on VL 0, SL 3 on VL 1. Ethernet has neither.
    const fn by_credits(name: &'static str, faults: Option<Faults>) -> Services {
        Services {
            credits: Some(0xAAAA),
            ..Services::of(name, ALL, faults)
        }
    }

    /// Returns the run with this name.
    pub fn named(name: &str) -> Option<Services> {
        Services::RUNS.into_iter().find(|run| run.name == name)
    }

    pub(super) fn service(&self, n: u32) -> Service {
        self.services[n as usize % self.services.len()]
    }

    /// Returns the numbers of the queue pairs of datagrams.
    pub(super) fn datagrams(&self) -> Vec<u32> {
        (0..QPS).filter(|n| self.service(*n) == Service::Ud).collect()
    }
}
