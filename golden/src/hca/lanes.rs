//! The counts of blocks on the data VLs of a native port (`link.md` section 5).
use crate::decision::credits::{blocks, limit, MOST_PROMISED};
use crate::verbs::QueueSide;
use crate::wire::crc::VCRC_BYTES;
use crate::wire::flow_control::Op;
use crate::wire::lrh::MANAGEMENT_VL;
use std::collections::VecDeque;

/// Number of earlier counts of received blocks that a flow-control packet of the device may still be based on. On a
/// slow stream packets wait until the device takes them: as many of one block as a buffer has blocks, and those that
/// nobody had credits for.
const LATE_COUNTS: usize = 256;
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
    /// ABR: blocks received since Init. `earlier` holds the values that it had before, latest first.
    pub received: u16,
    pub earlier: VecDeque<u16>,
}

impl Lane {
    pub(super) fn receive(&mut self, received: u16) {
        // Most flow-control packets only confirm the count.
        if received == self.received {
            return;
        }
        self.earlier.push_front(self.received);
        self.earlier.truncate(LATE_COUNTS);
        self.received = received;
    }

    /// Returns true if a device with a buffer of `buffer` blocks may promise this FCCL.
    pub(super) fn may_promise(&self, fccl: u16, buffer: u16) -> bool {
        let most = buffer.min(MOST_PROMISED);
        let mut counts = std::iter::once(&self.received).chain(&self.earlier);
        counts.any(|&received| (0..=most).any(|free| limit(received, free) == fccl))
    }
}

impl Lanes {
    /// Restarts the counts of this side, as the port enters Init.
    pub(super) fn restart(&mut self, side: QueueSide) {
        self.round += u32::from(side == QueueSide::Send);
        for lane in &mut self.lanes {
            match side {
                QueueSide::Send => {
                    (lane.sent, lane.limit) = (0, None);
                    lane.replaced.clear();
                }
                QueueSide::Receive => lane.receive(0),
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
