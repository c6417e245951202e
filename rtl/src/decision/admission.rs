//! Decides whether an inbound packet is admitted to its queue pair (`protocol/responder.md` section 1 steps 4 to 8).
use crate::receive::{Admission, PartitionCheck, SourceCheck};
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// [`SourceCheck`] and [`PartitionCheck`] before [`Admission`].
#[derive(LogicBlock, Default)]
pub struct InboundAdmission {
    // Of the packet.
    pub opcode: Signal<In, Bits<8>>,
    pub dest_qp: Signal<In, Bits<24>>,
    pub p_key: Signal<In, Bits<16>>,
    pub slid: Signal<In, Bits<16>>,
    pub has_grh: Signal<In, Bit>,
    pub sgid: Signal<In, Bits<128>>,
    // Of the QP.
    pub qpn: Signal<In, Bits<24>>,
    pub service: Signal<In, Bits<3>>,
    pub own_p_key_index: Signal<In, Bits<2>>,
    pub state: Signal<In, Bits<3>>,
    pub connected_lid: Signal<In, Bits<16>>,
    pub connected_has_grh: Signal<In, Bit>,
    pub connected_gid: Signal<In, Bits<128>>,
    /// The port's P_Key table.
    pub port_p_keys: Signal<In, Bits<64>>,
    /// High if the Q_Key of the packet is that of the QP.
    pub holds_q_key: Signal<In, Bit>,

    /// High if the packet is dropped.
    pub drop: Signal<Out, Bit>,
    pub drop_reason: Signal<Out, Bits<8>>,
    /// High if the packet is a response, for the requester.
    pub response: Signal<Out, Bit>,
    /// High for a packet to QP1 whose P_Key matches entry `p_key_index` of the port's table.
    pub has_p_key_index: Signal<Out, Bit>,
    pub p_key_index: Signal<Out, Bits<2>>,
    source: SourceCheck,
    partition: PartitionCheck,
    admission: Admission,
}

impl Logic for InboundAdmission {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module inbound_admission");
        self.source.slid.next = self.slid.val();
        self.source.has_grh.next = self.has_grh.val();
        self.source.sgid.next = self.sgid.val();
        self.source.connected_lid.next = self.connected_lid.val();
        self.source.connected_has_grh.next = self.connected_has_grh.val();
        self.source.connected_gid.next = self.connected_gid.val();
        self.partition.dest_qp.next = self.dest_qp.val();
        self.partition.p_key.next = self.p_key.val();
        self.partition.own_index.next = self.own_p_key_index.val();
        self.partition.port_p_keys.next = self.port_p_keys.val();
        self.admission.in_partition.next = self.partition.passes.val().all();
        self.admission.refused.next = false;
        self.admission.refusal.next = bits::<8>(0);
        self.admission.opcode.next = self.opcode.val();
        self.admission.dest_qp.next = self.dest_qp.val();
        self.admission.from_peer.next = self.source.agrees.val().all();
        self.admission.qpn.next = self.qpn.val();
        self.admission.service.next = self.service.val();
        self.admission.state.next = self.state.val();
        self.admission.permissive.next = self.slid.val().all();
        self.admission.holds_q_key.next = self.holds_q_key.val();
        self.drop.next = self.admission.drop.val();
        self.drop_reason.next = self.admission.drop_reason.val();
        self.response.next = self.admission.response.val();
        self.has_p_key_index.next = self.partition.in_table.val();
        self.p_key_index.next = self.partition.index.val();
    }
}
