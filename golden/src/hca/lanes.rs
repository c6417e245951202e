//! The counts of blocks on the data VLs of a native port (`link.md` section 5).
use crate::decision::credits::{blocks, further, limit, MOST_PROMISED};
use crate::verbs::QueueSide;
use crate::wire::crc::VCRC_BYTES;
use crate::wire::flow_control::Op;
use crate::wire::lrh::MANAGEMENT_VL;
use std::collections::VecDeque;

/// Longest time from the arrival of a link packet until the device takes it, in picoseconds: the packets of a whole
/// buffer may stand before it, on a stream that pauses most of the time.
pub(super) const WAITING: u64 = 1_000_000_000;

/// The counts of both directions of every data VL.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    /// Software has turned flow control on.
    pub is_on: bool,
    pub lanes: [Lane; MANAGEMENT_VL as usize],
    /// Earlier contents of link packets, each with the time, in picoseconds, until which a packet with them may still
    /// leave.
    pub former: VecDeque<(u64, Said)>,
    /// How often the counts of the send side began anew.
    pub round: u32,
    /// Time at which they did so last, in picoseconds.
    pub began: u64,
}

/// The contents of link packets: the Op, the VLs that have such packets, and the counts.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub op: Op,
    pub vls: u8,
    pub lanes: [Lane; MANAGEMENT_VL as usize],
}

/// The counts of one data VL, modulo 4096 blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    /// FCTBS: blocks sent since Init.
    pub sent: u16,
    /// CreditLimit; `None` before the first flow-control packet since Init.
    pub limit: Option<u16>,
    /// The latest FCCL and the time at which it came. The device may have taken it before or after it entered Init.
    pub late: Option<(u64, u16)>,
    /// Limits since Init that a lower one has replaced, each with its time. A device that has not taken the lower one
    /// goes by them.
    pub replaced: VecDeque<(u64, u16)>,
    /// Limits by which the device may go in place of `limit`, because it may not have taken the latest flow-control
    /// packets.
    pub unsure: Vec<Option<u16>>,
    /// ABR: blocks received since Init.
    pub received: u16,
    /// The values that it had before, latest first, as long as a flow-control packet of the device may be based on
    /// them.
    pub earlier: VecDeque<Earlier>,
    /// What came before Init and may count after it.
    pub belated: Belated,
}

/// Blocks by which the count of a device may be higher because it took, after it entered Init, what had come before: on
/// a slow stream packets wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Belated {
    /// The possible numbers of blocks other than 0.
    blocks: Vec<u16>,
    /// Number of the packet that comes next after a flow-control packet that sets the count right.
    corrected_by: Option<u32>,
    /// Time of the device's decision about that packet or a later one plus [`LATE`], in picoseconds.
    until: Option<u64>,
}

/// A count of received blocks that another one has replaced. On a slow stream packets wait until the device takes them,
/// and with them what replaces the count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    pub received: u16,
    /// Number of a packet of the port that comes not before what replaced the count. When the device decides about this
    /// packet or a later one, it has taken what replaced the count.
    pub replaced_by: u32,
    /// Time of such a decision plus [`LATE`], in picoseconds. From then on one more flow-control packet may have the
    /// count: the one that waits for the end of the packet on the link.
    pub until: Option<u64>,
}

impl Belated {
    /// Adds possible numbers of blocks, which no flow-control packet has set right yet.
    pub(super) fn add(&mut self, blocks: Vec<u16>) {
        if !blocks.is_empty() {
            self.blocks.extend(blocks);
            (self.corrected_by, self.until) = (None, None);
        }
    }

    /// Notes that the device may miss a flow-control packet that takes these blocks from the count, and those that it
    /// may have missed before.
    pub(super) fn miss(&mut self, ahead: u16) {
        let mut blocks = vec![ahead];
        blocks.extend(self.blocks.iter().map(|blocks| further(*blocks, ahead)));
        blocks.retain(|blocks| *blocks != 0 && !self.blocks.contains(blocks));
        self.add(blocks);
    }

    /// Notes that the device may miss some flow-control packets of the VL. If the one that sets the count right is
    /// among them, the next that the device does take sets it right instead: one of `others`, or one that is still to
    /// come. A flow-control packet is named by the number of the packet that arrives next after it; both lists ascend.
    pub(super) fn may_stay(&mut self, missed: &[u32], others: &[u32]) {
        if let Some(by) = self.corrected_by.filter(|by| missed.contains(by)) {
            self.corrected_by = others.iter().copied().find(|next| *next > by);
            self.until = None;
        }
    }

    /// Returns true if nothing that came before Init may count after it.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

impl Lane {
    /// Takes a new count. `next`: number of the packet that brings it, or of the next packet that arrives at the port.
    pub(super) fn receive(&mut self, received: u16, next: u32) {
        // Most flow-control packets only confirm the count.
        if received == self.received {
            return;
        }
        self.earlier.push_front(Earlier {
            received: self.received,
            replaced_by: next,
            until: None,
        });
        self.received = received;
    }

    /// Notes that a flow-control packet sets the count. `next`: as in [`receive`](Self::receive).
    pub(super) fn corrected(&mut self, next: u32) {
        self.belated.corrected_by.get_or_insert(next);
    }

    fn decided(&mut self, number: u32, now: u64) {
        if self.belated.corrected_by.is_some_and(|by| by <= number) {
            self.belated.until.get_or_insert(now + LATE);
        }
        for earlier in &mut self.earlier {
            if earlier.replaced_by <= number {
                earlier.until.get_or_insert(now + LATE);
            }
        }
    }

    /// Forgets the counts that no flow-control packet behind this one has.
    pub(super) fn said(&mut self, now: u64) {
        self.earlier
            .retain(|earlier| earlier.until.is_none_or(|until| now < until));
        if self.belated.until.is_some_and(|until| until <= now) {
            self.belated = Belated::default();
        }
    }

    /// Returns true if a device with a buffer of `buffer` blocks may promise this FCCL.
    pub(super) fn may_promise(&self, fccl: u16, buffer: u16) -> bool {
        let most = buffer.min(MOST_PROMISED);
        let earlier = self.earlier.iter().map(|earlier| earlier.received);
        let counts = std::iter::once(self.received).chain(earlier);
        let more = || std::iter::once(0).chain(self.belated.blocks.iter().copied());
        let mut counts = counts.flat_map(|received| more().map(move |more| further(received, more)));
        counts.any(|received| (0..=most).any(|free| limit(received, free) == fccl))
    }
}

impl Lanes {
    /// Notes that the device has decided about this packet, which arrived at the port.
    pub(super) fn decided(&mut self, number: u32, now: u64) {
        for lane in &mut self.lanes {
            lane.decided(number, now);
        }
    }

    /// Restarts the counts of this side, as the port enters Init. `next`: number of the next packet that arrives.
    pub(super) fn restart(&mut self, side: QueueSide, next: u32, now: u64) {
        if side == QueueSide::Send {
            self.round += 1;
            self.began = now;
        }
        for lane in &mut self.lanes {
            match side {
                QueueSide::Send => {
                    (lane.sent, lane.limit) = (0, None);
                    lane.replaced.clear();
                    lane.unsure.clear();
                }
                QueueSide::Receive => {
                    lane.receive(0, next);
                    lane.belated = Belated::default();
                }
            }
        }
    }
}

/// Returns the VL of a packet, and its number of blocks.
pub(super) fn load(bytes: &[u8]) -> (u8, u16) {
    let words = bytes.len().saturating_sub(VCRC_BYTES).div_ceil(4);
    (bytes.first().map_or(0, |first| first >> 4), blocks(words))
}

/// Returns the VL of a data packet, and its number of blocks; `None` for a packet on VL 15.
pub(super) fn charge(bytes: &[u8]) -> Option<(usize, u16)> {
    let (vl, blocks) = load(bytes);
    (vl != MANAGEMENT_VL).then_some((vl.into(), blocks))
}

/// How long after its arrival a link packet may still be on its way to the port, in picoseconds.
pub(super) const LATE: u64 = 4_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: u16 = 10;

    /// Packet 7 brings 300 blocks; a flow-control packet behind it corrects the count to 40.
    fn corrected() -> Lane {
        let mut lane = Lane::default();
        lane.receive(300, 7);
        lane.receive(40, 8);
        lane
    }

    /// Returns whether the device may base a promise on 0, on 300 and on 40 blocks.
    fn possible(lane: &Lane) -> [bool; 3] {
        [0, 300, 40].map(|received| lane.may_promise(received + BUFFER, BUFFER))
    }

    #[test]
    fn a_promise_is_of_the_buffer_at_most() {
        let lane = corrected();
        let promised = [39, 40, 50, 51].map(|fccl| lane.may_promise(fccl, BUFFER));
        assert_eq!(promised, [false, true, true, false]);
    }

    #[test]
    fn a_count_stays_until_the_device_has_decided_about_what_replaced_it() {
        let mut lane = corrected();
        lane.decided(6, 1_000);
        lane.said(1 << 40);
        assert_eq!(possible(&lane), [true; 3]);
        lane.decided(7, 1_000);
        lane.said(1_000 + LATE - 1);
        assert_eq!(possible(&lane), [true; 3]);
        lane.said(1_000 + LATE);
        assert_eq!(possible(&lane), [false, true, true]);
        lane.decided(9, 2_000);
        lane.said(2_000 + LATE);
        assert_eq!(possible(&lane), [false, false, true]);
    }

    #[test]
    fn a_count_that_is_confirmed_replaces_none() {
        let mut lane = corrected();
        lane.receive(40, 9);
        assert_eq!(lane.earlier.len(), 2);
    }
}
