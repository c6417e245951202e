//! The packets that lead to a finding.
use super::observed::Observed;
use crate::trace::name::later_opcode;
use hca_golden::wire::opcode::Opcode;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;

/// Number of packets that a finding shows, including its own, which is the last.
const RUNGS: usize = 5;

/// A packet of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rung {
    /// Number of the packet, counted as in Wireshark.
    pub packet: u64,
    /// True for an answer.
    pub answer: bool,
    pub opcode: &'static str,
    pub psn: u32,
    /// Syndrome of the AETH.
    pub syndrome: Option<u8>,
    pub msn: Option<u32>,
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.answer { "<--" } else { "-->" };
        let Rung {
            packet, opcode, psn, ..
        } = self;
        write!(f, "{packet:>15} {way} {opcode} PSN {psn}")?;
        if let Some((syndrome, msn)) = self.syndrome.zip(self.msn) {
            write!(f, " syndrome {syndrome:02X}h MSN {msn}")?;
        }
        Ok(())
    }
}

/// The latest packets of one direction of a connection and of the answers to it.
#[derive(Debug, Default)]
pub(super) struct Ladder(VecDeque<Rung>);

impl Ladder {
    /// Adds the next packet.
    pub fn packet(&mut self, number: u64, packet: &Observed, opcode: &Opcode) {
        if self.0.len() == RUNGS {
            self.0.pop_front();
        }
        let aeth = packet.aeth;
        self.0.push_back(Rung {
            packet: number,
            answer: opcode.is_response(),
            opcode: later_opcode(packet.opcode).unwrap_or(opcode.name),
            psn: packet.psn,
            syndrome: aeth.map(|aeth| aeth.syndrome),
            msn: aeth.map(|aeth| aeth.msn),
        });
    }

    pub fn rungs(&self) -> Vec<Rung> {
        self.0.iter().cloned().collect()
    }
}
