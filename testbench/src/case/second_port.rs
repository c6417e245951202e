//! The part of a case that is on port 2.
use super::beyond::Beyond;
use super::limits::QPS;
use hca_golden::port::FIRST;
use serde::{Deserialize, Serialize};

/// The queue pairs and steps of a case that are on port 2 of adapters with two ports. All others are on port 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondPort {
    /// Queue pair `n`, and the address handles towards it, are on port 2 if bit `n` is set.
    pub qps: u8,
    /// Steps that name a port mean port 2.
    pub is_managed: bool,
}

impl SecondPort {
    /// Checks that no queue pair is named that a case does not have.
    pub(super) fn check(&self) -> Result<(), Beyond> {
        Beyond::unless_within("second_port.qps", self.qps, 0..=(1 << QPS) - 1)
    }

    /// Returns the port of this queue pair.
    pub fn of_qp(self, qp: u8) -> u8 {
        FIRST + (self.qps >> qp & 1)
    }

    /// Returns the port that steps mean.
    pub fn managed(self) -> u8 {
        FIRST + u8::from(self.is_managed)
    }
}
