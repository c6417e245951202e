//! What differs for the requester of an unreliable connection (`protocol/uc.md` section 2).
use crate::context::Services;
use hca_hdl::prelude::*;
use hca_host::wqe;

/// Pure function of a WQE's operation and of the planned packet, which is that of RC.
#[derive(LogicBlock, SmartDefault)]
pub struct UcRequest {
    /// Service of the QP (`host::command::SERVICE_*`).
    pub service: Signal<In, Bits<3>>,
    /// Operation of the WQE (`host::wqe`).
    pub operation: Signal<In, Bits<8>>,
    /// Opcode of the packet if the service were RC.
    pub opcode: Signal<In, Bits<8>>,
    /// AckReq of the packet if the service were RC.
    pub ack_req: Signal<In, Bit>,
    /// High for UC and UD.
    pub unreliable: Signal<Out, Bit>,
    /// High if the service is UC and the operation is Send with invalidate, which UC does not have (`services.md`
    /// section 1.1). A Read or an atomic exceeds `max_rd_atomic`, which is 0 for UC.
    pub lacks: Signal<Out, Bit>,
    /// Opcode of the packet: of class 001 for UC (section 1), of class 011 for UD.
    pub own_opcode: Signal<Out, Bits<8>>,
    /// AckReq of the packet: low for UC and UD (section 1).
    pub own_ack_req: Signal<Out, Bit>,
    services: Services,
    #[default(constant(wqe::OP_SEND_INVALIDATE))]
    send_invalidate: Constant<Bits<8>>,
}

#[kernel]
impl Logic for UcRequest {
    fn update(&mut self) {
        self.unreliable.next =
            (self.service.val() == self.services.uc.val()) || (self.service.val() == self.services.ud.val());
        self.lacks.next = (self.service.val() == self.services.uc.val())
            && (self.operation.val() == self.send_invalidate.val());
        self.own_opcode.next = self.opcode.val();
        self.own_ack_req.next = self.ack_req.val();
        if self.service.val() == self.services.uc.val() {
            self.own_opcode.next = self.opcode.val() | 0x20;
            self.own_ack_req.next = false;
        }
        if self.service.val() == self.services.ud.val() {
            self.own_opcode.next = self.opcode.val() | 0x60;
            self.own_ack_req.next = false;
        }
    }
}
