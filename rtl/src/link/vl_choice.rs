//! The VL that a packet leaves on.
use hca_hdl::prelude::*;

/// SLtoVL look-up of a departing packet (`protocol/link.md` section 3; CF265, CF455).
#[derive(LogicBlock, Default)]
pub struct VlChoice {
    /// VL of SL `n` at bits `4 * n + 3 : 4 * n`.
    pub sl_to_vl: Signal<In, Bits<64>>,
    /// Number of data VLs that are operational, from VL 0 on.
    pub data_vls: Signal<In, Bits<4>>,
    /// SL of the packet.
    pub sl: Signal<In, Bits<4>>,
    /// High if the packet is an SMP: it leaves on VL 15, without a look-up.
    pub management: Signal<In, Bit>,
    /// VL that the packet leaves on.
    pub vl: Signal<Out, Bits<4>>,
    /// High if the SL of the packet has no operational VL, so that the packet cannot leave.
    pub unusable: Signal<Out, Bit>,
    entry: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for VlChoice {
    fn update(&mut self) {
        self.entry.next = bits::<4>(0);
        for i in 0..16 {
            if self.sl.val() == i.to_bits::<4>() {
                self.entry.next = self.sl_to_vl.val().get_bits::<4>(i * 4);
            }
        }
        self.vl.next = self.entry.val();
        self.unusable.next = self.entry.val() >= self.data_vls.val();
        if self.management.val() {
            self.vl.next = bits::<4>(15);
            self.unusable.next = false;
        }
    }
}
