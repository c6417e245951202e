//! Whether a packet may start by the credits of its VL.
use hca_hdl::prelude::*;

/// The send rule (`protocol/link.md` section 5), in blocks of 64 bytes modulo 4096.
#[derive(LogicBlock, Default)]
pub struct SendRule {
    /// FCCL of the last flow-control packet taken for the VL.
    pub limit: Signal<In, Bits<12>>,
    /// Blocks sent on the VL since Init.
    pub sent: Signal<In, Bits<12>>,
    /// Blocks of the packet.
    pub blocks: Signal<In, Bits<12>>,
    /// High if the packet may start.
    pub allowed: Signal<Out, Bit>,
    left: Signal<Local, Bits<12>>,
}

#[kernel]
impl Logic for SendRule {
    fn update(&mut self) {
        self.left.next = self.limit.val() - (self.sent.val() + self.blocks.val());
        self.allowed.next = self.left.val() <= 2048;
    }
}
