//! The VL whose room a packet takes.
use super::VlChoice;
use hca_hdl::primitive::{comment, constant, kernel};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Names the VL in whose queue an engine reserves room for a packet, or none: an SMP, and a packet that is to be
/// discarded, take no room there.
#[derive(LogicBlock, SmartDefault)]
pub struct PacketLane {
    /// High while packets wait in queues of their VLs.
    pub active: Signal<In, Bit>,
    /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
    pub sl_to_vl: Signal<In, Bits<64>>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// SL of the packet.
    pub sl: Signal<In, Bits<4>>,
    /// High if the packet takes no room.
    pub exempt: Signal<In, Bit>,
    /// VL of the packet; 15 if it takes no room.
    pub vl: Signal<Out, Bits<4>>,
    choice: VlChoice,
    #[default(constant(15))]
    none: Constant<Bits<4>>,
}

impl Logic for PacketLane {
    #[kernel]
    fn update(&mut self) {
        comment!("@module packet_lane");
        inputs!(self.choice, sl_to_vl, data_vls, sl);
        self.choice.management.next = false;
        self.vl.next = self.choice.vl.val();
        if !self.active.val() || self.exempt.val() || self.choice.unusable.val() {
            self.vl.next = self.none.val();
        }
    }
}
