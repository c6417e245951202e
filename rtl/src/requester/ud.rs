//! What differs for the requester of datagrams (`protocol/ud.md` section 2).
use super::Plan;
use crate::datagram::HandleRow;
use hca_hdl::primitive::{comment, constant};
use hca_host::{command, wqe};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// The checks of a WQE, steps 1 to 3; the walk of its SGEs makes step 4, and the link step 5. Pure function of WQE,
/// address handle and QP, and of the packet that RC would send.
#[derive(LogicBlock, SmartDefault)]
pub struct UdJudge {
    /// Service of the QP (`host::command::SERVICE_*`).
    pub service: Signal<In, Bits<3>>,
    /// Protection domain of the QP.
    pub pd: Signal<In, Bits<24>>,
    /// Operation of the WQE (`host::wqe`).
    pub operation: Signal<In, Bits<8>>,
    /// High if the WQE has more SGEs than it may.
    pub bad_list: Signal<In, Bit>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// The address handle that the WQE names.
    pub handle: Signal<In, HandleRow>,
    /// The packet that RC would send.
    pub plan: Signal<In, Plan>,
    /// High for UD.
    pub datagram: Signal<Out, Bit>,
    /// For UD: high if the WQE ends with LOC_QP_OP_ERR.
    pub bad: Signal<Out, Bit>,
    /// For UD: high if the message is longer than the MTU of the port.
    pub discards: Signal<Out, Bit>,
    /// The packet; a datagram that is discarded has a plan without bytes.
    pub own_plan: Signal<Out, Plan>,
    #[default(constant(command::SERVICE_UD))]
    ud: Constant<Bits<3>>,
    #[default(constant(wqe::OP_SEND_IMMEDIATE))]
    last_operation: Constant<Bits<8>>,
    /// Bytes.
    #[default(constant(4096))]
    port_mtu: Constant<Bits<32>>,
}

impl Logic for UdJudge {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module ud_judge");
        self.datagram.next = self.service.val() == self.ud.val();
        self.bad.next = true;
        self.discards.next = false;
        if self.operation.val() > self.last_operation.val() {
            // Step 1: neither Send nor Send with immediate.
        } else if self.bad_list.val() {
            // Step 1: more SGEs than a WQE may have.
        } else if !self.handle.val().exists || (self.handle.val().pd != self.pd.val()) {
            // Step 2. The port of every handle is that of every QP: there is one.
        } else {
            self.bad.next = false;
            // Step 3: no packet, no error, and the bytes are not read.
            self.discards.next =
                (self.service.val() == self.ud.val()) && (self.length.val() > self.port_mtu.val());
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

/// The local address of a datagram (section 2, SLID). Pure.
#[derive(LogicBlock, Default)]
pub struct UdAddress {
    pub port_lid: Signal<In, Bits<16>>,
    pub port_lmc: Signal<In, Bits<3>>,
    pub handle: Signal<In, HandleRow>,
    pub slid: Signal<Out, Bits<16>>,
    path: Signal<Local, Bits<16>>,
}

impl Logic for UdAddress {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module ud_address");
        self.path.next =
            bit_cast::<16, 7>(self.handle.val().path_bits) & !(bits::<16>(0xFFFF) << self.port_lmc.val());
        self.slid.next = self.port_lid.val() | self.path.val();
        if !self.port_lid.val().any() || self.handle.val().dlid.all() {
            self.slid.next = bits::<16>(0xFFFF);
        }
    }
}
