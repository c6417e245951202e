//! Whether the next packet was acknowledged meanwhile.
use super::RequesterRow;
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// 24-bit signed distance of the next packet from the oldest that is not acknowledged. With 2^23 PSNs between them
/// (CF286) it is behind only if it is sent again: what was never sent is ahead.
#[derive(LogicBlock, Default)]
pub struct Behind {
    pub row: Signal<In, RequesterRow>,
    pub behind: Signal<Out, Bit>,
    distance: Signal<Local, Bits<24>>,
    after: Signal<Local, Bits<16>>,
    newest: Signal<Local, Bit>,
}

impl Logic for Behind {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module behind");
        self.distance.next = self.row.val().psn - self.row.val().una;
        self.after.next = self.row.val().current + 1;
        // A message begins, or the newest goes on, of which a whole one has at most 2^23 packets.
        self.newest.next = (self.row.val().current == self.row.val().started)
            || ((self.after.val() == self.row.val().started) && self.row.val().offset.any());
        self.behind.next = self.distance.val().get_bit(23)
            && (!self.newest.val() || self.distance.val().get_bits::<23>(0).any());
    }
}
