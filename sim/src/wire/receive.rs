//! A bench for the receive side of the link. Packets go in; headers and payload, or a drop reason, come out.
mod addresses;
mod header;
mod outcome;
mod ports;
mod session;

pub use addresses::Addresses;
pub use header::Header;
pub use outcome::{Arrival, Outcome, ReceiveError};

use crate::chance::Chance;
use crate::verilated::{Error, Library, Model};
use ports::Ports;

/// Number of clock cycles of reset.
const RESET_CYCLES: u64 = 16;
/// Number of the first channel of the bench's draws.
const CHANNEL: u64 = 64;

/// How often the bench pauses: probabilities in 256ths, drawn each clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manners {
    /// Probability that no beat comes in.
    pub gap: u8,
    /// Probability that the header, the payload command or the payload waits; each is drawn independently.
    pub stall: u8,
    /// Probability that the payload of an accepted packet is discarded, and that it is requested once more; each is
    /// drawn once a command.
    pub discard: u8,
}

impl Manners {
    /// Manners without pauses.
    pub const EAGER: Manners = Manners {
        gap: 0,
        stall: 0,
        discard: 0,
    };
}

/// The counters of the receive side of a native port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Packets discarded for an error of the link.
    pub faulty: u32,
    /// Packets that ended as bad.
    pub ended_bad: u32,
    /// Packets without room on data VLs, and on VL 15.
    pub overran: u32,
    pub management_overran: u32,
    /// Packets received without an error of the link, and their words.
    pub received: u32,
    pub words: u32,
    /// Multicast packets among those received.
    pub multicast: u32,
}

/// The receive side of the link (`hca_host::designs`).
pub struct Receiver {
    model: Model,
    ports: Ports,
    draws: Draws,
    cycle: u64,
    /// Number of packets of earlier runs, from which the block continues to count.
    arrived: u32,
    heard: u32,
    counts: LinkCounts,
}

/// The random draws of the bench.
struct Draws {
    gap: Chance,
    stall: Chance,
    discard: Chance,
    keep: Chance,
    filler: Chance,
}

impl Receiver {
    /// Makes an instance after reset. Its stream is `stream_bits` wide.
    pub fn new(
        library: &Library,
        stream_bits: usize,
        addresses: &Addresses,
        seed: u64,
    ) -> Result<Receiver, Error> {
        let draw = |channel| Chance::new(seed, CHANNEL + channel);
        let mut receiver = Receiver {
            ports: Ports::find(library, stream_bits as u32)?,
            model: Model::new(library, seed)?,
            draws: Draws {
                gap: draw(0),
                stall: draw(1),
                discard: draw(2),
                filler: draw(3),
                keep: draw(4),
            },
            cycle: 0,
            arrived: 0,
            heard: 0,
            counts: LinkCounts::default(),
        };
        receiver.ports.address(&mut receiver.model, addresses);
        receiver.model.set(receiver.ports.reset, true);
        for _ in 0..RESET_CYCLES {
            receiver.settle()?;
            receiver.tick()?;
        }
        receiver.model.set(receiver.ports.reset, false);
        (receiver.cycle, receiver.heard) = (0, 0);
        receiver.counts = LinkCounts::default();
        Ok(receiver)
    }

    /// Sets whether the state of a native port lets packets in on VL 15 and on data VLs. At first it lets both in.
    pub fn accept(&mut self, management: bool, data: bool) {
        self.ports.accept(&mut self.model, management, data);
    }

    /// Sets whether packets end as bad, and whether they are stubs of packets that found no room. The setting holds
    /// from now on.
    pub fn mark(&mut self, ends_bad: bool, overran: bool) {
        self.ports.mark(&mut self.model, ends_bad, overran);
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> LinkCounts {
        self.counts
    }

    /// Returns the number of packets that make an armed port Active.
    pub fn heard(&self) -> u32 {
        self.heard
    }

    /// Computes the outputs from the inputs.
    fn settle(&mut self) -> Result<(), Error> {
        self.model.set(self.ports.clock, false);
        self.model.eval()
    }

    /// Raises the clock.
    fn tick(&mut self) -> Result<(), Error> {
        self.heard += u32::from(self.model.is_set(self.ports.heard));
        let [faulty, ended_bad, overran, management_overran, received] =
            self.ports.counts.map(|port| u32::from(self.model.is_set(port)));
        self.counts.faulty += faulty;
        self.counts.ended_bad += ended_bad;
        self.counts.overran += overran;
        self.counts.management_overran += management_overran;
        self.counts.received += received;
        if received == 1 {
            self.counts.words += self.model.get(self.ports.words) as u32;
            self.counts.multicast += u32::from(self.model.is_set(self.ports.multicast));
        }
        self.model.set(self.ports.clock, true);
        self.model.eval()?;
        self.cycle += 1;
        Ok(())
    }
}
