//! A completion queue: a ring of CQEs in host memory, read by their phase bit.
use super::cq_books::CqBooks;
use super::init::Service;
use super::qp::Qp;
use super::ring::{slot_address, Place};
use super::state::{QpState, Side};
use crate::memory::Memory;
use hca_host::cqe::{Cqe, Datagram, BYTES};
use std::collections::{BTreeMap, VecDeque};

/// A polled completion. If it failed, only `wr_id`, `status` and `qpn` are valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// `wr_id` of the WQE; `None` if the CQE names no outstanding WQE, which is an error of the hardware.
    pub wr_id: Option<u64>,
    /// Status, as numbered in `protocol/qp_cq.md` section 5; 0 is success.
    pub status: u8,
    pub qpn: u32,
    /// True if the completion is from the receive queue.
    pub receive: bool,
    /// Operation: `hca_host::wqe::OP_SEND` and so on, or `hca_host::cqe::OP_RECEIVE` and so on.
    pub operation: u8,
    pub byte_count: u32,
    pub immediate: Option<[u8; 4]>,
    /// Index into the port's P_Key table; given for QP1.
    pub p_key_index: Option<u16>,
    /// R_Key that the message has invalidated.
    pub invalidated: Option<u32>,
    /// Source of a datagram.
    pub datagram: Option<Datagram>,
    /// Index of the WQE, modulo 2^16.
    pub wqe_index: u16,
}

pub(super) struct Cq {
    number: u32,
    place: Place,
    /// Earlier rings, oldest first, each with the index of the first CQE that is not in that ring.
    former: VecDeque<(u64, Place)>,
    /// Number of CQEs read from memory.
    read: u64,
    /// Number of CQEs that software has taken.
    taken: u64,
    /// Number of CQEs that the hardware knows to have been taken.
    announced: u64,
    /// Number of completions that were not taken, plus the number that outstanding work may still cause.
    reserved: usize,
    collected: VecDeque<Completion>,
    /// True if the queue had no room for a completion.
    pub failed: bool,
}

impl Cq {
    /// Makes an empty queue over a ring.
    pub fn new(number: u32, place: Place) -> Cq {
        Cq {
            number,
            place,
            former: VecDeque::new(),
            read: 0,
            taken: 0,
            announced: 0,
            reserved: 0,
            collected: VecDeque::new(),
            failed: false,
        }
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the number of entries of its ring.
    pub fn entries(&self) -> u32 {
        1 << self.place.log_size
    }

    pub fn books(&self) -> CqBooks {
        CqBooks {
            address: self.place.base,
            entries: self.entries(),
            producer: self.read as u16,
            consumer: self.announced as u16,
        }
    }

    /// Returns the places of all its rings.
    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.former.iter().map(|(_, place)| *place).chain([self.place])
    }

    /// Returns the address of entry `index`, modulo the size of the present ring.
    pub fn entry(&self, index: u32) -> u64 {
        slot_address(self.place, index.into(), BYTES)
    }

    /// Uses this ring for CQE `producer` (modulo 2^16) and later ones.
    pub fn move_to(&mut self, place: Place, producer: u16) {
        let ahead = producer.wrapping_sub(self.read as u16);
        let end = self.read + u64::from(ahead);
        self.former
            .push_back((end, std::mem::replace(&mut self.place, place)));
    }

    /// Reserves room for one more completion. Returns false if the hardware must first learn of polled CQEs.
    pub fn reserve(&mut self) -> bool {
        self.reserved += 1;
        self.reserved + self.unwritable() <= self.entries() as usize
    }

    pub fn release(&mut self, count: usize) {
        self.reserved = self.reserved.saturating_sub(count);
    }

    /// Returns the number of taken CQEs that the hardware does not know of.
    fn unwritable(&self) -> usize {
        (self.taken - self.announced) as usize
    }

    /// Returns true if a quarter of the ring is free without the hardware knowing it.
    pub fn is_worth_telling(&self) -> bool {
        self.unwritable() >= (self.entries() as usize).div_ceil(4)
    }

    /// Returns the consumer index to write to the hardware, if the hardware does not know it.
    pub fn to_tell(&self) -> Option<u16> {
        (self.unwritable() > 0).then_some(self.taken as u16)
    }

    pub fn announce(&mut self) {
        self.announced = self.taken;
    }

    /// Reads all new entries from memory. Returns the rings that are read to their end.
    pub fn collect(&mut self, memory: &Memory, qps: &mut BTreeMap<u32, Qp>) -> Vec<Place> {
        let mut done = Vec::new();
        loop {
            while self.former.front().is_some_and(|(end, _)| *end == self.read) {
                done.extend(self.former.pop_front().map(|(_, place)| place));
            }
            let place = self.former.front().map_or(self.place, |(_, place)| *place);
            let mut bytes = [0; BYTES];
            memory.read(slot_address(place, self.read, BYTES), &mut bytes);
            let cqe = Cqe::from_bytes(&bytes);
            let phase = self.read >> place.log_size & 1 == 0;
            if !cqe.written || cqe.phase != phase {
                return done;
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
                // The completion itself keeps its room until it is taken.
                self.release(ended - 1);
            }
            match (cqe.status, qp.service, side) {
                (0, ..) => {}
                // `uc.md` section 2: only the send queue has failed, unless the whole queue pair has.
                (_, Service::Uc | Service::Ud, Side::Send) => qp.note_failure(QpState::Sqe),
                _ => qp.note_failure(QpState::Error),
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
            datagram: cqe.datagram,
            wqe_index: cqe.wqe_index,
        }
    }

    /// Takes the oldest completion.
    pub fn pop(&mut self) -> Option<Completion> {
        let completion = self.collected.pop_front()?;
        self.taken += 1;
        self.release(usize::from(completion.wr_id.is_some()));
        Some(completion)
    }

    /// Drops the completions that were not taken and for which `of` returns true.
    pub fn forget(&mut self, of: impl Fn(&Completion) -> bool) {
        let before = self.collected.len();
        let holding = self.collected.iter().filter(|c| of(c) && c.wr_id.is_some());
        let freed = holding.count();
        self.collected.retain(|c| !of(c));
        self.taken += (before - self.collected.len()) as u64;
        self.release(freed);
    }
}
