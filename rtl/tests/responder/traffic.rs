//! What a peer sends to one queue pair: good messages, and now and then something lost, repeated or wrong.
use crate::packet::Packet;
use crate::reference::{psns, Qp, L_KEY, REGION, R_KEY};
use fastrand::Rng;

/// The requests of one peer in order, and how far they have been sent.
#[derive(Default)]
pub struct Peer {
    pub sent: Vec<Packet>,
    pub cursor: usize,
    /// Packets that the responder has not decided on.
    pub under_way: u32,
}

/// What may go wrong, in 1 of so many packets; 0: never.
#[derive(Clone, Copy)]
pub struct Faults {
    pub lost: u32,
    pub repeated: u32,
    pub wrong: u32,
    /// Nothing but Sends of 64 bytes.
    pub plain: bool,
}

fn one_in(rng: &mut Rng, n: u32) -> bool {
    n > 0 && rng.u32(..n) == 0
}

fn wrap(psn: u32) -> u32 {
    psn & 0xFF_FFFF
}

/// A length that is often at an edge.
fn length(rng: &mut Rng, pmtu: u32) -> u32 {
    match rng.u32(..8) {
        0 => 0,
        1 => pmtu,
        2 => 2 * pmtu,
        3 => rng.u32(1..4 * pmtu),
        _ => rng.u32(1..=pmtu),
    }
}

/// The packets of a new message from this PSN on.
fn message(rng: &mut Rng, qp: &Qp, psn: u32, plain: bool) -> Vec<Packet> {
    let pmtu = qp.pmtu;
    let length = if plain { 64 } else { length(rng, pmtu) };
    let base = Packet {
        slid: qp.slid,
        p_key: qp.p_key,
        dest_qp: qp.qpn,
        va: rng.u64(REGION.start..REGION.end - 0x1_0000) & !7,
        r_key: R_KEY,
        immediate: rng.u32(..),
        swap_add: rng.u64(..),
        compare: rng.u64(..),
        psns: 1,
        ..Packet::default()
    };
    let kind = if plain { 0 } else { rng.u32(..10) };
    if kind >= 8 {
        let opcode = 0x13 + rng.u8(..2);
        return vec![Packet { opcode, psn, ..base }];
    }
    if kind >= 6 {
        let psns = psns(length, pmtu);
        return vec![Packet {
            opcode: 0x0C,
            psn,
            dma_len: length,
            psns,
            ..base
        }];
    }
    let write = kind >= 3;
    // Plain, with immediate, and of Sends with invalidate.
    let last: [u8; 2] = match (write, rng.u32(..3)) {
        (false, _) if plain => [0x02, 0x04],
        (false, 0) => [0x03, 0x05],
        (false, 1) => [0x16, 0x17],
        (false, _) => [0x02, 0x04],
        (true, 0) => [0x09, 0x0B],
        (true, _) => [0x08, 0x0A],
    };
    let count = psns(length, pmtu);
    (0..count)
        .map(|n| {
            let opcode = match (n == 0, n + 1 == count) {
                (true, true) => last[1],
                (false, true) => last[0],
                (true, false) => {
                    if write {
                        6
                    } else {
                        0
                    }
                }
                (false, false) => {
                    if write {
                        7
                    } else {
                        1
                    }
                }
            };
            Packet {
                opcode,
                psn: wrap(psn + n),
                dma_len: length,
                payload: if n + 1 == count { length - n * pmtu } else { pmtu },
                ..base.clone()
            }
        })
        .collect()
}

/// Spoils one property.
fn spoil(rng: &mut Rng, p: &mut Packet, pmtu: u32) {
    match rng.u32(..16) {
        0 => p.opcode = rng.u8(..0x20),
        1 => p.opcode |= 0x20,
        2 => p.dest_qp ^= 0x100,
        3 => p.slid ^= 1,
        4 => p.p_key ^= 1,
        5 => p.r_key = 0xBAD,
        6 => p.va = REGION.end - 8,
        7 => p.va += 4,
        8 => p.dma_len = 0x8000_0001,
        9 => p.dma_len += 1,
        10 => p.payload = (p.payload + 1).min(4096),
        11 => p.payload = p.payload.saturating_sub(1),
        12 => p.payload = pmtu + 4,
        13 => p.psn = wrap(p.psn.wrapping_add(rng.u32(..))),
        14 => p.psn = wrap(p.psn + 0x7F_FFFF),
        _ => p.payload = 0,
    }
}

impl Peer {
    /// The next packet to this QP, if there is one now.
    pub fn next(&mut self, rng: &mut Rng, qp: &Qp, faults: Faults) -> Option<Packet> {
        if self.under_way == 0 {
            // Goes back to what the responder expects.
            if let Some(at) = self.sent.iter().position(|p| p.psn == qp.epsn) {
                self.cursor = at;
            } else if !self.sent.is_empty() && self.cursor < self.sent.len() {
                self.cursor = self.sent.len();
            }
        }
        if qp.nak && self.under_way > 0 && rng.u32(..8) > 0 {
            return None;
        }
        if self.cursor == self.sent.len() {
            let psn = self.sent.last().map_or(qp.epsn, |p| wrap(p.psn + p.psns));
            self.sent.extend(message(rng, qp, psn, faults.plain));
        }
        // One more, of the order or out of it.
        let old = self.cursor.saturating_sub(40);
        let mut packet = if self.cursor > 0 && one_in(rng, faults.repeated) {
            let at = rng.usize(old..self.cursor);
            self.repeat(rng, at, qp.pmtu)
        } else {
            self.cursor += 1;
            if one_in(rng, faults.lost) {
                return None;
            }
            self.sent[self.cursor - 1].clone()
        };
        if one_in(rng, faults.wrong) {
            spoil(rng, &mut packet, qp.pmtu);
        }
        self.under_way += 1;
        Some(packet)
    }

    /// A packet again; a Read also from its middle.
    fn repeat(&self, rng: &mut Rng, at: usize, pmtu: u32) -> Packet {
        let mut packet = self.sent[at].clone();
        if packet.opcode == 0x0C && rng.bool() {
            let skipped = rng.u32(..packet.psns);
            packet.psn = wrap(packet.psn + skipped);
            packet.va += u64::from(skipped * pmtu);
            packet.dma_len -= skipped * pmtu;
        }
        // What is no duplicate of it after all.
        match rng.u32(..32) {
            0 => packet.r_key ^= 1,
            1 => packet.va ^= 8,
            2 => packet.dma_len ^= 1,
            3 if packet.opcode >= 0x13 => packet.opcode ^= 7,
            _ => {}
        }
        packet
    }
}

/// A receive WQE, now and then a bad one.
pub fn wqe(rng: &mut Rng, pmtu: u32, bad: u32) -> crate::packet::Wqe {
    let length = if one_in(rng, bad) {
        rng.u32(..pmtu)
    } else {
        4 * pmtu + rng.u32(..pmtu)
    };
    crate::packet::Wqe {
        address: rng.u64(..1 << 40),
        length,
        l_key: if one_in(rng, bad) { 0xBAD } else { L_KEY },
        total: if one_in(rng, bad) { 8 * pmtu } else { length },
    }
}
