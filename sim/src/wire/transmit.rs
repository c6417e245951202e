//! A bench for the packet builder: headers and payload go in, packets come out.
mod header;
mod session;

pub use header::Header;

use crate::handshake::Violation;
use crate::verilated::{Direction, Error, Library, Model, Port};

/// Clock cycles of reset.
const RESET_CYCLES: u64 = 16;

/// How often the bench pauses: probabilities in 256ths, drawn each clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransmitPauses {
    /// Probability that no header, or no payload, comes in; each is drawn independently.
    pub gap: u8,
    /// Probability that no beat is taken.
    pub stall: u8,
}

impl TransmitPauses {
    /// Settings without pauses.
    pub const EAGER: TransmitPauses = TransmitPauses { gap: 0, stall: 0 };
}

/// A built packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    pub bytes: Vec<u8>,
    /// Clock cycle in which the header was taken.
    pub taken: u64,
    /// Clock cycle of the first beat that came out.
    pub first_beat: u64,
    /// Clock cycle of the last beat that came out.
    pub last_beat: u64,
}

/// Why the bench cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum TransmitError {
    #[error(transparent)]
    Model(#[from] Error),
    #[error(transparent)]
    Violation(#[from] Violation),
    #[error("cycle {cycle}: `sent` is {sent}, but whether a packet's last beat leaves is {leaves}")]
    Sent { cycle: u64, sent: bool, leaves: bool },
    #[error("cycle {cycle}: nothing moves, and {built} of {wanted} packets were built")]
    Stuck { cycle: u64, built: usize, wanted: usize },
    #[error("cycle {cycle}: all packets were built, and a further beat comes out")]
    Surplus { cycle: u64 },
}

/// A packet builder (`hca_host::designs`).
pub struct Transmitter {
    model: Model,
    ports: Ports,
    stream_bits: u32,
    seed: u64,
    cycle: u64,
    /// Number of runs so far. Each run draws anew.
    runs: u64,
}

struct Ports {
    clock: Port,
    reset: Port,
    header: Port,
    header_valid: Port,
    header_ready: Port,
    payload: Port,
    payload_valid: Port,
    payload_ready: Port,
    sent: Port,
}

impl Ports {
    fn find(library: &Library, stream_bits: u32) -> Result<Ports, Error> {
        let input = |name, bits| library.expect(name, Direction::In, bits);
        let output = |name| library.expect(name, Direction::Out, 1);
        Ok(Ports {
            clock: input("clock", 1)?,
            reset: input("reset", 1)?,
            header: input("header", header::BITS)?,
            header_valid: input("header_valid", 1)?,
            header_ready: output("header_ready")?,
            payload: input("payload_data", stream_bits)?,
            payload_valid: input("payload_valid", 1)?,
            payload_ready: output("payload_ready")?,
            sent: output("sent")?,
        })
    }
}

impl Transmitter {
    /// Makes an instance after reset. Its stream is `stream_bits` wide.
    pub fn new(library: &Library, stream_bits: usize, seed: u64) -> Result<Transmitter, Error> {
        let stream_bits = stream_bits as u32;
        let mut transmitter = Transmitter {
            ports: Ports::find(library, stream_bits)?,
            model: Model::new(library, seed)?,
            stream_bits,
            seed,
            cycle: 0,
            runs: 0,
        };
        transmitter.model.set(transmitter.ports.reset, true);
        for _ in 0..RESET_CYCLES {
            transmitter.settle()?;
            transmitter.tick()?;
        }
        transmitter.model.set(transmitter.ports.reset, false);
        transmitter.cycle = 0;
        Ok(transmitter)
    }

    /// Computes the outputs from the inputs.
    fn settle(&mut self) -> Result<(), Error> {
        self.model.set(self.ports.clock, false);
        self.model.eval()
    }

    /// Raises the clock.
    fn tick(&mut self) -> Result<(), Error> {
        self.model.set(self.ports.clock, true);
        self.model.eval()?;
        self.cycle += 1;
        Ok(())
    }
}
