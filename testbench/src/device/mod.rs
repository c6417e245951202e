//! The interface of every device under test: verbs and packets in; packets, completions and events out.
//!
//! The golden model and the Verilated hardware both implement [`Device`], so a scenario takes either.
mod answer;
mod audit;
mod books;
mod counters;
mod extended;
pub mod golden;
mod leaving;
pub mod model;
pub mod outcome;
mod pacing;
mod port_standing;
mod port_verbs;
mod settings;
pub mod software;
pub mod translation;
pub mod verb;
pub mod verilated;

pub use books::Books;
pub use outcome::{Outcome, Reason, Refusal};
pub use verb::Verb;

use crate::Side;
use hca_golden::capabilities::Capabilities;
use hca_golden::event::Event;
use hca_golden::port::Link;
use hca_golden::port::PortConfig;
use hca_golden::ring_part::RingPart;
use hca_golden::verbs::{Completion, HostEvent};
use std::net::Ipv4Addr;

/// Capabilities of the hardware; its model has the same.
pub const CAPABILITIES: Capabilities = Capabilities::HARDWARE;

/// Identifies a submitted verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub u64);

/// A packet that left the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmitted {
    /// Number of the port by which it left.
    pub port: u8,
    /// Clock cycle of its first beat.
    pub first_beat: u64,
    /// Clock cycle of its last beat.
    pub cycle: u64,
    pub bytes: Vec<u8>,
    /// True for a link packet.
    pub is_link: bool,
}

/// A decision that the device reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Clock cycle of the report.
    pub cycle: u64,
    pub event: Event,
}

/// A device broke a rule of its own ports, or its report was not readable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}")]
pub struct Fault {
    pub rule: String,
}

/// A device with a clock. Nothing blocks: a verb is submitted, and its outcome comes while the clock runs.
pub trait Device {
    /// Returns its capabilities. Its model has the same.
    fn capabilities(&self) -> Capabilities;
    /// Returns the frequency, in Hz, of the clock that its timers count.
    fn clock_hz(&self) -> u64;
    /// Returns the number of clock cycles since reset.
    fn now(&self) -> u64;
    /// Runs one clock cycle.
    fn step(&mut self) -> Result<(), Fault>;
    /// Starts a verb. Verbs are carried out in the order of submission.
    fn submit(&mut self, verb: Verb) -> Ticket;
    /// Returns the outcome of the verb, once there is one. Each ticket is answered once.
    fn outcome(&mut self, ticket: Ticket) -> Option<Result<Outcome, Refusal>>;
    /// Passes a packet (LRH to VCRC) to the port of this number.
    fn receive(&mut self, port: u8, packet: Vec<u8>);
    /// Passes a packet to the port that a native link has marked as bad at its end.
    fn receive_bad(&mut self, port: u8, packet: Vec<u8>);
    /// Passes a link packet to a native port.
    fn receive_link(&mut self, port: u8, packet: Vec<u8>);
    /// Makes the link take nothing from the port while `is_held`. A packet that has started waits in the middle.
    fn hold_link(&mut self, port: u8, is_held: bool);
    /// Takes the next packet that left the device. Those of one port come in the order in which they left.
    fn transmitted(&mut self) -> Option<Transmitted>;
    /// Takes the next reported decision.
    fn retired(&mut self) -> Result<Option<Retired>, Fault>;
    /// Takes the next completion of this queue. Completions of a failed queue can still be taken.
    fn poll(&mut self, cqn: u32) -> Result<Option<Completion>, Fault>;
    /// Takes the next event of the event queue.
    fn poll_event(&mut self) -> Result<Option<HostEvent>, Fault>;
    /// Reads host memory. Bytes that were never written read as 0.
    fn read_memory(&self, addr: u64, bytes: &mut [u8]);
    /// Writes host memory, as software does.
    fn write_memory(&mut self, addr: u64, bytes: &[u8]);
    /// Makes the device's accesses to these bytes of host memory fail from now on.
    fn fail_memory(&mut self, addr: u64, length: u64);
    /// Makes host memory answer nothing while `is_held`, so that arriving packets wait in the device.
    fn hold_memory(&mut self, is_held: bool);
    /// Makes the device's accesses to this part of the rings fail from now on.
    fn lose(&mut self, part: RingPart);
    /// Returns the addresses of the memory pages that were ever written, of [`hca_sim::memory::PAGE`] bytes. Work and
    /// completion rings are left out, because the model has none.
    fn written_pages(&self) -> Vec<u64>;
    /// Resets the device in any state, and host memory with it, to the state of power-up.
    fn reset(&mut self) -> Result<(), Fault>;
    /// Returns true if nothing moves, and nothing will move before another input.
    fn quiet(&self) -> bool;
    /// Makes the checks at the end of a run: the device's counters fit the packets, and its queue pairs and its ports'
    /// counters and violation latches fit the model's books.
    fn audit(&mut self, _books: &Books) -> Result<(), Fault> {
        Ok(())
    }
    /// Closes, at the end of a run, the files that the device writes, such as waves.
    fn close(&mut self) -> Result<(), hca_sim::verilated::Error> {
        Ok(())
    }
}

/// Returns the first native port of a device of the fabric.
pub fn port_of(side: Side) -> PortConfig {
    port_on(Link::InfiniBand, side)
}

/// Returns the first port of a device of the fabric: LID 1 or 2 and LMC 0; on a RoCE link 10.0.0.1 or 10.0.0.2.
pub fn port_on(link: Link, side: Side) -> PortConfig {
    let number = match side {
        Side::X => 1,
        Side::Y => 2,
    };
    match link {
        Link::InfiniBand => PortConfig {
            link,
            lid: number.into(),
            ..PortConfig::default()
        },
        Link::Roce => PortConfig {
            link,
            gid: Ipv4Addr::new(10, 0, 0, number).to_ipv6_mapped().octets(),
            mac: [2, 0, 0, 0, 0, number],
            ..PortConfig::default()
        },
    }
}
