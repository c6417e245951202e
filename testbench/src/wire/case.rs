//! Cases as functions of seed and number.
use super::draw::Draw;
use super::framing::Framing;
use super::legal;
use super::mutation::Mutant;
use hca_golden::port::PortConfig;
use hca_golden::wire::header::Unencodable;
use hca_golden::wire::packet::Packet;
use hca_sim::wire::{receive, transmit};

/// Number of cases that run one behind another.
pub const BATCH: u64 = 50;

/// Framings, in the order of the batches.
const FRAMINGS: [Framing; 4] = [
    Framing::InfiniBand,
    Framing::RoceV4,
    Framing::InfiniBand,
    Framing::RoceV6,
];

/// First stream of the draws of batches; those of cases begin at 0.
const BATCHES: u64 = 1 << 63;

/// The common part of the cases of a batch.
pub struct Batch {
    pub number: u64,
    pub framing: Framing,
    pub port: PortConfig,
}

/// A packet, and what arrives of it.
pub struct Case {
    pub number: u64,
    /// The packet to be built.
    pub packet: Packet,
    pub mutant: Mutant,
}

impl Batch {
    /// Draws batch `number` of a seed.
    pub fn of(seed: u64, number: u64) -> Batch {
        let framing = FRAMINGS[(number % FRAMINGS.len() as u64) as usize];
        let mut draw = Draw::new(seed, BATCHES + number);
        Batch {
            number,
            framing,
            port: framing.port(&mut draw),
        }
    }

    /// Draws its cases with numbers below `end`.
    pub fn cases(&self, seed: u64, end: u64) -> Result<Vec<Case>, Unencodable> {
        let first = self.number * BATCH;
        (first..end.min(first + BATCH))
            .map(|number| self.case(seed, number))
            .collect()
    }

    fn case(&self, seed: u64, number: u64) -> Result<Case, Unencodable> {
        let mut draw = Draw::new(seed, number);
        let packet = legal::packet(&mut draw, self.framing, &self.port);
        let mutant = Mutant::of(&mut draw, number, self.framing, &packet)?;
        Ok(Case {
            number,
            packet,
            mutant,
        })
    }

    /// Returns how the bench behaves at a stream width: eager, with gaps, with back-pressure, or both.
    pub fn manners(&self, seed: u64, width: usize) -> (receive::Manners, transmit::TransmitPauses) {
        let mut draw = Draw::new(seed, BATCHES + self.number);
        let mut chance = || match draw.below(3) {
            0 => 0,
            1 => 40,
            _ => 160,
        };
        // The draws differ at each width.
        for _ in 0..width.ilog2() {
            chance();
        }
        let receive = receive::Manners {
            gap: chance(),
            stall: chance(),
            discard: chance() / 8,
        };
        let transmit = transmit::TransmitPauses {
            gap: chance(),
            stall: chance(),
        };
        (receive, transmit)
    }
}
