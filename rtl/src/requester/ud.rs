//! What the requester does differently for UD (`protocol/ud.md` section 2), for QP0 and for QP1
//! (`special_qps.md` section 2).
use super::Plan;
use crate::completion::CqeStatuses;
use crate::context::Services;
use crate::datagram::HandleRow;
use hca_hdl::prelude::*;
use hca_host::register::PORT_P_KEY_COUNT;
use hca_host::wqe;

/// The checks of a WQE, steps 1 to 3; the walk of its SGEs makes step 4, and the link step 5. Pure function of WQE,
/// address handle and QP, and of the packet that RC would send.
#[derive(LogicBlock, SmartDefault)]
pub struct UdJudge {
    /// Service of the QP (`host::command::SERVICE_*`).
    pub service: Signal<In, Bits<3>>,
    /// High for QP0.
    pub subnet: Signal<In, Bit>,
    /// High for QP1.
    pub general: Signal<In, Bit>,
    /// High for a QP of port 2.
    pub port: Signal<In, Bit>,
    /// Active MTU of the QP's port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub mtu: Signal<In, Bits<3>>,
    /// Protection domain of the QP.
    pub pd: Signal<In, Bits<24>>,
    /// Operation of the WQE (`host::wqe`).
    pub operation: Signal<In, Bits<8>>,
    /// High if the WQE has more SGEs than it may.
    pub bad_list: Signal<In, Bit>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// Entry of the P_Key table that the WQE names; counts for QP0 and QP1.
    pub p_key_index: Signal<In, Bits<16>>,
    /// The address handle that the WQE names.
    pub handle: Signal<In, HandleRow>,
    /// The packet that RC would send.
    pub plan: Signal<In, Plan>,
    /// High for UD.
    pub datagram: Signal<Out, Bit>,
    /// For UD: high if the WQE ends with `status`.
    pub bad: Signal<Out, Bit>,
    /// Completion status of a WQE that is bad (`host::cqe`).
    pub status: Signal<Out, Bits<8>>,
    /// For UD: high if the message is longer than the MTU of the port.
    pub discards: Signal<Out, Bit>,
    /// The packet; a datagram that is discarded has a plan without bytes.
    pub own_plan: Signal<Out, Plan>,
    services: Services,
    statuses: CqeStatuses,
    #[default(constant(wqe::OP_SEND_IMMEDIATE))]
    last_operation: Constant<Bits<8>>,
    /// High for QP0 and QP1.
    management: Signal<Local, Bit>,
    #[default(constant(wqe::OP_SEND))]
    send: Constant<Bits<8>>,
    #[default(constant(PORT_P_KEY_COUNT))]
    p_keys: Constant<Bits<16>>,
    /// Bytes.
    #[default(constant(256))]
    mad_bytes: Constant<Bits<32>>,
    /// Active MTU of the port in bytes.
    port_mtu: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for UdJudge {
    fn update(&mut self) {
        // Code 1 is 256 bytes.
        self.port_mtu.next = bits::<32>(128) << self.mtu.val();
        self.datagram.next = self.service.val() == self.services.ud.val();
        self.management.next = self.subnet.val() || self.general.val();
        self.bad.next = true;
        self.status.next = self.statuses.loc_qp_op_err.val();
        self.discards.next = false;
        if self.operation.val() > self.last_operation.val() {
            // Step 1: neither Send nor Send with immediate.
        } else if self.management.val() && (self.operation.val() != self.send.val()) {
            // QP0 and QP1: no Send with immediate.
        } else if self.bad_list.val() {
            // Step 1: more SGEs than a WQE may have.
        } else if !self.handle.val().exists
            || (self.handle.val().pd != self.pd.val())
            || (self.handle.val().port != self.port.val())
        {
            // Step 2.
        } else if self.management.val() && (self.p_key_index.val() >= self.p_keys.val()) {
            // Step 2 of QP0 and QP1.
        } else if self.general.val() && self.handle.val().dlid.all() {
            // QP1: the permissive LID.
        } else if self.management.val() && (self.length.val() != self.mad_bytes.val()) {
            // QP0 and QP1, in place of step 3.
            self.status.next = self.statuses.loc_len_err.val();
        } else {
            self.bad.next = false;
            // Step 3: no packet, no error, and the bytes are not read.
            self.discards.next =
                (self.service.val() == self.services.ud.val()) && (self.length.val() > self.port_mtu.val());
        }
        self.own_plan.next = self.plan.val();
        if self.discards.val() {
            // Send only.
            self.own_plan.next.opcode = bits::<8>(0x04);
            self.own_plan.next.payload = bits::<13>(0);
            self.own_plan.next.ends = true;
            self.own_plan.next.psns = bits::<24>(0);
        }
    }
}

/// The local address of a datagram (section 2, SLID). Pure function of the port and of the address handle.
#[derive(LogicBlock, Default)]
pub struct UdAddress {
    /// LID of the port.
    pub port_lid: Signal<In, Bits<16>>,
    /// LMC of the port: number of low bits of the LID that name a path.
    pub port_lmc: Signal<In, Bits<3>>,
    /// The address handle that the WQE names.
    pub handle: Signal<In, HandleRow>,
    /// SLID of the packet.
    pub slid: Signal<Out, Bits<16>>,
    path: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for UdAddress {
    fn update(&mut self) {
        self.path.next =
            bit_cast::<16, 7>(self.handle.val().path_bits) & !(bits::<16>(0xFFFF) << self.port_lmc.val());
        self.slid.next = self.port_lid.val() | self.path.val();
        if !self.port_lid.val().any() || self.handle.val().dlid.all() {
            self.slid.next = bits::<16>(0xFFFF);
        }
    }
}
