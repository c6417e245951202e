//! Decides whether an inbound packet is admitted to its queue pair (`protocol/responder.md` section 1 steps 4 to 8).
use crate::receive::{Admission, PartitionCheck, SourceCheck};
use hca_hdl::prelude::*;

/// [`SourceCheck`] and [`PartitionCheck`] before [`Admission`].
#[derive(LogicBlock, Default)]
pub struct InboundAdmission {
    /// Opcode of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// QPN that the packet names.
    pub dest_qp: Signal<In, Bits<24>>,
    /// P_Key of the packet.
    pub p_key: Signal<In, Bits<16>>,
    /// SLID of the packet.
    pub slid: Signal<In, Bits<16>>,
    /// High if the packet has a GRH, or an IP header in its place.
    pub has_grh: Signal<In, Bit>,
    /// SGID of the packet; without meaning if `has_grh` is low.
    pub sgid: Signal<In, Bits<128>>,
    /// QPN in the row that the low bits of `dest_qp` select.
    pub qpn: Signal<In, Bits<24>>,
    /// Transport service of that QP.
    pub service: Signal<In, Bits<3>>,
    /// Index of that QP's P_Key in the port's table.
    pub own_p_key_index: Signal<In, Bits<2>>,
    /// State of that QP.
    pub state: Signal<In, Bits<3>>,
    /// LID of the QP's peer.
    pub connected_lid: Signal<In, Bits<16>>,
    /// High if packets of the QP's peer carry a GRH, or an IP header in its place.
    pub connected_has_grh: Signal<In, Bit>,
    /// GID of the QP's peer.
    pub connected_gid: Signal<In, Bits<128>>,
    /// The port's P_Key table: entry `n` at bits `16 * n + 15 : 16 * n`.
    pub port_p_keys: Signal<In, Bits<64>>,
    /// High if the Q_Key of the packet is that of the QP.
    pub holds_q_key: Signal<In, Bit>,

    /// High if the packet is dropped.
    pub drop: Signal<Out, Bit>,
    /// With `drop`: reason of the drop (`host::retire::drop`).
    pub drop_reason: Signal<Out, Bits<8>>,
    /// High if the packet is a response, for the requester; low if it is for the responder.
    pub response: Signal<Out, Bit>,
    /// High for a packet to QP1 whose P_Key matches entry `p_key_index` of the port's table.
    pub has_p_key_index: Signal<Out, Bit>,
    /// With `has_p_key_index`: index of the entry that matches.
    pub p_key_index: Signal<Out, Bits<2>>,
    source: SourceCheck,
    partition: PartitionCheck,
    admission: Admission,
}

#[kernel]
impl Logic for InboundAdmission {
    fn update(&mut self) {
        inputs!(self.source, slid, has_grh, sgid, connected_lid, connected_has_grh, connected_gid);
        self.partition.subnet.next = !self.dest_qp.val().any();
        self.partition.general.next = self.dest_qp.val() == 1;
        inputs!(self.partition, p_key, port_p_keys, own_index: own_p_key_index);
        self.admission.in_partition.next = self.partition.passes.val().all();
        self.admission.refused.next = false;
        self.admission.refusal.next = bits::<8>(0);
        inputs!(self.admission, opcode, dest_qp, qpn, service, state, holds_q_key);
        self.admission.to_subnet.next = !self.dest_qp.val().any();
        self.admission.to_general.next = self.dest_qp.val() == 1;
        self.admission.subnet.next = !self.qpn.val().any();
        self.admission.general.next = self.qpn.val() == 1;
        self.admission.at_port.next = true;
        self.admission.from_peer.next = self.source.agrees.val().all();
        self.admission.permissive.next = self.slid.val().all();
        outputs!(self.admission, drop, drop_reason, response);
        outputs!(self.partition, has_p_key_index: in_table, p_key_index: index);
    }
}
