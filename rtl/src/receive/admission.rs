//! Decides whether an inbound packet is admitted to its queue pair.
use crate::context::state_rights::StateRights;
use crate::context::{QpStates, Services};
use crate::drop_reasons::DropReasons;
use hca_hdl::prelude::*;

/// The checks of `protocol/responder.md` section 1 steps 4 to 8, for UD of `ud.md` section 3.1 steps 4 to 10, for QP1
/// of `special_qps.md` section 3 steps 4 to 11 and for QP0 of its steps 6 to 8, in that order; the responder checks
/// its step 9. A pure function of header and configuration.
#[derive(LogicBlock, SmartDefault)]
pub struct Admission {
    /// Opcode of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// QPN that the packet names.
    pub dest_qp: Signal<In, Bits<24>>,
    /// High if the packet names QP0; with `to_general`, if it names no queue pair that there can be.
    pub to_subnet: Signal<In, Bit>,
    /// High if the packet names QP1.
    pub to_general: Signal<In, Bit>,
    /// High if the packet came by the port of the QP.
    pub at_port: Signal<In, Bit>,
    /// High if the packet comes from the address that the QP is connected to ([`super::SourceCheck`]).
    pub from_peer: Signal<In, Bit>,
    /// High if the packet is of a partition that the QP belongs to ([`super::PartitionCheck`]).
    pub in_partition: Signal<In, Bit>,
    /// High if the SLID is FFFFh.
    pub permissive: Signal<In, Bit>,
    /// High if the Q_Key of the packet is that of the QP.
    pub holds_q_key: Signal<In, Bit>,
    /// High if the packet is refused already ([`super::PassageMark`]).
    pub refused: Signal<In, Bit>,
    /// Reason of the refusal (`host::retire::drop`).
    pub refusal: Signal<In, Bits<8>>,
    /// QPN in the row that the low bits of `dest_qp` select.
    pub qpn: Signal<In, Bits<24>>,
    /// High if that QP is QP0 of its port.
    pub subnet: Signal<In, Bit>,
    /// High if it is QP1.
    pub general: Signal<In, Bit>,
    /// Service type of that QP.
    pub service: Signal<In, Bits<3>>,
    /// State of that QP.
    pub state: Signal<In, Bits<3>>,

    /// High if the packet is dropped.
    pub drop: Signal<Out, Bit>,
    /// Reason of the drop (`host::retire::drop`).
    pub drop_reason: Signal<Out, Bits<8>>,
    /// High if the packet is a response, for the requester; low if it is for the responder.
    pub response: Signal<Out, Bit>,

    rights: StateRights,
    code: Signal<Local, Bits<5>>,
    class: Signal<Local, Bits<3>>,
    /// Class of the QP's opcodes.
    own_class: Signal<Local, Bits<3>>,
    datagram: Signal<Local, Bit>,
    /// High for QP0 and QP1.
    management: Signal<Local, Bit>,
    services: Services,
    /// Bits 7:5 of the opcodes of UD.
    #[default(constant(3))]
    class_ud: Constant<Bits<3>>,
    why: DropReasons,
    states: QpStates,
}

#[kernel]
impl Logic for Admission {
    fn update(&mut self) {
        self.rights.state.next = self.state.val();
        self.class.next = self.opcode.val().get_bits::<3>(5);
        self.code.next = self.opcode.val().get_bits::<5>(0);
        self.datagram.next = self.service.val() == self.services.ud.val();
        self.management.next = self.subnet.val() || self.general.val();
        self.own_class.next = self.service.val();
        if self.datagram.val() {
            self.own_class.next = self.class_ud.val();
        }
        // Step 8 (opcodes.csv): 0Dh to 12h.
        self.response.next = (self.code.val() >= 0x0D) && (self.code.val() <= 0x12);

        self.drop.next = true;
        self.drop_reason.next = bits::<8>(0);
        if self.refused.val() {
            // `ud.md` section 3.1 steps 2 and 3.
            self.drop_reason.next = self.refusal.val();
        } else if self.to_general.val() && !self.to_subnet.val() && self.permissive.val() {
            // `special_qps.md` section 3 step 4.
            self.drop_reason.next = self.why.dlid.val();
        } else if (self.to_subnet.val() && self.to_general.val())
            || (self.dest_qp.val() != self.qpn.val())
            || (self.state.val() == self.states.reset.val())
        {
            // Step 5, CF041, CF043. The row of a QP in Reset may never have been written: then it reads as QP0's.
            self.drop_reason.next = self.why.dest_qp.val();
        } else if self.class.val() != self.own_class.val() {
            // Step 4, CF042; `ud.md` section 3.1 step 5.
            self.drop_reason.next = self.why.opcode.val();
        } else if self.datagram.val() && self.management.val() && self.code.val().get_bit(0) {
            // `special_qps.md` section 3 step 7: neither QP0 nor QP1 takes a Send with immediate.
            self.drop_reason.next = self.why.opcode.val();
        } else if (self.response.val() && !self.rights.takes_responses.val())
            || (!self.response.val() && !self.rights.receives.val())
        {
            // Step 5, CF043 and CF044.
            self.drop_reason.next = self.why.qp_state.val();
        } else if self.datagram.val() && !self.subnet.val() && self.permissive.val() {
            // `ud.md` section 3.1 step 7. The packets of QP0 need neither another LID than FFFFh nor a Q_Key.
            self.drop_reason.next = self.why.dlid.val();
        } else if !self.at_port.val() {
            // Step 6, CF048; `ud.md` section 3.1 step 8, CF339.
            self.drop_reason.next = self.why.source.val();
        } else if !self.datagram.val() && !self.from_peer.val() {
            // Step 6, CF049. UD knows no peer.
            self.drop_reason.next = self.why.source.val();
        } else if !self.in_partition.val() {
            // Step 7, CF050 to CF052; `ud.md` section 3.1 step 9.
            self.drop_reason.next = self.why.p_key.val();
        } else if self.datagram.val() && !self.subnet.val() && !self.holds_q_key.val() {
            // `ud.md` section 3.1 step 10.
            self.drop_reason.next = self.why.q_key.val();
        } else {
            self.drop.next = false;
        }
    }
}
