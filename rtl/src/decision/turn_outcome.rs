//! The outcome of a turn of a QP's requester (`protocol/requester.md` sections 1 to 3, `uc.md` section 2, `ud.md`
//! section 2).
use crate::completion::CqeStatuses;
use crate::datagram::HandleRow;
use crate::requester::{
    Plan, RequestPlan, RequesterRow, SendWork, Standing, TurnEffect, TurnGate, TurnPosition, UcRequest,
    UdJudge,
};
use hca_hdl::prelude::*;

/// The requester's blocks from the WQE to the row behind its next packet.
#[derive(LogicBlock, Default)]
pub struct TurnOutcome {
    /// Row of the QP before the turn.
    pub row: Signal<In, RequesterRow>,
    /// Path MTU of the QP, a code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Value of max_rd_atomic of the QP, 0 to 16.
    pub resources: Signal<In, Bits<5>>,
    /// Number of this QP's packets that are possibly not gone yet.
    pub leaving: Signal<In, Bits<8>>,
    /// High if the WQE of the next packet is in the cache.
    pub posted: Signal<In, Bit>,
    /// Operation of that WQE (`host::wqe`).
    pub operation: Signal<In, Bits<8>>,
    /// High if that WQE is fenced.
    pub fence: Signal<In, Bit>,
    /// Bytes of its message.
    pub length: Signal<In, Bits<32>>,
    /// Number of its SGEs.
    pub sges: Signal<In, Bits<8>>,
    /// High if its SGEs are in a list in host memory.
    pub indirect: Signal<In, Bit>,
    /// Address of its first SGE.
    pub sge_va: Signal<In, Bits<64>>,
    /// Bytes of its first SGE.
    pub sge_length: Signal<In, Bits<32>>,
    /// Service of the QP (`host::command::SERVICE_*`).
    pub service: Signal<In, Bits<3>>,
    /// QPN of the QP; counts for UD, as all that follows.
    pub qpn: Signal<In, Bits<24>>,
    /// Protection domain of the QP.
    pub pd: Signal<In, Bits<24>>,
    /// Active MTU of the port, a code of `protocol/pmtu.csv` from 1 to 5.
    pub mtu: Signal<In, Bits<3>>,
    /// Entry of the P_Key table that the WQE names; counts for QP0 and QP1.
    pub p_key_index: Signal<In, Bits<16>>,
    /// The address handle that the WQE names.
    pub handle: Signal<In, HandleRow>,

    /// High if acknowledged WQEs are completed.
    pub complete: Signal<Out, Bit>,
    /// High if posted WQEs end with WR_FLUSH_ERR.
    pub flush: Signal<Out, Bit>,
    /// High if the QP reports that it is in SQE.
    pub stop: Signal<Out, Bit>,
    /// High if the QP sleeps until something wakes it.
    pub closed: Signal<Out, Bit>,
    /// High if the QP sleeps until one of its packets is gone.
    pub crowded: Signal<Out, Bit>,
    /// High if the QP goes on at the oldest PSN that is not acknowledged.
    pub seek: Signal<Out, Bit>,
    /// High if a WQE ends in error for a local fault.
    pub refuse: Signal<Out, Bit>,
    /// High if the WQE of the next packet is bad.
    pub blame: Signal<Out, Bit>,
    /// High if the next packet is sent.
    pub emit: Signal<Out, Bit>,
    /// High for UD, if the message is longer than the MTU of the port.
    pub discards: Signal<Out, Bit>,
    /// High if the packet is the first of its message, the first time.
    pub begins: Signal<Out, Bit>,
    /// What the next packet carries.
    pub plan: Signal<Out, Plan>,
    /// Last PSN of the packet.
    pub packet_last: Signal<Out, Bits<24>>,
    /// Last PSN of its message.
    pub message_last: Signal<Out, Bits<24>>,
    /// Row after the packet was sent.
    pub sent: Signal<Out, RequesterRow>,
    /// Row after the WQE was found bad.
    pub bad: Signal<Out, RequesterRow>,
    /// Status of the completion of a bad WQE.
    pub status: Signal<Out, Bits<8>>,

    work: SendWork,
    standing: Standing,
    planner: RequestPlan,
    effect: TurnEffect,
    position: TurnPosition,
    gate: TurnGate,
    uc: UcRequest,
    ud: UdJudge,
    is_bad: Signal<Local, Bit>,
    bad_status: Signal<Local, Bits<8>>,
    span: Signal<Local, Bits<24>>,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for TurnOutcome {
    fn update(&mut self) {
        self.work.wqe.next = (bit_cast::<512, 8>(self.operation.val()) << 504)
            | (bit_cast::<512, 1>(self.indirect.val().into()) << 500)
            | (bit_cast::<512, 1>(self.fence.val().into()) << 498)
            | (bit_cast::<512, 8>(self.sges.val()) << 488)
            | (bit_cast::<512, 32>(self.length.val()) << 320)
            | (bit_cast::<512, 64>(self.sge_va.val()) << 192)
            | (bit_cast::<512, 32>(self.sge_length.val()) << 160);
        self.work.has_reads.next = self.resources.val().any();
        self.standing.state.next = self.row.val().state;
        self.standing.new_state.next = self.row.val().state;
        wires!(self.work, self.planner, operation, length);
        self.planner.offset.next = self.row.val().offset;
        self.planner.reach.next =
            bit_cast::<33, 32>(self.row.val().offset) + (bits::<33>(128) << self.pmtu.val());
        self.planner.pmtu.next = self.pmtu.val();
        inputs!(self.effect, row, pmtu);
        self.effect.gone.next = self.row.val().issued - self.leaving.val();
        inputs!(self.ud, service, pd, mtu, p_key_index, handle);
        self.ud.subnet.next = !self.qpn.val().any();
        self.ud.general.next = self.qpn.val() == 1;
        self.ud.port.next = false;
        wires!(self.work, self.ud, operation, bad_list, length);
        self.ud.plan.next = self.planner.plan.val();
        self.discards.next = self.ud.datagram.val() && self.ud.discards.val();
        inputs!(self.uc, service);
        wires!(self.work, self.uc, operation);
        self.uc.opcode.next = self.ud.own_plan.val().opcode;
        self.uc.ack_req.next = self.ud.own_plan.val().ack_req;
        self.is_bad.next = self.work.bad.val() || self.uc.lacks.val();
        self.bad_status.next = self.work.status.val();
        if self.uc.lacks.val() {
            self.bad_status.next = self.statuses.loc_qp_op_err.val();
        }
        if self.ud.datagram.val() {
            outputs!(self.ud, is_bad: bad, bad_status: status);
        }
        self.effect.plan.next = self.ud.own_plan.val();
        wires!(self.work, self.effect, is_read, is_atomic);
        // The requester expects no credits here.
        wires!(self.work, self.effect, is_send, consumes, length);
        self.effect.status.next = self.bad_status.val();
        self.effect.limited.next = false;
        inputs!(self.position, row, resources);
        inputs!(self.gate, row, posted, position: position.position);
        wires!(self.standing, self.gate, sends, continues);
        self.gate.any_leaving.next = self.leaving.val().any();
        self.gate.many_leaving.next = self.leaving.val() >= 32;
        // `uc.md` section 1: the fence has no effect.
        self.gate.fence.next = self.work.fence.val() && !self.uc.unreliable.val();
        self.gate.bad.next = self.is_bad.val();
        self.gate.takes_resource.next = self.work.is_read.val() || self.work.is_atomic.val();
        self.gate.stopped.next = false;
        self.span.next = self.position.position.val().ahead;
        if self.work.is_read.val() {
            self.span.next = self.position.position.val().ahead + self.planner.plan.val().psns;
        }
        self.gate.wide.next = self.span.val().get_bit(23);
        outputs!(self.gate, complete, flush, stop, closed, crowded, seek, refuse, blame, emit);
        outputs!(self.effect, begins, packet_last, message_last);
        self.plan.next = self.ud.own_plan.val();
        self.plan.next.opcode = self.uc.own_opcode.val();
        self.plan.next.ack_req = self.uc.own_ack_req.val();
        outputs!(self.effect, sent: sent_row, bad: bad_row);
        self.status.next = self.bad_status.val();
    }
}
