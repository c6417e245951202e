//! The frame of a life: the devices, the link between them, and the timing of host memory and the streams.
use super::beyond::Beyond;
use super::lanes::Lanes;
use super::link_layer::LinkLayer;
use super::second_port::SecondPort;
use crate::faults::Faults;
use hca_golden::port::Link;
use hca_golden::verbs::Pmtu;
use hca_host::profile;
use serde::{Deserialize, Serialize};

/// Largest latency in clock cycles. No run takes such a wait for a hang.
const MAX_LATENCY: u32 = 5_000;
const MAX_LAG: u64 = 15_000;
/// Largest number of clock cycles between two polls.
const MAX_POLLS_EVERY: u32 = 5_000;
/// Largest number of pauses in 256 clocks.
const MAX_PAUSES: u32 = 250;
/// Number of data VLs that packets are on where `credits` alone says so.
const FIRST_VLS: u8 = 2;
/// Largest number of entries of an event queue.
const MAX_EVENTS: u32 = 1 << 15;

/// The event queue, and how soon software frees the entries that it has polled. An event that finds the queue full
/// waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    pub entries: u32,
    /// Clock cycles until software frees polled entries; 0 for at once.
    pub lag: u64,
}

impl Events {
    /// A queue that is never full.
    pub const ROOMY: Events = Events { entries: 256, lag: 0 };

    fn is_roomy(&self) -> bool {
        *self == Events::ROOMY
    }
}

impl Default for Events {
    fn default() -> Events {
        Events::ROOMY
    }
}

/// The devices at the ends of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Devices {
    /// Two Verilated HCAs, each with its model beside it.
    Hardware,
    /// Two models that make random choices, each with another model beside it.
    Models,
}

/// The timing of the hardware's host memory and streams. Models ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Smallest and largest number of clock cycles that host memory takes to answer.
    pub memory_latency: (u32, u32),
    /// Average number of clocks, of 256, in which a channel of host memory pauses.
    pub memory_pauses: u32,
    /// Average number of clocks, of 256, in which no beat comes in.
    pub stream_gaps: u32,
    /// Average number of clocks, of 256, in which the link takes no beat.
    pub stream_stalls: u32,
    /// Average number of clocks, of 256, in which the register bus pauses.
    pub register_pauses: u32,
    #[serde(default, skip_serializing_if = "Events::is_roomy")]
    pub events: Events,
}

impl Timing {
    /// A timing without waits.
    pub const PROMPT: Timing = Timing {
        memory_latency: (1, 1),
        memory_pauses: 0,
        stream_gaps: 0,
        stream_stalls: 0,
        register_pauses: 0,
        events: Events::ROOMY,
    };

    fn check(&self) -> Result<(), Beyond> {
        let (least, most) = self.memory_latency;
        Beyond::unless_within("timing.memory_latency[1]", most, 1..=MAX_LATENCY)?;
        Beyond::unless_within("timing.memory_latency[0]", least, 1..=most)?;
        // A channel that always pauses would never continue.
        for (field, value) in [
            ("timing.memory_pauses", self.memory_pauses),
            ("timing.stream_gaps", self.stream_gaps),
            ("timing.stream_stalls", self.stream_stalls),
            ("timing.register_pauses", self.register_pauses),
        ] {
            Beyond::unless_within(field, value, 0..=MAX_PAUSES)?;
        }
        Beyond::unless_within("timing.events.entries", self.events.entries, 1..=MAX_EVENTS)?;
        Beyond::unless_within("timing.events.lag", self.events.lag, 0..=MAX_LAG)
    }
}

/// The surroundings of a life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    pub devices: Devices,
    pub profile: String,
    pub link: Link,
    /// Seed of power-up contents, latencies, pauses and faults.
    pub seed: u32,
    /// Seed of addresses and numbers; 0 for small ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spread: u32,
    /// Clock cycle of an earlier run of the same life after which the devices were reset; `None` without an earlier
    /// run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset: Option<u32>,
    /// The QPN of the last queue pair of each side, if it is QP0 or QP1; `None` if it is one like the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub management: Option<u8>,
    /// Flow control of a native link: SL `n` is on the VL in bit `n`, and packets leave by credits. `None`: all SLs are
    /// on VL 0, without credits. Without `link_layer`, software queries the port's state where it would change the
    /// state or the VLs of a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credits: Option<u16>,
    /// Arbitration of the VLs of a link with flow control; `None`: as after a reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<Lanes>,
    /// How ports with flow control are set up; `None`: two VLs by `credits` on the first port. Without flow control it
    /// means nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_layer: Option<LinkLayer>,
    /// What is on port 2 of native adapters with two ports; `None`: nothing. Other adapters have all on port 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_port: Option<SecondPort>,
    /// Active MTUs of X's and of Y's ports, codes of `pmtu.csv`; `None`: those after a reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtus: Option<[u8; 2]>,
    /// Clock cycles between two polls of the completion queues; 0: software takes a completion as soon as it is there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub polls_every: u32,
    #[serde(default)]
    pub faults: Faults,
    pub timing: Timing,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Frame {
    /// Returns true if the adapters have two ports.
    pub fn has_two_ports(&self) -> bool {
        let profile = profile::ALL.iter().find(|p| p.name == self.profile);
        self.link == Link::InfiniBand && profile.is_some_and(|p| p.native_ports > 1)
    }

    /// Returns how the ports of a link with flow control are set up; `None` also without flow control.
    pub fn controlled(&self) -> Option<LinkLayer> {
        let has_credits = self.link == Link::InfiniBand && self.credits.is_some();
        self.link_layer.filter(|_| has_credits)
    }

    /// Returns the number of data VLs that packets may be on.
    pub fn data_vls(&self) -> u8 {
        let profile = profile::ALL.iter().find(|p| p.name == self.profile);
        match self.controlled() {
            None => FIRST_VLS,
            Some(_) => profile.map_or(FIRST_VLS, |p| 1 << p.vl_bits),
        }
    }

    /// Checks that all numbers are in the ranges that a run can play.
    pub fn check(&self) -> Result<(), Beyond> {
        Beyond::unless_within("management", self.management.unwrap_or(0), 0..=1)?;
        Beyond::unless_within("polls_every", self.polls_every, 0..=MAX_POLLS_EVERY)?;
        self.lanes
            .iter()
            .try_for_each(|lanes| lanes.check(self.data_vls()))?;
        self.link_layer.iter().try_for_each(LinkLayer::check)?;
        self.second_port.iter().try_for_each(SecondPort::check)?;
        for (n, mtu) in self.mtus.iter().flatten().enumerate() {
            Beyond::unless_within(
                &format!("mtus[{n}]"),
                *mtu,
                Pmtu::B256.code()..=Pmtu::B4096.code(),
            )?;
        }
        self.faults.check()?;
        self.timing.check()
    }
}
