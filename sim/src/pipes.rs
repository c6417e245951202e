//! Pipes that ought to move in each clock: how often one stood still though nothing outside the hardware held it.
use crate::handshake::Violation;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pipe that ends at a bus of the hardware. What moves in it are the beats of a packet or of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// Packets to the link. A clock counts from a packet's first beat to its last if the link is ready. Host memory
    /// that pauses makes a packet stand still, too, and a packet alone waits for its CRCs before its last beat.
    ToLink,
    /// Packets from the link. A clock counts from a packet's first beat to its last if the link offers a beat.
    FromLink,
    /// Bursts that host memory returns. A clock counts if host memory offers a beat, also a burst's first.
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

/// Clocks in which a pipe could move, by whether it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Number of clocks in which a beat moved.
    pub moved: u64,
    /// Number of clocks in which the pipe stood still.
    pub stood: u64,
    /// Largest number of clocks for which the pipe stood still within one packet or burst.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_count_together_and_each_packet_by_itself() {
        let pipes = Pipes::default();
        let mut x = Meter::new(Pipe::ToLink, &pipes);
        let mut y = Meter::new(Pipe::ToLink, &pipes);
        for _ in 0..3 {
            x.moves(false);
            x.stands("x", 0).unwrap();
            y.stands("y", 0).unwrap();
            x.stands("x", 0).unwrap();
            x.moves(true);
        }
        let counted = Clocks {
            moved: 6,
            stood: 9,
            most: 3,
        };
        assert_eq!(pipes.clocks(Pipe::ToLink), counted);
        assert_eq!(pipes.clocks(Pipe::FromLink), Clocks::default());
    }

    #[test]
    fn a_pipe_that_stands_still_for_longer_than_its_limit_breaks_its_rule() {
        for pipe in Pipe::ALL {
            let pipes = Pipes::default().asserting(pipe, 2);
            let mut meter = Meter::new(pipe, &pipes);
            for _ in 0..2 {
                meter.stands("bus", 5).unwrap();
                meter.stands("bus", 6).unwrap();
                meter.moves(true);
            }
            meter.stands("bus", 7).unwrap();
            meter.moves(false);
            meter.stands("bus", 8).unwrap();
            let broken = Violation {
                channel: "bus".to_owned(),
                cycle: 9,
                rule: pipe.rule(),
                detail: "it has stood still for 3 clocks, of at most 2".to_owned(),
            };
            assert_eq!(meter.stands("bus", 9), Err(broken));
        }
    }

    #[test]
    fn only_the_asserted_pipe_has_a_limit() {
        let pipes = Pipes::default().asserting(Pipe::FromMemory, 0);
        Meter::new(Pipe::FromLink, &pipes).stands("bus", 0).unwrap();
        Meter::new(Pipe::FromMemory, &pipes).stands("bus", 0).unwrap_err();
    }
}
