//! What arrives, and what must be in memory afterwards.
use crate::memory::{untouched, ATOMIC, CQE, IDS, REQUESTER, RESPONDER};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub enum Work {
    /// The payload.
    Data,
    /// Of the responder.
    Atomic {
        fetch_add: bool,
        compare: u64,
        swap_add: u64,
        slot: u64,
    },
    /// Of the requester: the original of one of its atomics.
    Original(u64),
}

#[derive(Clone, Debug)]
pub struct Packet {
    pub response: bool,
    pub work: Work,
    /// Address and length of each; one of length 0 if nothing is written.
    pub pieces: Vec<(u64, usize)>,
    pub payload: Vec<u8>,
}

impl Packet {
    pub fn side(&self) -> usize {
        if self.response {
            REQUESTER
        } else {
            RESPONDER
        }
    }

    /// The link must not give its payload.
    pub fn discards(&self) -> bool {
        !matches!(self.work, Work::Data) || self.pieces[0].1 == 0
    }
}

/// The outcome of a run, computed a byte at a time.
#[derive(Default)]
pub struct Outcome {
    pub bytes: BTreeMap<u64, u8>,
    /// Address and beats, by ID.
    pub bursts: [Vec<(u64, u64)>; IDS],
    /// Bursts that are before the end of each packet, by side, and how many of those are of atomics.
    pub needed: [Vec<(u64, u64)>; 2],
    /// Slot and original of each atomic, and how many packets of the responder are before its end.
    pub done: Vec<(u64, u64, usize)>,
}

/// Bursts of a piece: to each multiple of 1024 bytes, in whole beats.
fn split(address: u64, length: usize, lanes: usize) -> Vec<(u64, u64)> {
    let (lanes, end) = (lanes as u64, address + length as u64);
    let mut at = address;
    let mut bursts = Vec::new();
    while at < end {
        let stop = end.min((at / 1024 + 1) * 1024);
        let start = at / lanes * lanes;
        bursts.push((start, (stop - start).div_ceil(lanes)));
        at = stop;
    }
    bursts
}

impl Outcome {
    /// `entries`: CQEs of 32 bytes and EQEs of 16.
    pub fn of(packets: &[Packet], entries: &[(u64, Vec<u8>)], lanes: usize) -> Outcome {
        let mut outcome = Outcome::default();
        for packet in packets {
            let side = packet.side();
            let (pieces, payload) = outcome.writes(packet);
            let mut payload = payload.into_iter();
            let id = match packet.work {
                Work::Atomic { .. } => ATOMIC,
                _ => side,
            };
            for (address, length) in pieces {
                outcome.bursts[id].extend(split(address, length, lanes));
                outcome
                    .bytes
                    .extend((address..address + length as u64).zip(payload.by_ref()));
            }
            let atomics = match side {
                RESPONDER => outcome.bursts[ATOMIC].len() as u64,
                _ => 0,
            };
            let needed = outcome.bursts[side].len() as u64;
            outcome.needed[side].push((needed, atomics));
        }
        for (address, entry) in entries {
            outcome.bursts[CQE].extend(split(*address, entry.len(), lanes));
            outcome.bytes.extend((*address..).zip(entry.iter().copied()));
        }
        outcome
    }

    /// What a packet writes, and where.
    fn writes(&mut self, packet: &Packet) -> (Vec<(u64, usize)>, Vec<u8>) {
        match packet.work {
            Work::Data => (packet.pieces.clone(), packet.payload.clone()),
            Work::Original(value) => (packet.pieces.clone(), value.to_le_bytes().to_vec()),
            Work::Atomic {
                fetch_add,
                compare,
                swap_add,
                slot,
            } => {
                let address = packet.pieces[0].0;
                let original = u64::from_le_bytes(std::array::from_fn(|i| {
                    let at = address + i as u64;
                    self.bytes.get(&at).copied().unwrap_or_else(|| untouched(at))
                }));
                self.done.push((slot, original, self.needed[RESPONDER].len() + 1));
                let swapped = if fetch_add {
                    Some(original.wrapping_add(swap_add))
                } else {
                    (original == compare).then_some(swap_add)
                };
                match swapped {
                    Some(value) => (packet.pieces.clone(), value.to_le_bytes().to_vec()),
                    None => (Vec::new(), Vec::new()),
                }
            }
        }
    }
}
