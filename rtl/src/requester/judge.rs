//! Judges an event whose context is complete.
use super::{
    EventKind, Plan, Position, RequestPlan, RequesterRow, ResponseForm, ResponsePlace, ResponseVerdict,
    SendWork, Standing, TurnPosition, UcRequest, UdJudge, Verdict,
};
use crate::completion::CqeStatuses;
use crate::context::{QpAttributes, QpConfig, QpLimits};
use crate::credit::CreditStanding;
use crate::datagram::HandleRow;
use crate::receive::ResponseArrival;
use hca_hdl::prelude::*;

/// Forms the next packet of a turn, and the verdict on a response. Pure function of an event's context.
#[derive(LogicBlock, Default)]
pub struct EventJudge {
    /// Kind of the event.
    pub kind: Signal<In, EventKind>,
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// `MODIFY_QP` arguments 0 to 13, 22 and 23.
    pub attributes: Signal<In, QpAttributes>,
    /// Bytes of the message up to the end of its next packet, if that is full.
    pub reach: Signal<In, Bits<33>>,
    /// WQE of the next packet or, for a response, of the oldest Read or atomic.
    pub wqe: Signal<In, Bits<512>>,
    /// The address handle that the WQE names, if the QP is one of UD.
    pub handle: Signal<In, HandleRow>,
    /// Active MTU of port 1, a code of `protocol/pmtu.csv` from 1 to 5; from bit 3 on that of port 2.
    pub port_mtus: Signal<In, Bits<6>>,
    /// The response, for a response event.
    pub arrival: Signal<In, ResponseArrival>,
    /// Region of the response's PSN.
    pub place: Signal<In, ResponsePlace>,
    /// Properties of the response.
    pub form: Signal<In, ResponseForm>,

    /// Place of the next packet among PSNs and messages.
    pub position: Signal<Out, Position>,
    /// The next packet.
    pub plan: Signal<Out, Plan>,
    /// High if the message is longer than the port's MTU: it takes a PSN and completes, and is not sent.
    pub discards: Signal<Out, Bit>,
    /// High if the WQE cannot be carried out.
    pub bad: Signal<Out, Bit>,
    /// Status of its completion if it is bad.
    pub status: Signal<Out, Bits<8>>,
    /// Meaning of the response.
    pub verdict: Signal<Out, Verdict>,
    /// High if a message that takes a receive WQE at the peer is limited when it starts: SSN > LSN.
    pub limited: Signal<Out, Bit>,
    /// High if a limited message has sent what it may ([`CreditStanding`]).
    pub stopped: Signal<Out, Bit>,
    /// High if memory has to be looked up for the response.
    pub walks: Signal<Out, Bit>,

    qp: Signal<Local, QpConfig>,
    limits: Signal<Local, QpLimits>,
    standing: Standing,
    work: SendWork,
    uc: UcRequest,
    ud: UdJudge,
    at: TurnPosition,
    planner: RequestPlan,
    judge: ResponseVerdict,
    credit: CreditStanding,
    statuses: CqeStatuses,
}

#[kernel]
impl Logic for EventJudge {
    fn update(&mut self) {
        self.qp.next = self.attributes.val().row;
        self.limits.next = self.attributes.val().limits;
        self.standing.state.next = self.row.val().state;
        self.standing.new_state.next = bits::<3>(0);
        self.at.row.next = self.row.val();
        self.at.resources.next = self.limits.val().max_rd_atomic;
        self.position.next = self.at.position.val();
        self.work.wqe.next = self.wqe.val();
        self.work.has_reads.next = self.limits.val().max_rd_atomic.any();
        self.uc.service.next = self.qp.val().service;
        self.uc.operation.next = self.work.operation.val();
        self.uc.opcode.next = bits::<8>(0);
        self.uc.ack_req.next = false;
        self.bad.next = self.work.bad.val() || self.uc.lacks.val();
        self.status.next = self.work.status.val();
        if self.uc.lacks.val() {
            self.status.next = self.statuses.loc_qp_op_err.val();
        }
        self.ud.service.next = self.qp.val().service;
        self.ud.subnet.next = self.qp.val().subnet;
        self.ud.general.next = self.qp.val().general;
        self.ud.port.next = self.qp.val().port;
        self.ud.mtu.next = self.port_mtus.val().get_bits::<3>(0);
        if self.qp.val().port {
            self.ud.mtu.next = self.port_mtus.val().get_bits::<3>(3);
        }
        self.ud.p_key_index.next = self.wqe.val().get_bits::<16>(304);
        self.ud.pd.next = self.limits.val().pd;
        wires!(self.work, self.ud, operation, bad_list, length);
        inputs!(self.ud, handle, plan: planner.plan);
        self.discards.next = self.ud.datagram.val() && self.ud.discards.val();
        if self.ud.datagram.val() {
            outputs!(self.ud, bad, status);
        }
        wires!(self.work, self.planner, operation, length);
        self.planner.offset.next = self.row.val().offset;
        self.planner.reach.next = self.reach.val();
        self.planner.pmtu.next = self.qp.val().pmtu;
        self.plan.next = self.ud.own_plan.val();

        self.credit.row.next = self.row.val();
        self.credit.expected.next = self.limits.val().expected;
        outputs!(self.credit, limited, stopped);

        inputs!(self.judge, row, place);
        self.judge.expected.next = self.limits.val().expected;
        // What was handed to the link in Error counts, for its message succeeds (`uc.md` section 2, completion).
        self.judge.takes.next = self.standing.continues.val()
            || (self.arrival.val().own && self.standing.failed.val() && !self.row.val().broken);
        self.judge.psn.next = self.arrival.val().psn;
        self.judge.form.next = self.form.val();
        self.verdict.next = self.judge.verdict.val();
        self.walks.next = (self.kind.val() == EventKind::Response)
            && ((self.judge.verdict.val().data && self.arrival.val().payload.any())
                || self.judge.verdict.val().atomic);
    }
}
