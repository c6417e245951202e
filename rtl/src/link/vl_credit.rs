//! The credits of a VL that the neighbour has.
use crate::wire::Delay;
use hca_hdl::prelude::*;

/// Blocks of the largest packet.
const LONGEST: usize = 66;
/// Number of blocks by which FCCL grows at least between two flow-control packets that nothing else makes due.
const LEAST_STEP: usize = 8;

/// Adds up what arrived on a data VL, ABR, and how much more the neighbour may send on it, FCCL
/// (`protocol/link.md` section 5).
///
/// A packet is judged four clocks after it is stored. FCCL joins ABR with the room of the same moment: it promises no
/// block that is taken, and does not change when a packet comes that was promised its room. The room of a VL is less
/// than 2048 blocks.
#[derive(LogicBlock, SmartDefault)]
pub struct VlCredit {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Free blocks, as [`super::vl_room::VlRoom`] counts them.
    pub room: Signal<In, Bits<8>>,
    /// High while the port is Down.
    pub down: Signal<In, Bit>,
    /// High for one cycle when a packet was received without an error, whether it found room or not: four clocks after
    /// its `VlRoom::stores`, or after the clock in which that would have been high.
    pub received: Signal<In, Bit>,
    /// While `received` is high: blocks of that packet.
    pub blocks: Signal<In, Bits<7>>,
    /// High for one cycle when a link packet of this VL sets ABR: four clocks after `VlRoom::stores` would have been
    /// high for a data packet in its place.
    pub updated: Signal<In, Bit>,
    /// While `updated` is high: blocks that the neighbour has sent since Init, modulo 4096.
    pub fctbs: Signal<In, Bits<12>>,
    /// FCCL of the VL in blocks, modulo 4096.
    pub fccl: Signal<Out, Bits<12>>,
    /// Number of blocks by which that FCCL must be ahead of the last one sent for the next flow-control packet to be
    /// due: a quarter of the buffer; fewer, but no fewer than 8, if less than a largest packet is left of the last one
    /// and there is room for such a packet.
    pub step: Signal<Out, Bits<8>>,
    total: Register<Bits<12>>,
    limit: Register<Bits<12>>,
    next_step: Register<Bits<8>>,
    free: Delay<8>,
    /// With room for a largest packet: number of blocks of growth from which on less than such a packet is left.
    spare: Signal<Local, Bits<8>>,
    #[default(constant(LONGEST - 1))]
    longest: Constant<Bits<8>>,
    #[default(constant(LEAST_STEP))]
    least: Constant<Bits<8>>,
    /// A quarter of the buffer.
    #[default(constant(LONGEST / 4))]
    quarter: Constant<Bits<8>>,
}

impl VlCredit {
    /// For a VL with `quota` blocks, at least those of a largest packet and fewer than 256.
    pub fn new(quota: usize) -> Self {
        Self {
            quarter: constant(quota / 4),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for VlCredit {
    fn update(&mut self) {
        clock!(self, clock, free);
        self.free.data.next = self.room.val();
        if self.received.val() {
            self.total.d.next = self.total.q.val() + bit_cast::<12, 7>(self.blocks.val());
        }
        if self.updated.val() {
            self.total.d.next = self.fctbs.val();
        }
        if self.down.val() || self.reset.val() {
            self.total.d.next = 0.into();
        }
        self.limit.d.next = self.total.q.val() + bit_cast::<12, 8>(self.free.delayed.val());
        self.fccl.next = self.limit.q.val();
        self.spare.next = self.free.delayed.val() - self.longest.val();
        self.next_step.d.next = self.quarter.val();
        if (self.free.delayed.val() > self.longest.val()) && (self.spare.val() < self.quarter.val()) {
            self.next_step.d.next = self.spare.val();
            if self.spare.val() < self.least.val() {
                self.next_step.d.next = self.least.val();
            }
        }
        self.step.next = self.next_step.q.val();
    }
}
