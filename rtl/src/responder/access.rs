//! Checks whether the queue pair permits requests of this kind (`protocol/responder.md` section 1 step 11).
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// CF073, CF075 to CF077. A Send needs no right; any operation other than these four is not supported.
#[derive(LogicBlock, Default)]
pub struct OperationAccess {
    pub send: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub read: Signal<In, Bit>,
    pub atomic: Signal<In, Bit>,
    pub remote_write: Signal<In, Bit>,
    pub remote_read: Signal<In, Bit>,
    pub remote_atomic: Signal<In, Bit>,
    /// High if the request is permitted.
    pub enabled: Signal<Out, Bit>,
}

impl Logic for OperationAccess {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module operation_access");
        self.enabled.next = self.send.val()
            || (self.write.val() && self.remote_write.val())
            || (self.read.val() && self.remote_read.val())
            || (self.atomic.val() && self.remote_atomic.val());
    }
}
