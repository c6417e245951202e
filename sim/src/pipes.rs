//! Pipes that ought to move in each clock: how often one stood still though nothing outside the hardware held it.
use crate::handshake::Violation;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pipe that ends at a bus of the hardware. It has something in it from the first beat of a packet or burst to the
/// last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// Packets to the link. Host memory that pauses holds them, too; and a packet alone waits for its CRCs before its
    /// last beat.
    ToLink,
    /// Packets from the link.
    FromLink,
    /// Bursts that host memory returns.
    FromMemory,
}

impl Pipe {
    /// All pipes, in the order of their discriminants.
    pub const ALL: [Pipe; 3] = [Pipe::ToLink, Pipe::FromLink, Pipe::FromMemory];

    /// Returns what moves in the pipe.
    pub fn name(self) -> &'static str {
        match self {
            Pipe::ToLink => "packets to the link",
            Pipe::FromLink => "packets from the link",
            Pipe::FromMemory => "bursts from host memory",
        }
    }

    /// Returns the rule of [`Pipes::asserting`].
    fn rule(self) -> &'static str {
        match self {
            Pipe::ToLink => "a packet that has begun goes on while the link is ready",
            Pipe::FromLink => "a packet that has begun to come is taken",
            Pipe::FromMemory => "a burst that host memory returns is taken",
        }
    }
}

/// Clocks in which something was in a pipe and nothing outside the hardware held it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Number of clocks in which a beat moved.
    pub moved: u64,
    /// Number of clocks in which none did.
    pub stood: u64,
    /// Largest number of those within one packet or burst.
    pub most: u64,
}

/// The clocks of the pipes of one device or several. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Pipes {
    clocks: Arc<Mutex<[Clocks; Pipe::ALL.len()]>>,
    /// Largest number of clocks for which each pipe may stand still within a packet or burst, if there is one.
    limits: [Option<u64>; Pipe::ALL.len()],
}

impl Pipes {
    /// Counts as before, and ends the simulation when this pipe stands still for more than `limit` clocks within one
    /// packet or burst.
    pub fn asserting(mut self, pipe: Pipe, limit: u64) -> Pipes {
        self.limits[pipe as usize] = Some(limit);
        self
    }

    /// Returns the clocks of a pipe so far.
    pub fn clocks(&self, pipe: Pipe) -> Clocks {
        self.all()[pipe as usize]
    }

    fn all(&self) -> MutexGuard<'_, [Clocks; Pipe::ALL.len()]> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One pipe of one device.
pub(crate) struct Meter {
    pipe: Pipe,
    pipes: Pipes,
    /// Number of clocks for which the pipe has stood still within this packet or burst.
    stood: u64,
}

impl Meter {
    pub(crate) fn new(pipe: Pipe, pipes: &Pipes) -> Meter {
        Meter {
            pipe,
            pipes: pipes.clone(),
            stood: 0,
        }
    }

    /// Counts a clock in which a beat moves; `last` if it is the last of its packet or burst.
    pub(crate) fn moves(&mut self, last: bool) {
        self.pipes.all()[self.pipe as usize].moved += 1;
        if last {
            self.stood = 0;
        }
    }

    /// Counts a clock in which something is in the pipe and stands still. Returns `Err` if it has stood for too long.
    pub(crate) fn stands(&mut self, bus: &str, cycle: u64) -> Result<(), Violation> {
        self.stood += 1;
        let clocks = &mut self.pipes.all()[self.pipe as usize];
        clocks.stood += 1;
        clocks.most = clocks.most.max(self.stood);
        match self.pipes.limits[self.pipe as usize] {
            Some(limit) if self.stood > limit => Err(Violation {
                channel: bus.to_owned(),
                cycle,
                rule: self.pipe.rule(),
                detail: format!("it has stood still for {} clocks, of at most {limit}", self.stood),
            }),
            _ => Ok(()),
        }
    }
}
