//! The effect of an operation on a completion queue.
use super::CqContext;
use hca_hdl::prelude::*;

/// Operations on a CQ.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CqOperation {
    /// A completion is added.
    Complete,
    /// A doorbell reports how far software has polled.
    Consume,
    /// A command creates the CQ.
    Create,
    /// A command gives the CQ another ring.
    Resize,
    /// A command destroys the CQ.
    Destroy,
    /// A command reads the context of the CQ.
    Query,
}

/// The context after an operation. Pure function.
#[derive(LogicBlock, Default)]
pub struct CqEffect {
    /// Context before the operation.
    pub context: Signal<In, CqContext>,
    /// The operation.
    pub operation: Signal<In, CqOperation>,
    /// With `Complete`: high if a CQE is written (`super::CqPlace`).
    pub writes: Signal<In, Bit>,
    /// With `Complete`: high if the CQ fails.
    pub fails: Signal<In, Bit>,
    /// With `Consume`: number of CQEs polled, modulo 2^16.
    pub consumer: Signal<In, Bits<16>>,
    /// With `Create` and `Resize`: byte address of the ring.
    pub base: Signal<In, Bits<64>>,
    /// With `Create` and `Resize`: log2 of the number of CQEs.
    pub log_size: Signal<In, Bits<4>>,
    /// Context after the operation.
    pub changed: Signal<Out, CqContext>,
    /// High if `Resize` is to fewer CQEs than software has yet to poll (CF248): nothing changes.
    pub refused: Signal<Out, Bit>,
    size: Signal<Local, Bits<16>>,
    unpolled: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for CqEffect {
    fn update(&mut self) {
        self.size.next = bits::<16>(1) << self.log_size.val();
        self.unpolled.next = self.context.val().producer - self.context.val().consumer;
        self.refused.next = false;
        self.changed.next.base = self.context.val().base;
        self.changed.next.log_size = self.context.val().log_size;
        self.changed.next.producer = self.context.val().producer;
        self.changed.next.consumer = self.context.val().consumer;
        self.changed.next.exists = self.context.val().exists;
        self.changed.next.failed = self.context.val().failed || self.fails.val();
        if self.operation.val() == CqOperation::Query {
            // The answer is the unchanged context.
        } else if self.operation.val() == CqOperation::Complete {
            if self.writes.val() {
                self.changed.next.producer = self.context.val().producer + 1;
            }
        } else if self.operation.val() == CqOperation::Consume {
            self.changed.next.consumer = self.consumer.val();
        } else if self.operation.val() == CqOperation::Create {
            self.changed.next.base = self.base.val();
            self.changed.next.log_size = self.log_size.val();
            self.changed.next.producer = bits::<16>(0);
            self.changed.next.consumer = bits::<16>(0);
            self.changed.next.exists = true;
            self.changed.next.failed = false;
        } else if self.operation.val() == CqOperation::Resize {
            // The index of a CQE does not depend on the size, so the following CQEs continue in the new ring.
            self.refused.next = self.unpolled.val() > self.size.val();
            if !self.context.val().failed && (self.unpolled.val() <= self.size.val()) {
                self.changed.next.base = self.base.val();
                self.changed.next.log_size = self.log_size.val();
            }
        } else if self.operation.val() == CqOperation::Destroy {
            self.changed.next.exists = false;
            self.changed.next.failed = false;
        }
    }
}
