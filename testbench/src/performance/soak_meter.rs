//! The traffic on a link that is soaked.
use crate::fabric::{Observer, Reaped};
use crate::trace::output::OutputError;
use crate::trace::{LinkRecord, PacketRecord};
use hca_golden::decision::credits::{blocks, further};
use hca_golden::port::FIRST;
use hca_golden::wire::flow_control::FlowControl;
use hca_golden::wire::lrh::MANAGEMENT_VL;

/// Blocks of the largest packet (`link.md` section 3).
pub(super) const LONGEST: u16 = 66;
/// Number of data VLs that a port can have.
const VLS: usize = 15;

/// A data VL in the direction away from a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Number of packets that have left.
    pub packets: u64,
    /// Number of blocks that have left since Init, modulo 4096.
    pub sent: u16,
    /// Blocks of the other side's empty buffer, as its first limit promised them.
    pub buffer: u16,
    /// Blocks that its last limit leaves, as it left.
    pub left: u16,
    /// Number of its limits, and number of those that left less than a largest packet.
    pub limits: u64,
    pub short: u64,
    /// Least number of blocks that a limit left.
    pub least: u16,
}

/// The data VLs of both directions.
#[derive(Default)]
pub(super) struct Meter {
    /// By side that sends the data.
    pub lanes: [[Lane; VLS]; 2],
}

impl Observer for Meter {
    fn packet(&mut self, packet: &PacketRecord) -> Result<(), OutputError> {
        let vl = packet.bytes[0] >> 4;
        if vl != MANAGEMENT_VL {
            let lane = &mut self.lanes[packet.from as usize][usize::from(vl)];
            lane.packets += 1;
            lane.sent = further(lane.sent, blocks((packet.bytes.len() - 2) / 4));
        }
        Ok(())
    }

    fn link_packet(&mut self, record: &LinkRecord) -> Result<(), OutputError> {
        let is_metered = |_: &FlowControl| record.port == FIRST;
        let Some(packet) = FlowControl::decode(&record.bytes).ok().filter(is_metered) else {
            return Ok(());
        };
        let lanes = &mut self.lanes[record.from.other() as usize];
        let Some(lane) = lanes.get_mut(usize::from(packet.vl)) else {
            return Ok(());
        };
        if lane.limits == 0 {
            (lane.buffer, lane.least) = (packet.fccl, packet.fccl);
        }
        // Packets that are on their way have left: what they take counts as free until they are there.
        lane.left = further(packet.fccl, 4096 - lane.sent);
        lane.limits += 1;
        lane.short += u64::from(lane.left < LONGEST);
        lane.least = lane.least.min(lane.left);
        Ok(())
    }

    fn completion(&mut self, _: &Reaped) -> Result<(), OutputError> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) {}
}
