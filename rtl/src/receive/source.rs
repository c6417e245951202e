//! Whether a packet comes from where its queue pair is connected.
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// `protocol/responder.md` section 1 step 6 (CF049): LID, and GID where packets carry one. Pure.
#[derive(LogicBlock, Default)]
pub struct SourceCheck {
    pub slid: Signal<In, Bits<16>>,
    pub has_grh: Signal<In, Bit>,
    pub sgid: Signal<In, Bits<128>>,
    pub connected_lid: Signal<In, Bits<16>>,
    pub connected_has_grh: Signal<In, Bit>,
    pub connected_gid: Signal<In, Bits<128>>,
    pub from_peer: Signal<Out, Bit>,
}

impl Logic for SourceCheck {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module source_check");
        self.from_peer.next = (self.slid.val() == self.connected_lid.val())
            && (self.has_grh.val() == self.connected_has_grh.val());
        if self.has_grh.val() && (self.sgid.val() != self.connected_gid.val()) {
            self.from_peer.next = false;
        }
    }
}
