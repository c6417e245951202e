//! Checks whether a request may follow the last one executed (`protocol/responder.md` section 3).
use hca_hdl::prelude::*;

/// CF068 to CF072. Pure function.
#[derive(LogicBlock, Default)]
pub struct OpcodeSequence {
    /// High if a Send has begun and not ended.
    pub open_send: Signal<In, Bit>,
    /// High if a Write has begun and not ended.
    pub open_write: Signal<In, Bit>,
    /// High if the request is a Send.
    pub send: Signal<In, Bit>,
    /// High if the request is a Write.
    pub write: Signal<In, Bit>,
    /// High if the packet is the first or only one of a Send or Write.
    pub begins: Signal<In, Bit>,
    /// High if the request may follow.
    pub legal: Signal<Out, Bit>,
    goes_on: Signal<Local, Bit>,
}

#[kernel]
impl Logic for OpcodeSequence {
    fn update(&mut self) {
        self.goes_on.next = (self.send.val() || self.write.val()) && !self.begins.val();
        self.legal.next = !self.goes_on.val();
        if self.open_send.val() {
            self.legal.next = self.send.val() && self.goes_on.val();
        }
        if self.open_write.val() {
            self.legal.next = self.write.val() && self.goes_on.val();
        }
    }
}
