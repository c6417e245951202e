//! Decides whether a job that has its turn may make its packet.
use hca_hdl::prelude::*;

/// Pure function. These conditions are looked up as the turn arrives; the others are known when it is served.
#[derive(LogicBlock, SmartDefault)]
pub struct Permission {
    /// One of `JOB_*`.
    pub kind: Signal<In, Bits<2>>,
    /// High if an ack of the QP may be handed over ([`super::under_way::UnderWay`]).
    pub lets_ack: Signal<In, Bit>,
    /// High if data of the QP may be handed over.
    pub lets_data: Signal<In, Bit>,
    /// High if the atomic is done, or the one that took its resource.
    pub present: Signal<In, Bit>,
    /// High if the writes before the Read are in memory.
    pub in_memory: Signal<In, Bit>,
    /// High if these conditions let the packet be made.
    pub granted: Signal<Out, Bit>,
    /// High if the job is an ack or a NAK.
    pub is_ack: Signal<Out, Bit>,
    /// High if the job is a Read.
    pub is_read: Signal<Out, Bit>,

    #[default(constant(super::JOB_ACK))]
    kind_ack: Constant<Bits<2>>,
    #[default(constant(super::JOB_READ))]
    kind_read: Constant<Bits<2>>,
    #[default(constant(super::JOB_ATOMIC))]
    kind_atomic: Constant<Bits<2>>,
}

#[kernel]
impl Logic for Permission {
    fn update(&mut self) {
        comment!("@module answer_permission");
        self.is_ack.next = self.kind.val() == self.kind_ack.val();
        self.is_read.next = self.kind.val() == self.kind_read.val();
        // Acks and data do not overtake each other (`protocol/responder.md` section 8).
        self.granted.next = (self.kind.val() == self.kind_ack.val()) && self.lets_ack.val();
        if self.lets_data.val() {
            // Results come after the operations that they report (sections 8 and 9).
            if (self.kind.val() == self.kind_atomic.val()) && self.present.val() {
                self.granted.next = true;
            }
            if (self.kind.val() == self.kind_read.val()) && self.in_memory.val() {
                self.granted.next = true;
            }
        }
    }
}
