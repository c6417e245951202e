//! The look-up whether a packet has room in the queue of its VL.
use super::LaneHolds;
use hca_hdl::prelude::*;

/// Looks up whether the queue that [`super::PacketLane`] names has room for a packet (CF449). Pure function.
#[derive(LogicBlock, Default)]
pub struct LaneNeed {
    /// Which VLs of port 1 have room.
    pub first: Signal<In, LaneHolds>,
    /// Which VLs of port 2 have room.
    pub second: Signal<In, LaneHolds>,
    /// Place of the packet ([`super::PacketLane`]).
    pub lane: Signal<In, Bits<5>>,
    /// High for a packet of 1024 bytes of payload and more.
    pub long: Signal<In, Bit>,
    /// High for an ack.
    pub ack: Signal<In, Bit>,
    /// High if there is room for it, or if it needs none.
    pub met: Signal<Out, Bit>,
    lanes: Signal<Local, LaneHolds>,
    lacks: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for LaneNeed {
    fn update(&mut self) {
        self.lanes.next = self.first.val();
        if self.lane.val().get_bit(3) {
            self.lanes.next = self.second.val();
        }
        self.lacks.next = self.lanes.val().short;
        if self.ack.val() {
            self.lacks.next = self.lanes.val().ack;
        } else if self.long.val() {
            self.lacks.next = self.lanes.val().long;
        }
        self.met.next =
            self.lane.val().get_bit(4) || !self.lacks.val().get_bit(self.lane.val().get_bits::<3>(0).index());
    }
}
