//! The decisions on datagrams (`protocol/ud.md` sections 2 and 3.1, `special_qps.md` sections 2 and 3).
use crate::context::Services;
use crate::datagram::HandleRow;
use crate::receive::{Admission, PartitionCheck, RequestArrival};
use crate::requester::{Plan, UdJudge};
use crate::responder::{RequestChecks, RequestVerdict, ResponderContext, ResponderSettings, UdDecision};
use hca_hdl::prelude::*;

/// Decides on a send WQE of a UD QP: [`UdJudge`] without a planned packet.
#[derive(LogicBlock, SmartDefault)]
pub struct DatagramRequest {
    /// QPN of the QP.
    pub qpn: Signal<In, Bits<24>>,
    /// Protection domain of the QP.
    pub pd: Signal<In, Bits<24>>,
    /// Operation of the WQE (`host::wqe`).
    pub operation: Signal<In, Bits<8>>,
    /// High if the WQE has more SGEs than it may.
    pub bad_list: Signal<In, Bit>,
    /// Active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub mtu: Signal<In, Bits<3>>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// Entry of the P_Key table that the WQE names; counts for QP0 and QP1.
    pub p_key_index: Signal<In, Bits<16>>,
    /// The address handle that the WQE names.
    pub handle: Signal<In, HandleRow>,
    /// High if the WQE ends with `status`.
    pub bad: Signal<Out, Bit>,
    /// With `bad`: status of the completion (`host::cqe`).
    pub status: Signal<Out, Bits<8>>,
    /// High if the message is counted and not sent; without meaning if the WQE is bad.
    pub discards: Signal<Out, Bit>,
    judge: UdJudge,
    services: Services,
    /// Every field 0.
    #[default(Constant::new(Plan::default()))]
    nothing: Constant<Plan>,
}

#[kernel]
impl Logic for DatagramRequest {
    fn update(&mut self) {
        inputs!(self.judge, service: services.ud, pd, operation, bad_list, mtu, length, p_key_index, handle);
        self.judge.subnet.next = !self.qpn.val().any();
        self.judge.general.next = self.qpn.val() == 1;
        self.judge.port.next = false;
        self.judge.plan.next = self.nothing.val();
        outputs!(self.judge, bad, status, discards);
    }
}

/// Decides on an arriving datagram: [`PartitionCheck`] and [`Admission`], then [`RequestChecks`] and [`UdDecision`].
/// The keys of the receive WQE are checked afterwards.
#[derive(LogicBlock, SmartDefault)]
pub struct DatagramOutcome {
    /// The packet; `drop` and `drop_reason` do not count.
    pub arrival: Signal<In, RequestArrival>,
    /// High if the packet is refused for its group.
    pub refused: Signal<In, Bit>,
    /// Reason of the refusal (`host::retire::drop`).
    pub refusal: Signal<In, Bits<8>>,
    /// P_Key of the packet.
    pub p_key: Signal<In, Bits<16>>,
    /// Q_Key of the packet.
    pub q_key: Signal<In, Bits<32>>,
    /// SLID of the packet.
    pub slid: Signal<In, Bits<16>>,
    /// Configuration of the QP as a responder.
    pub settings: Signal<In, ResponderSettings>,
    /// Index of the QP's P_Key in the port's table.
    pub own_p_key_index: Signal<In, Bits<2>>,
    /// Q_Key of the QP.
    pub own_q_key: Signal<In, Bits<32>>,
    /// State of the QP at admission.
    pub state: Signal<In, Bits<3>>,
    /// The port's P_Key table: entry `n` at bits `16 * n + 15 : 16 * n`.
    pub port_p_keys: Signal<In, Bits<64>>,
    /// Context of the QP when the responder decides.
    pub qp: Signal<In, ResponderContext>,
    /// Number of receive WQEs of the QP that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,
    /// Bytes that the receive WQE has room for.
    pub wqe_length: Signal<In, Bits<32>>,
    /// The decision.
    pub verdict: Signal<Out, RequestVerdict>,
    /// High for a packet to QP1 whose P_Key matches entry `p_key_index` of the port's table.
    pub has_p_key_index: Signal<Out, Bit>,
    /// With `has_p_key_index`: index of the entry that matches.
    pub p_key_index: Signal<Out, Bits<2>>,
    /// High for a packet to QP0, and for one to QP1.
    subnet: Signal<Local, Bit>,
    general: Signal<Local, Bit>,
    partition: PartitionCheck,
    admission: Admission,
    checks: RequestChecks,
    decision: UdDecision,
    services: Services,
}

#[kernel]
impl Logic for DatagramOutcome {
    fn update(&mut self) {
        self.subnet.next = !self.arrival.val().dest_qp.any();
        self.general.next = self.arrival.val().dest_qp == 1;
        inputs!(self.partition, subnet, general, p_key, port_p_keys, own_index: own_p_key_index);
        outputs!(self.partition, has_p_key_index: in_table, p_key_index: index);
        inputs!(self.admission, refused, refusal);
        self.admission.opcode.next = self.arrival.val().opcode;
        self.admission.dest_qp.next = self.arrival.val().dest_qp;
        inputs!(self.admission, to_subnet: subnet, to_general: general);
        self.admission.subnet.next = !self.settings.val().qpn.any();
        self.admission.general.next = self.settings.val().qpn == 1;
        self.admission.at_port.next = true;
        self.admission.from_peer.next = false;
        self.admission.in_partition.next = self.partition.passes.val().all();
        self.admission.permissive.next = self.slid.val().all();
        self.admission.holds_q_key.next = self.q_key.val() == self.own_q_key.val();
        self.admission.qpn.next = self.settings.val().qpn;
        inputs!(self.admission, service: services.ud, state);

        inputs!(self.checks, settings, arrived, arrival);
        self.checks.arrival.next.subnet = self.subnet.val();
        self.checks.arrival.next.general = self.general.val();
        self.checks.context.next = self.qp.val();
        self.checks.answered.next = bits::<5>(0);
        self.checks.many_answers.next = false;
        self.checks.answers_fill.next = false;
        self.decision.arrival.next = self.arrival.val();
        self.decision.arrival.next.subnet = self.subnet.val();
        self.decision.arrival.next.general = self.general.val();
        self.decision.arrival.next.drop = self.admission.drop.val();
        self.decision.arrival.next.drop_reason = self.admission.drop_reason.val();
        inputs!(self.decision, flags: checks.flags, wqe_length);
        self.verdict.next = self.decision.verdict.val();
    }
}
