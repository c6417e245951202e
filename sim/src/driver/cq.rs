//! A completion queue: a ring of CQEs in host memory, read by their phase bit.
use super::qp::{Qp, Side};
use super::{DriverError, QpState};
use crate::memory::Memory;
use hca_rtl::host::cqe::{Cqe, BYTES};
use std::collections::{BTreeMap, VecDeque};

/// A polled completion. For a failed one only `wr_id`, `status` and `qpn` mean something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// None if the CQE names no WQE that is outstanding: the hardware erred.
    pub wr_id: Option<u64>,
    /// As numbered in `protocol/qp_cq.md` section 5; 0 is success.
    pub status: u8,
    pub qpn: u32,
    /// From the receive queue.
    pub receive: bool,
    /// `hca_rtl::host::wqe::OP_SEND` and so on, or `hca_rtl::host::cqe::OP_RECEIVE` and so on.
    pub operation: u8,
    pub byte_count: u32,
    pub immediate: Option<[u8; 4]>,
    /// Entry of the port's P_Key table; of QP1.
    pub p_key_index: Option<u16>,
    /// R_Key that the message has taken out of use.
    pub invalidated: Option<u32>,
    /// Modulo 2^16.
    pub wqe_index: u16,
}

pub(super) struct Cq {
    number: u32,
    base: u64,
    log_size: u8,
    /// Entries read.
    read: u64,
    /// Completions that outstanding work may still bring, and those not polled.
    reserved: usize,
    collected: VecDeque<Completion>,
}

impl Cq {
    pub fn new(number: u32, base: u64, log_size: u8) -> Cq {
        Cq {
            number,
            base,
            log_size,
            read: 0,
            reserved: 0,
            collected: VecDeque::new(),
        }
    }

    /// Writes a ring of entries that no phase takes for new.
    pub fn clear(&self, memory: &mut Memory) {
        memory.write(self.base, &vec![0; BYTES << self.log_size]);
    }

    /// Where entry `index`, modulo the ring's size, stands.
    pub fn entry(&self, index: u32) -> u64 {
        self.base + u64::from(index % (1 << self.log_size)) * BYTES as u64
    }

    /// Keeps room for one more completion.
    pub fn reserve(&mut self) -> Result<(), DriverError> {
        if self.reserved == 1 << self.log_size {
            return Err(DriverError::CqFull(self.number));
        }
        self.reserved += 1;
        Ok(())
    }

    pub fn release(&mut self, count: usize) {
        self.reserved = self.reserved.saturating_sub(count);
    }

    /// Reads all new entries from memory.
    pub fn collect(&mut self, memory: &Memory, qps: &mut BTreeMap<u32, Qp>) {
        loop {
            let slot = self.read & ((1 << self.log_size) - 1);
            let mut bytes = [0; BYTES];
            memory.read(self.base + slot * BYTES as u64, &mut bytes);
            let cqe = Cqe::from_bytes(&bytes);
            let phase = self.read >> self.log_size & 1 == 0;
            if cqe.phase != phase {
                return;
            }
            self.read += 1;
            let completion = self.completion(&cqe, qps);
            self.collected.push_back(completion);
        }
    }

    fn completion(&mut self, cqe: &Cqe, qps: &mut BTreeMap<u32, Qp>) -> Completion {
        let side = if cqe.receive { Side::Receive } else { Side::Send };
        let mut wr_id = None;
        let qp = qps.values_mut().find(|qp| qp.qpn == cqe.qpn);
        if let Some(qp) = qp.filter(|qp| qp.cqn(side) == self.number) {
            if let Some((id, ended)) = qp.ring_mut(side).complete(cqe.wqe_index) {
                wr_id = Some(id);
                // The completion itself keeps its room until polled.
                self.release(ended - 1);
            }
            // An RC queue pair that completes in error is in Error.
            if cqe.status != 0 {
                qp.state = QpState::Error;
            }
        }
        Completion {
            wr_id,
            status: cqe.status,
            qpn: cqe.qpn,
            receive: cqe.receive,
            operation: cqe.operation,
            byte_count: cqe.byte_count,
            immediate: cqe.immediate,
            p_key_index: cqe.p_key_index,
            invalidated: cqe.invalidated,
            wqe_index: cqe.wqe_index,
        }
    }

    /// CQEs that software has taken, modulo 2^16.
    pub fn taken(&self) -> u16 {
        (self.read - self.collected.len() as u64) as u16
    }

    /// The oldest completion.
    pub fn pop(&mut self) -> Option<Completion> {
        let completion = self.collected.pop_front()?;
        self.release(usize::from(completion.wr_id.is_some()));
        Some(completion)
    }

    /// Drops unpolled completions.
    pub fn forget(&mut self, of: impl Fn(&Completion) -> bool) {
        let holding = self.collected.iter().filter(|c| of(c) && c.wr_id.is_some());
        let freed = holding.count();
        self.collected.retain(|c| !of(c));
        self.release(freed);
    }
}
