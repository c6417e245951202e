//! Which scenarios a call of `hca cosim` runs, and whether its options fit them.
use super::arguments::{list, Arguments};
use crate::cli::error::CallError;
use crate::device::CAPABILITIES;
use crate::scenario::credits::Credits;
use crate::scenario::services::{self, Multicast, Services};
use crate::scenario::{all, o2iblnd, rc, uc, Scenario};
use hca_golden::verbs::Pmtu;
use hca_host::profile::Profile;

const DEFAULT_MESSAGE_SIZE: u32 = 65_536;
const DEFAULT_SOAK: u64 = 100_000;
const DEFAULT_LOST: u32 = 1;

/// Scenarios of single blocks, and what they run.
const BLOCKS: [(&str, &str); 2] = [
    (
        "wire",
        "link receive and packet builder alone, at every width and framing",
    ),
    ("decisions", "the decision blocks alone"),
];

/// What runs under the name of a scenario.
pub(super) enum Chosen {
    /// A scenario of two devices on a link.
    Fabric(Scenario),
    /// The wire blocks alone.
    Wire,
    /// The decision blocks alone.
    Decisions,
}

impl Chosen {
    /// Returns the name that `--list` shows.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Chosen::Fabric(scenario) => scenario.name(),
            Chosen::Wire => "wire",
            Chosen::Decisions => "decisions",
        }
    }

    /// Returns the name of a scenario that the hardware cannot run.
    pub(super) fn lacks(&self, golden_only: bool) -> Option<&'static str> {
        match self {
            Chosen::Fabric(scenario) => {
                let lacks = scenario.needs_all_of_rc() && !golden_only && !CAPABILITIES.remote_access;
                lacks.then_some(scenario.name())
            }
            Chosen::Wire | Chosen::Decisions => None,
        }
    }
}

impl Arguments {
    /// Returns the scenarios of the call, each with what it needs.
    pub(super) fn scenarios(&self, profile: &Profile) -> Result<Vec<Chosen>, CallError> {
        let names: Vec<&str> = match &self.scenarios[..] {
            [] => vec!["seed001"],
            named => named.iter().map(String::as_str).collect(),
        };
        for (scenario, given, option) in [
            ("send", self.payload.is_some(), "--payload"),
            ("send", self.message_size.is_some(), "--message-size"),
            ("send", self.pmtu.is_some(), "--pmtu"),
            (rc::Soak::NAME, self.packets.is_some(), "--packets"),
            (rc::Soak::NAME, self.lost.is_some(), "--lost"),
            (
                "wire",
                self.cases.is_some() && !names.contains(&"decisions"),
                "--cases",
            ),
        ] {
            if given && !names.contains(&scenario) {
                return Err(CallError::OnlyFor { option, scenario });
            }
        }
        for (given, option) in [
            (self.golden_only, "--golden-only"),
            (self.dut.is_some(), "--dut"),
            (self.pcap.is_some(), "--pcap"),
            (self.fst.is_some(), "--fst"),
            (self.profile.is_some(), "--profile"),
            (self.link.is_some(), "--link"),
            (self.patience.is_some(), "--patience"),
        ] {
            for (scenario, runs) in BLOCKS {
                if given && names.contains(&scenario) {
                    return Err(CallError::NotForBlocks {
                        option,
                        scenario,
                        runs,
                    });
                }
            }
        }
        for (given, option) in [(self.pcap.is_some(), "--pcap"), (self.fst.is_some(), "--fst")] {
            if given && names.len() > 1 {
                let scenarios = names.len();
                return Err(CallError::OneScenario { option, scenarios });
            }
        }
        names
            .into_iter()
            .map(|name| self.scenario(name, profile))
            .collect()
    }

    fn scenario(&self, name: &str, profile: &Profile) -> Result<Chosen, CallError> {
        match name {
            "seed001" => Ok(Chosen::Fabric(Scenario::Seed001)),
            "wire" => Ok(Chosen::Wire),
            "decisions" => Ok(Chosen::Decisions),
            name if name == rc::MIXED.name => Ok(Chosen::Fabric(Scenario::Rc(rc::MIXED))),
            name if name == rc::LOSS_1.name => Ok(Chosen::Fabric(Scenario::Rc(rc::LOSS_1))),
            name if name == rc::LOSS_20.name => Ok(Chosen::Fabric(Scenario::Rc(rc::LOSS_20))),
            name if name == rc::MEMORY_ERRORS.name => Ok(Chosen::Fabric(Scenario::Rc(rc::MEMORY_ERRORS))),
            name if name == rc::MEMORY_ERRORS_LOSS_1.name => {
                Ok(Chosen::Fabric(Scenario::Rc(rc::MEMORY_ERRORS_LOSS_1)))
            }
            name if name == uc::MIXED.name => Ok(Chosen::Fabric(Scenario::Uc(uc::MIXED))),
            name if name == uc::LOSS_1.name => Ok(Chosen::Fabric(Scenario::Uc(uc::LOSS_1))),
            name if name == uc::LOSS_20.name => Ok(Chosen::Fabric(Scenario::Uc(uc::LOSS_20))),
            name if name == rc::MANY.name => Ok(Chosen::Fabric(Scenario::Rc(rc::MANY.filling(profile)))),
            rc::Soak::NAME => Ok(Chosen::Fabric(Scenario::Soak(rc::Soak {
                packets: self.packets.unwrap_or(DEFAULT_SOAK),
                lost: self.lost.unwrap_or(DEFAULT_LOST),
            }))),
            o2iblnd::NAME => Ok(Chosen::Fabric(Scenario::O2iblnd)),
            "send" => {
                let path = self.payload.as_ref().ok_or(CallError::NoPayload)?;
                let payload = std::fs::read(path).map_err(|source| CallError::Payload {
                    path: path.clone(),
                    source,
                })?;
                Ok(Chosen::Fabric(Scenario::Send {
                    payload,
                    message_size: self.message_size.unwrap_or(DEFAULT_MESSAGE_SIZE),
                    pmtu: self.pmtu.map_or(Pmtu::B2048, Pmtu::from),
                }))
            }
            services::Flood::NAME => Ok(Chosen::Fabric(Scenario::Flood)),
            name => {
                let credits = Credits::named(name).map(Scenario::Credits);
                let services = || Services::named(name).map(Scenario::Services);
                let multicast = || Multicast::named(name).map(Scenario::Multicast);
                let scenario = credits.or_else(services).or_else(multicast);
                let known = || list(all().map(|e| e.name));
                scenario
                    .map(Chosen::Fabric)
                    .ok_or_else(|| CallError::UnknownScenario {
                        name: name.to_owned(),
                        known: known(),
                    })
            }
        }
    }
}
