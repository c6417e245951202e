//! Decides whether a completion has a place in its ring, and finds the place.
use super::CqContext;
use hca_hdl::prelude::*;
use hca_host::cqe;

/// The first check that holds decides (`protocol/qp_cq.md` section 6, overflow; CF255). Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct CqPlace {
    /// Context of the CQ.
    pub context: Signal<In, CqContext>,
    /// High if the CQE is written.
    pub writes: Signal<Out, Bit>,
    /// High if the completion is lost, because the CQ has no room or had none before.
    pub lost: Signal<Out, Bit>,
    /// High if it is the first completion that is lost.
    pub fails: Signal<Out, Bit>,
    /// Byte address of the CQE.
    pub address: Signal<Out, Bits<64>>,
    /// 1 on the first pass over the ring, then alternating.
    pub phase: Signal<Out, Bit>,
    /// Number of CQEs that software has not polled according to its doorbells.
    unpolled: Signal<Local, Bits<16>>,
    size: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<64>>,
    #[default(constant(cqe::BYTES.trailing_zeros() as usize))]
    entry_shift: Constant<Bits<3>>,
}

#[kernel]
impl Logic for CqPlace {
    fn update(&mut self) {
        self.size.next = bits::<16>(1) << self.context.val().log_size;
        self.unpolled.next = self.context.val().producer - self.context.val().consumer;
        self.slot.next = bit_cast::<64, 16>(
            self.context.val().producer & !(!bits::<16>(0) << self.context.val().log_size),
        ) << self.entry_shift.val();
        self.address.next = self.context.val().base + self.slot.val();
        self.phase.next = !(self.context.val().producer >> self.context.val().log_size).get_bit(0);
        self.writes.next = false;
        self.lost.next = false;
        self.fails.next = false;
        if !self.context.val().exists {
            // No QP uses the CQ any more.
        } else if self.context.val().failed {
            self.lost.next = true;
        } else if self.unpolled.val() >= self.size.val() {
            self.lost.next = true;
            self.fails.next = true;
        } else {
            self.writes.next = true;
        }
    }
}
