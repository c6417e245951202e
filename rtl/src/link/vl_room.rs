//! The room of a VL in the receive buffer.
use hca_hdl::prelude::*;

/// Counts the free blocks of 64 bytes of a VL (`protocol/link.md` section 5).
#[derive(LogicBlock, SmartDefault)]
pub struct VlRoom {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// High for one cycle when a packet of the VL is stored.
    pub stores: Signal<In, Bit>,
    /// With `stores`: its blocks, at most `room`.
    pub stored: Signal<In, Bits<7>>,
    /// High for one cycle when a block of such a packet has left.
    pub frees: Signal<In, Bit>,
    /// Free blocks.
    pub room: Signal<Out, Bits<8>>,
    free: Register<Bits<8>>,
    without: Signal<Local, Bits<8>>,
    /// Blocks that the VL has.
    #[default(constant(66))]
    quota: Constant<Bits<8>>,
}

impl VlRoom {
    /// For a VL with `quota` blocks.
    ///
    /// # Panics
    /// With more than 255.
    pub fn new(quota: usize) -> Self {
        assert!(quota < 256, "{quota} blocks");
        Self {
            quota: constant(quota),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for VlRoom {
    fn update(&mut self) {
        self.without.next = self.free.q.val();
        if self.stores.val() {
            self.without.next = self.free.q.val() - bit_cast::<8, 7>(self.stored.val());
        }
        self.free.d.next = self.without.val();
        if self.frees.val() {
            self.free.d.next = self.without.val() + 1;
        }
        self.room.next = self.free.q.val();
        if self.reset.val() {
            self.free.d.next = self.quota.val();
        }
    }
}
