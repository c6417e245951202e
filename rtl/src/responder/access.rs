//! Checks whether the queue pair permits requests of this kind (`protocol/responder.md` section 1 step 11).
use hca_hdl::prelude::*;

/// Decides by the QP's rights (CF073, CF075 to CF077). A Send needs none; a request that is not one of the four
/// operations is not permitted. Pure function.
#[derive(LogicBlock, Default)]
pub struct OperationAccess {
    /// High if the request is a Send.
    pub send: Signal<In, Bit>,
    /// High if the request is a Write.
    pub write: Signal<In, Bit>,
    /// High if the request is a Read.
    pub read: Signal<In, Bit>,
    /// High if the request is an atomic.
    pub atomic: Signal<In, Bit>,
    /// High if the QP permits Writes.
    pub remote_write: Signal<In, Bit>,
    /// High if the QP permits Reads.
    pub remote_read: Signal<In, Bit>,
    /// High if the QP permits atomics.
    pub remote_atomic: Signal<In, Bit>,
    /// High if the request is permitted.
    pub enabled: Signal<Out, Bit>,
}

#[kernel]
impl Logic for OperationAccess {
    fn update(&mut self) {
        self.enabled.next = self.send.val()
            || (self.write.val() && self.remote_write.val())
            || (self.read.val() && self.remote_read.val())
            || (self.atomic.val() && self.remote_atomic.val());
    }
}
