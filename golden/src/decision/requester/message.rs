//! A send WQE under way.
use crate::verbs::SendOperation;
use crate::wire::length;

/// A send WQE that was taken and is not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// WQE index modulo 2^16.
    pub index: u16,
    /// Send sequence number, 24 bits.
    pub ssn: u32,
    pub operation: SendOperation,
    /// Length of its data in bytes; 0 for an atomic.
    pub length: u64,
    /// The last packet of the message carries SE.
    pub solicited: bool,
    /// The message waits for all earlier Reads and atomics.
    pub fence: bool,
    /// Position of its first packet; `None` until that packet was sent.
    pub first: Option<u64>,
    /// Positions at which a request of this Read was sent.
    pub requests: Vec<u64>,
}

impl Message {
    /// Makes a message that has not started. `length` is in bytes.
    pub fn new(index: u16, operation: SendOperation, length: u64) -> Message {
        Message {
            index,
            ssn: 0,
            operation,
            length: if operation.is_atomic() { 0 } else { length },
            solicited: false,
            fence: false,
            first: None,
            requests: Vec::new(),
        }
    }

    /// Returns the number of PSNs that the message takes (`requester.md` section 1, CF156).
    pub fn psns(&self, pmtu: usize) -> u32 {
        length::packets(self.length, pmtu)
    }

    /// Returns the position after its last one, once the message is started.
    pub fn end(&self, pmtu: usize) -> Option<u64> {
        Some(self.first? + u64::from(self.psns(pmtu)))
    }

    /// Returns true if the message is started and contains this position.
    pub fn holds(&self, position: u64, pmtu: usize) -> bool {
        let starts_before = self.first.is_some_and(|first| first <= position);
        starts_before && self.end(pmtu).is_some_and(|end| position < end)
    }

    /// Returns the offset in the message, in bytes, of the data at a position.
    pub fn offset(&self, position: u64, pmtu: usize) -> u64 {
        position.saturating_sub(self.first.unwrap_or(position)) * pmtu as u64
    }
}
