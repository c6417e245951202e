//! What surrounds a life: the devices, the link between them, how host memory and the streams keep time.
use super::beyond::Beyond;
use crate::faults::Faults;
use hca_golden::port::Link;
use serde::{Deserialize, Serialize};

/// Waits that no run takes for a hang.
const MAX_LATENCY: u32 = 5_000;
const MAX_LAG: u64 = 15_000;
/// Of 256 clocks.
const MAX_PAUSES: u32 = 250;
/// Entries of an event queue.
const MAX_EVENTS: u32 = 1 << 15;

/// The event queue, and how soon software gives back what it took from it: what finds it full waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    pub entries: u32,
    /// Clock cycles; 0: at once.
    pub lag: u64,
}

impl Events {
    /// Never full.
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

/// What is at the ends of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Devices {
    /// Two Verilated HCAs, each beside its model.
    Hardware,
    /// Two models that take any of their choices, each beside another one.
    Models,
}

/// How host memory and the streams of the hardware keep time; models know none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Clock cycles that host memory takes to answer, least and most.
    pub memory_latency: (u32, u32),
    /// Clocks of 256 in which a channel of host memory pauses.
    pub memory_pauses: u32,
    /// Clocks of 256 in which no beat comes in.
    pub stream_gaps: u32,
    /// Clocks of 256 in which the link takes no beat.
    pub stream_stalls: u32,
    /// Clocks of 256 in which the register bus pauses.
    pub register_pauses: u32,
    #[serde(default, skip_serializing_if = "Events::is_roomy")]
    pub events: Events,
}

impl Timing {
    /// Nothing waits.
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
        // What always pauses never goes on.
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

/// What surrounds a life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    pub devices: Devices,
    pub profile: String,
    pub link: Link,
    /// Of power-up contents, latencies, pauses and faults.
    pub seed: u32,
    /// Of addresses and numbers; 0: small ones.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub spread: u32,
    /// The devices have lived the same life before, and were reset in the middle of it, after so many clock cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset: Option<u32>,
    /// The last queue pair of each side is QP0 or QP1, as this number says; none: one like the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub management: Option<u8>,
    /// Flow control of a native link: SL `n` is on the VL in bit `n`, and packets leave by credits; none: all are on VL
    /// 0, without credits. With it, software asks for the state of a port where it would change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credits: Option<u16>,
    #[serde(default)]
    pub faults: Faults,
    pub timing: Timing,
}

fn is_plain(spread: &u32) -> bool {
    *spread == 0
}

impl Frame {
    /// Checks all its numbers: those that a run knows what to do with.
    pub fn check(&self) -> Result<(), Beyond> {
        Beyond::unless_within("management", self.management.unwrap_or(0), 0..=1)?;
        self.faults.check()?;
        self.timing.check()
    }
}
