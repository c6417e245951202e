//! The place whose room a packet takes.
use super::{LaneHolds, VlChoice};
use hca_hdl::prelude::*;

/// Names the port and the VL in whose queue an engine reserves room for a packet, or none: an SMP, and a packet that is
/// to be discarded, take no room there.
#[derive(LogicBlock, SmartDefault)]
pub struct PacketLane {
    /// Which VLs of port 1 have room.
    pub first: Signal<In, LaneHolds>,
    /// Which VLs of port 2 have room.
    pub second: Signal<In, LaneHolds>,
    /// High if the packet leaves by port 2.
    pub port: Signal<In, Bit>,
    /// SL of the packet.
    pub sl: Signal<In, Bits<4>>,
    /// High if the packet takes no room.
    pub exempt: Signal<In, Bit>,
    /// VL of the packet in bits 2:0, bit 3 high for port 2; 16 if it takes no room.
    pub lane: Signal<Out, Bits<5>>,
    lanes: Signal<Local, LaneHolds>,
    choice: VlChoice,
    #[default(constant(16))]
    none: Constant<Bits<5>>,
}

#[kernel]
impl Logic for PacketLane {
    fn update(&mut self) {
        self.lanes.next = self.first.val();
        if self.port.val() {
            self.lanes.next = self.second.val();
        }
        self.choice.sl_to_vl.next = self.lanes.val().sl_to_vl;
        self.choice.data_vls.next = self.lanes.val().data_vls;
        self.choice.sl.next = self.sl.val();
        self.choice.management.next = false;
        self.lane.next = bit_cast::<5, 3>(self.choice.vl.val().get_bits::<3>(0))
            | (bit_cast::<5, 1>(self.port.val().into()) << 3);
        if !self.lanes.val().active || self.exempt.val() || self.choice.unusable.val() {
            self.lane.next = self.none.val();
        }
    }
}
