//! The retire port, sampled each clock.
use crate::verilated::{Direction, Error, Library, Model, Port};
use hca_host::retire::{Record, LANES, RECORD_BITS};
use std::collections::VecDeque;

/// A retire record, and the clock cycle in which it was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    pub cycle: u64,
    pub record: Record,
}

/// The order numbers of retire records have a gap or a repetition: a decision was lost or reported twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("retire port in cycle {cycle}: order number {found} where {expected} was next")]
pub struct OrderGap {
    pub cycle: u64,
    pub expected: u32,
    pub found: u32,
}

/// Collects the retire records.
pub struct RetirePort {
    valid: Port,
    order: Port,
    record: Port,
    next: u32,
    records: VecDeque<Retired>,
}

impl RetirePort {
    /// Makes a collector at the ports `retire_valid`, `retire_order` and `retire_record`.
    pub fn new(library: &Library) -> Result<RetirePort, Error> {
        let port = |name, bits| library.expect(name, Direction::Out, bits as u32);
        Ok(RetirePort {
            valid: port("retire_valid", LANES)?,
            order: port("retire_order", 32)?,
            record: port("retire_record", LANES * RECORD_BITS)?,
            next: 0,
            records: VecDeque::new(),
        })
    }

    /// Takes the records of this clock.
    pub fn sample(&mut self, model: &Model, cycle: u64) -> Result<(), OrderGap> {
        let valid = model.get(self.valid);
        if valid == 0 {
            return Ok(());
        }
        let found = model.get(self.order) as u32;
        if found != self.next {
            return Err(OrderGap {
                cycle,
                expected: self.next,
                found,
            });
        }
        let lanes = model.bytes(self.record).chunks_exact(RECORD_BITS / 8);
        for (_, lane) in lanes.enumerate().filter(|(l, _)| valid >> l & 1 != 0) {
            let mut bits = [0; 16];
            bits[..lane.len()].copy_from_slice(lane);
            let record = Record::from_bits(self.next, u128::from_le_bytes(bits));
            self.records.push_back(Retired { cycle, record });
            self.next = self.next.wrapping_add(1);
        }
        Ok(())
    }

    /// Takes the next record.
    pub fn pop(&mut self) -> Option<Retired> {
        self.records.pop_front()
    }

    /// Returns the number of records reported so far.
    pub fn count(&self) -> u32 {
        self.next
    }
}
