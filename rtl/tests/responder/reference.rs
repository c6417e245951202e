//! The responder in plain words, from `protocol/responder.md`; keys by the rules of [`Memory`].
use crate::packet::{Completion, Job, Outcome, Packet, Wqe};

/// The one region that a remote side may use, and the key that names nothing.
pub const R_KEY: u32 = 0x100;
pub const L_KEY: u32 = 0x200;
pub const REGION: std::ops::Range<u64> = 0x10_0000..0x90_0000;

pub mod report {
    pub const EXECUTED: u8 = 3;
    pub const DUPLICATE: u8 = 4;
    pub const REFUSED: u8 = 5;
    pub const DROPPED: u8 = 7;
    pub const STATE: u8 = 11;
}

/// QP states as `MODIFY_QP` numbers them.
pub const RESET: u8 = 0;
pub const RTR: u8 = 2;
pub const RTS: u8 = 3;
pub const ERROR: u8 = 6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Open {
    No,
    Send,
    Write,
}

#[derive(Clone, Debug)]
pub struct Operation {
    pub first: Packet,
    pub answered: bool,
    pub place: u8,
}

/// One queue pair.
#[derive(Clone, Debug)]
pub struct Qp {
    pub qpn: u32,
    pub state: u8,
    pub reported: bool,
    pub pmtu: u32,
    pub timer: u8,
    pub depth: usize,
    /// Write, read, atomic.
    pub access: [bool; 3],
    pub slid: u16,
    pub p_key: u16,
    pub epsn: u32,
    pub msn: u32,
    pub consumer: u16,
    pub arrived: u16,
    pub wqes: Vec<Wqe>,
    pub open: Open,
    pub nak: bool,
    pub acked: u32,
    pub received: u32,
    pub write: (u64, u32, u32),
    pub operations: Vec<Operation>,
    pub taken: u32,
}

pub fn psns(length: u32, pmtu: u32) -> u32 {
    length.div_ceil(pmtu).max(1)
}

/// Whether a remote side may touch these bytes.
pub fn permits(key: u32, va: u64, length: u32) -> bool {
    key == R_KEY && va >= REGION.start && va.checked_add(length.into()).is_some_and(|end| end <= REGION.end)
}

fn wrap(psn: u32) -> u32 {
    psn & 0xFF_FFFF
}

impl Qp {
    /// Answers a packet left behind: its last one.
    pub fn answer(&mut self, psn: u32) {
        let oldest = self.operations.iter_mut().find(|o| !o.answered);
        if let Some(o) = oldest.filter(|o| wrap(o.first.psn + o.first.psns - 1) == psn) {
            o.answered = true;
        }
    }

    fn job(&self, kind: u8, psn: u32, syndrome: u8) -> Job {
        Job {
            kind,
            qpn: self.qpn,
            psn,
            syndrome,
            msn: self.msn,
            va: 0,
            r_key: 0,
            length: 0,
            slot: 0,
        }
    }

    fn dropped(&self, p: &Packet, reason: u8) -> Outcome {
        Outcome {
            report: (report::DROPPED, reason, p.psn),
            ..Outcome::default()
        }
    }

    fn refused(&mut self, syndrome: u8) -> Outcome {
        self.nak = true;
        Outcome {
            report: (report::REFUSED, syndrome, self.epsn),
            job: Some(self.job(0, self.epsn, syndrome)),
            ..Outcome::default()
        }
    }

    /// A NAK that ends the QP; the receive WQE at hand ends with `status`.
    fn fatal(&mut self, syndrome: u8, status: u8, took: bool) -> Outcome {
        let mut outcome = self.refused(syndrome);
        outcome.fails = true;
        outcome.wqe_fetched = took.then_some(self.consumer);
        if took {
            self.consumer = self.consumer.wrapping_add(1);
        }
        if took || self.open == Open::Send {
            outcome.completion = Some(self.error_completion(status));
        }
        self.open = Open::No;
        self.state = ERROR;
        self.reported = false;
        outcome
    }

    fn error_completion(&self, status: u8) -> Completion {
        Completion {
            qpn: self.qpn,
            index: self.consumer.wrapping_sub(1),
            status,
            operation: 128,
            byte_count: 0,
            immediate: None,
            invalidated: None,
        }
    }

    /// The next WQE to flush.
    pub fn flush(&mut self) -> Option<Completion> {
        if self.state != ERROR || !self.reported {
            return None;
        }
        if self.open == Open::Send {
            self.open = Open::No;
            return Some(self.error_completion(5));
        }
        (self.consumer != self.arrived).then(|| {
            self.consumer = self.consumer.wrapping_add(1);
            self.error_completion(5)
        })
    }

    /// Section 1 from step 4 on.
    pub fn decide(&mut self, p: &Packet) -> Outcome {
        let code = p.opcode & 0x1F;
        let receives = matches!(self.state, 2..=5);
        if p.dest_qp != self.qpn || self.state == RESET {
            return self.dropped(p, 10);
        }
        if p.opcode >> 5 != 0 {
            return self.dropped(p, 7);
        }
        if !receives {
            return self.dropped(p, 11);
        }
        if p.slid != self.slid {
            return self.dropped(p, 12);
        }
        if p.p_key != self.p_key {
            return self.dropped(p, 13);
        }
        let distance = wrap(p.psn.wrapping_sub(self.epsn));
        let read = code == 0x0C;
        let atomic = matches!(code, 0x13 | 0x14);
        if distance >= 0x80_0000 {
            return self.duplicate(p, read, atomic);
        }
        if distance > 0 {
            return match self.nak {
                true => self.dropped(p, 14),
                false => self.refused(0x60),
            };
        }
        let send = matches!(code, 0..=5 | 0x16 | 0x17);
        let write = matches!(code, 6..=0x0B);
        let begins = matches!(code, 0 | 4 | 5 | 6 | 0x0A | 0x0B | 0x17);
        let ends = matches!(code, 2..=5 | 8..=0x0B | 0x16 | 0x17);
        let immediate = matches!(code, 3 | 5 | 9 | 0x0B);
        let invalidates = code >= 0x16;
        // Step 10.
        let in_sequence = match self.open {
            Open::Send => send && !begins,
            Open::Write => write && !begins,
            Open::No => begins || !(send || write),
        };
        if !in_sequence {
            return self.fatal(0x61, 9, false);
        }
        // Step 11.
        let [may_write, may_read, may_atomic] = self.access;
        if !(send || write && may_write || read && may_read || atomic && may_atomic) {
            return self.fatal(0x61, 9, false);
        }
        // Step 12.
        let takes = send && begins || write && immediate;
        if takes && self.consumer == self.arrived {
            return self.refused(0x20 | self.timer);
        }
        let owed = self.operations.iter().filter(|o| !o.answered).count();
        if (read || atomic) && owed >= self.depth {
            return self.fatal(0x61, 9, false);
        }
        // Step 13.
        let target = match begins {
            true => (p.va, p.r_key, p.dma_len),
            false => self.write,
        };
        let offset = if begins { 0 } else { self.received };
        let place = match (begins, ends) {
            _ if read || atomic => p.payload == 0,
            (true, true) => p.payload <= self.pmtu,
            (false, true) => p.payload <= self.pmtu && p.payload > 0,
            _ => p.payload == self.pmtu,
        };
        let sum = match ends {
            true => p.payload == target.2,
            false => p.payload <= target.2,
        };
        let size = p.dma_len <= 1 << 31;
        if !place || write && (!sum || begins && !size) || read && !size || atomic && !p.va.is_multiple_of(8)
        {
            return self.fatal(0x61, 9, false);
        }
        let held = if self.open == Open::Send {
            self.consumer.wrapping_sub(1)
        } else {
            self.consumer
        };
        let wqe = self.wqes[usize::from(held) % 32].clone();
        if send && offset + p.payload > wqe.total {
            return self.fatal(0x61, 1, begins);
        }
        // Steps 14 and 15.
        let permitted = match () {
            _ if write => p.payload == 0 || permits(target.1, target.0, target.2),
            _ if read => p.dma_len == 0 || permits(p.r_key, p.va, p.dma_len),
            _ if atomic => permits(p.r_key, p.va, 8),
            _ => true,
        };
        if !permitted {
            return self.fatal(0x62, 9, false);
        }
        if send && p.payload > 0 {
            if wqe.l_key != L_KEY {
                return self.fatal(0x63, 4, begins);
            }
            if offset + p.payload > wqe.length {
                return self.fatal(0x63, 2, begins);
            }
        }
        if invalidates && p.r_key != R_KEY {
            let mut outcome = self.fatal(0, 9, begins);
            outcome.job = None;
            return outcome;
        }
        self.execute(
            p,
            [send, write, read, atomic],
            (begins, ends, immediate, invalidates),
            takes,
            target,
            &wqe,
        )
    }

    fn execute(
        &mut self,
        p: &Packet,
        [send, write, read, atomic]: [bool; 4],
        (begins, ends, immediate, invalidates): (bool, bool, bool, bool),
        takes: bool,
        target: (u64, u32, u32),
        wqe: &Wqe,
    ) -> Outcome {
        let offset = if begins { 0 } else { self.received };
        let mut outcome = Outcome {
            report: (report::EXECUTED, 0, p.psn),
            wqe_fetched: takes.then_some(self.consumer),
            ..Outcome::default()
        };
        self.nak = false;
        if takes {
            self.consumer = self.consumer.wrapping_add(1);
        }
        if ends || read || atomic {
            self.msn = wrap(self.msn + 1);
        }
        self.epsn = wrap(self.epsn + if read { psns(p.dma_len, self.pmtu) } else { 1 });
        if send || write {
            self.received = offset + p.payload;
            self.acked = p.psn;
            self.open = match (ends, send) {
                (true, _) => Open::No,
                (false, true) => Open::Send,
                (false, false) => Open::Write,
            };
            outcome.job = Some(self.job(0, p.psn, 0x1F));
            let at = if send {
                wqe.address + u64::from(offset)
            } else {
                target.0
            };
            if p.payload > 0 {
                outcome.pieces.push((at, p.payload));
            }
            if write {
                self.write = (target.0 + u64::from(p.payload), target.1, target.2 - p.payload);
            }
            if ends && (send || immediate) {
                outcome.completion = Some(Completion {
                    qpn: self.qpn,
                    index: self.consumer.wrapping_sub(1),
                    status: 0,
                    operation: if send { 128 } else { 129 },
                    byte_count: self.received,
                    immediate: immediate.then_some(p.immediate),
                    invalidated: invalidates.then_some(p.r_key),
                });
            }
            outcome.invalidated = invalidates.then_some(p.r_key);
        } else {
            let place = (self.taken % 16) as u8;
            let kind = if read { 1 } else { 2 };
            let mut job = self.job(kind, p.psn, 0x1F);
            job.slot = place;
            job.length = 8;
            if read {
                (job.va, job.r_key, job.length) = (p.va, p.r_key, p.dma_len);
            } else {
                outcome.pieces.push((p.va, 8));
                let slot = (self.qpn & 15) << 4 | u32::from(place);
                outcome.atomic = Some((p.opcode == 0x14, p.compare, p.swap_add, slot));
            }
            outcome.job = Some(job);
            let first = Packet {
                psns: if read { psns(p.dma_len, self.pmtu) } else { 1 },
                ..p.clone()
            };
            self.operations.push(Operation {
                first,
                answered: false,
                place,
            });
            self.taken += 1;
        }
        outcome
    }

    /// Section 6.
    fn duplicate(&mut self, p: &Packet, read: bool, atomic: bool) -> Outcome {
        let mut outcome = Outcome {
            report: (report::DUPLICATE, 0, p.psn),
            ..Outcome::default()
        };
        if !read && !atomic {
            outcome.job = Some(self.job(0, self.acked, 0x1F));
            return outcome;
        }
        let kept = self.operations.iter().rev().take(self.depth);
        let matching = kept.into_iter().find(|o| {
            let f = &o.first;
            let skipped = wrap(p.psn.wrapping_sub(f.psn));
            if skipped >= f.psns || (f.opcode == 0x0C) != read {
                return false;
            }
            let bytes = u64::from(skipped) * u64::from(self.pmtu);
            match read {
                true => {
                    p.r_key == f.r_key
                        && p.va == f.va.wrapping_add(bytes)
                        && u64::from(p.dma_len) + bytes == u64::from(f.dma_len)
                }
                false => p.opcode == f.opcode,
            }
        });
        let Some(place) = matching.map(|o| o.place) else {
            return self.dropped(p, 23);
        };
        let mut job = self.job(if read { 1 } else { 2 }, p.psn, 0x1F);
        job.slot = place;
        if read {
            (job.va, job.r_key, job.length) = (p.va, p.r_key, p.dma_len);
        }
        outcome.job = Some(job);
        outcome
    }
}
