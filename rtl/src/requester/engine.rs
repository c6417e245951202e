//! The requester's events, one pipeline over its rows: read, fetch, judge, commit. Long because one kernel drives every
//! port.
use super::{
    GatherJob, Plan, RequestPlan, RequesterFields, RequesterReport, RequesterRow, ResponseEffect,
    ResponsePlace, ResponseRegion, ResponseVerdict, SeekStep, SendWork, Standing, TurnEffect, TurnGate,
    Verdict,
};
use crate::context::ConfigFields;
use crate::host::cqe;
use crate::primitive::{comment, dff_setup, BlockFifo, BlockRam, LutRam, Register};
use crate::receive::ResponseArrival;
use crate::transmit::TransmitPacket;
use rust_hdl_core::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum EngineState {
    /// After reset the rows are cleared, one a clock.
    Clear,
    Idle,
    /// The row is on its way.
    Read,
    /// The row is there, the WQE on its way.
    Fetch,
    Judge,
    /// A response's memory is looked up.
    Walk,
    Walking,
    /// It may not be written.
    Abort,
    Commit,
    /// WQEs are looked at for the oldest PSN.
    SeekRead,
    SeekCheck,
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum EventKind {
    Modify,
    /// The responder failed.
    Fail,
    /// The responder has reported that this side failed.
    Reported,
    /// A packet's memory may not be read.
    Fault,
    Timer,
    Response,
    Turn,
}

/// One event at a time, four clocks each, five if the QP sends; with a response's memory looked up some more.
///
/// `QB`: QP index bits; `RA` = `QB` + 4; `OA` = `QB` + 6.
#[derive(LogicBlock)]
pub struct RequesterEngine<const QB: usize, const RA: usize, const OA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub port_lid: Signal<In, Bits<16>>,

    /// `MODIFY_QP`; Reset is taken when nothing of the QP is under way.
    pub modify_valid: Signal<In, Bit>,
    pub modify_ready: Signal<Out, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_row: Signal<In, Bits<448>>,
    /// Arguments 22 and 23.
    pub modify_limits: Signal<In, Bits<64>>,

    /// The responder failed.
    pub fail_valid: Signal<In, Bit>,
    pub fail_ready: Signal<Out, Bit>,
    pub fail_index: Signal<In, Bits<QB>>,
    /// The responder has reported StateChanged.
    pub responder_failed_valid: Signal<In, Bit>,
    pub responder_failed_index: Signal<In, Bits<QB>>,
    /// The requester failed: for the responder.
    pub failed_valid: Signal<Out, Bit>,
    pub failed_ready: Signal<In, Bit>,
    pub failed_index: Signal<Out, Bits<QB>>,
    /// One pulse: StateChanged is reported here.
    pub state_error_valid: Signal<Out, Bit>,
    pub state_error_index: Signal<Out, Bits<QB>>,

    pub response_valid: Signal<In, Bit>,
    pub response_ready: Signal<Out, Bit>,
    pub response: Signal<In, ResponseArrival>,

    pub turn_valid: Signal<In, Bit>,
    pub turn_ready: Signal<Out, Bit>,
    pub turn_index: Signal<In, Bits<QB>>,
    pub wake_valid: Signal<Out, Bit>,
    pub wake_index: Signal<Out, Bits<QB>>,
    /// A packet of this QP left, and that was waited for.
    pub left_wake_valid: Signal<Out, Bit>,
    pub left_wake_index: Signal<Out, Bits<QB>>,
    /// The same of one that stayed behind.
    pub discarded_wake_valid: Signal<Out, Bit>,
    pub discarded_wake_index: Signal<Out, Bits<QB>>,

    /// WQEs of the QP at hand in the cache, and one of them a clock after its slot.
    pub index: Signal<Out, Bits<QB>>,
    pub arrived: Signal<In, Bits<16>>,
    pub read_slot: Signal<Out, Bits<6>>,
    pub wqe: Signal<In, Bits<512>>,

    pub set_valid: Signal<Out, Bit>,
    pub set_index: Signal<Out, Bits<QB>>,
    pub set_kind: Signal<Out, Bits<2>>,
    pub set_code: Signal<Out, Bits<5>>,
    pub expired_valid: Signal<In, Bit>,
    pub expired_ready: Signal<Out, Bit>,
    pub expired_index: Signal<In, Bits<QB>>,
    pub expired_kind: Signal<In, Bits<2>>,

    pub sent_valid: Signal<Out, Bit>,
    pub sent_wqe: Signal<Out, Bits<16>>,
    pub sent_psn: Signal<Out, Bits<24>>,
    pub sent_operation: Signal<Out, Bits<8>>,
    pub sent_signaled: Signal<Out, Bit>,
    pub sent_bytes: Signal<Out, Bits<32>>,
    pub message_valid: Signal<Out, Bit>,
    pub message_ready: Signal<In, Bit>,
    pub message_kind: Signal<Out, Bits<2>>,
    pub message_bound: Signal<Out, Bits<24>>,
    pub message_status: Signal<Out, Bits<8>>,
    pub message_fence: Signal<Out, Bits<16>>,
    /// Of the QP at hand.
    pub completer_idle: Signal<In, Bit>,

    pub job_valid: Signal<Out, Bit>,
    pub job_ready: Signal<In, Bit>,
    pub job: Signal<Out, GatherJob>,
    pub packet: Signal<Out, TransmitPacket>,
    pub fault_valid: Signal<In, Bit>,
    pub fault_ready: Signal<Out, Bit>,
    pub fault_kind: Signal<In, Bits<2>>,
    pub fault: Signal<In, GatherJob>,
    pub resume_valid: Signal<Out, Bit>,
    pub discarded_valid: Signal<In, Bit>,
    pub discarded_index: Signal<In, Bits<QB>>,
    pub discarded_count: Signal<In, Bits<8>>,

    pub start_valid: Signal<Out, Bit>,
    pub start_ready: Signal<In, Bit>,
    pub start_psn: Signal<Out, Bits<24>>,
    pub horizon: Signal<In, Bits<24>>,
    pub emitted_count: Signal<In, Bits<8>>,
    pub left_valid: Signal<In, Bit>,
    pub left_index: Signal<In, Bits<QB>>,
    pub left_queue_valid: Signal<In, Bit>,
    pub left_queue_ready: Signal<Out, Bit>,
    pub left_queue_index: Signal<In, Bits<QB>>,

    /// The walker of responses (right: local write); its pieces go to the piece queue.
    pub walk_valid: Signal<Out, Bit>,
    pub walk_ready: Signal<In, Bit>,
    pub walk_list: Signal<Out, Bits<256>>,
    pub walk_count: Signal<Out, Bits<8>>,
    pub walk_indirect: Signal<Out, Bit>,
    pub walk_offset: Signal<Out, Bits<32>>,
    pub walk_length: Signal<Out, Bits<13>>,
    pub walk_pd: Signal<Out, Bits<24>>,
    pub walk_done: Signal<In, Bit>,
    pub walk_fault: Signal<In, Bits<2>>,
    pub pieces_ready: Signal<In, Bit>,
    pub commit_valid: Signal<Out, Bit>,
    pub commit_kind: Signal<Out, Bits<2>>,
    pub abort_valid: Signal<Out, Bit>,
    /// Original value of an atomic, one for each commit of kind 1.
    pub original_valid: Signal<Out, Bit>,
    pub original_ready: Signal<In, Bit>,
    pub original: Signal<Out, Bits<64>>,

    /// One pulse: a packet was dropped.
    pub dropped: Signal<Out, Bit>,
    pub drop_reason: Signal<Out, Bits<8>>,
    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, Bits<96>>,
    pub fetched_valid: Signal<Out, Bit>,
    pub fetched_record: Signal<Out, Bits<96>>,

    state: Register<EngineState>,
    kind: Register<EventKind>,
    index_now: Register<Bits<QB>>,
    arrival: Register<ResponseArrival>,
    fault_now: Register<GatherJob>,
    fault_kind_now: Register<Bits<2>>,
    timer_kind: Register<Bits<2>>,
    responded_last: Register<Bit>,
    modify_waits: Register<Bit>,
    /// A packet of the QP at hand left since its row was read.
    left_since: Register<Bit>,
    /// Packets committed to memory, modulo 2^16.
    fence: Register<Bits<16>>,

    rows: BlockRam<339, QB>,
    configs: BlockRam<512, QB>,
    /// First PSN 24 | last PSN 24, by QP and WQE index modulo 64.
    spans: BlockRam<48, OA>,
    /// First PSN 24 | last PSN 24 | WQE 16 | length 32 | atomic 1.
    reads: BlockRam<97, RA>,
    /// The ack timer needs no start when a packet leaves.
    armed: LutRam<1, QB>,
    timeouts: LutRam<5, QB>,
    /// The QP sleeps until a packet of it has left.
    crowded: LutRam<1, QB>,
    reported: BlockFifo<QB, QB>,

    written: Register<Bit>,
    written_row: Register<Bits<339>>,
    row: Register<RequesterRow>,
    qp_row: Register<Bits<448>>,
    limits: Register<Bits<64>>,
    work_row: Register<Bits<512>>,
    place: Register<ResponsePlace>,
    following: Register<Bits<97>>,
    arrived_now: Register<Bits<16>>,
    posted: Register<Bit>,
    leaving: Register<Bits<8>>,
    verdict: Register<Verdict>,
    plan: Register<Plan>,
    bad: Register<Bit>,
    bad_status: Register<Bits<8>>,
    local_fault: Register<Bit>,
    seek_wqe: Register<Bits<16>>,

    fields: RequesterFields,
    qp: ConfigFields,
    modified: ConfigFields,
    standing: Standing,
    work: SendWork,
    planner: RequestPlan,
    gate: TurnGate,
    turn: TurnEffect,
    region: ResponseRegion,
    judge: ResponseVerdict,
    effect: ResponseEffect,
    seek: SeekStep,
    report: RequesterReport,

    free: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    sweeps: Signal<Local, Bit>,
    next_state: Signal<Local, EngineState>,
    looks_again: Signal<Local, Bit>,
    modify_fails: Signal<Local, Bit>,
    pick_index: Signal<Local, Bits<QB>>,
    next_index: Signal<Local, Bits<QB>>,
    new_row: Signal<Local, RequesterRow>,
    write_row: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    wakes: Signal<Local, Bit>,
    sets_timer: Signal<Local, Bit>,
    arms: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    messages: Signal<Local, Bit>,
    sinks_ready: Signal<Local, Bit>,
    is_response: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    sets_crowded: Signal<Local, Bit>,
    modifies: Signal<Local, Bit>,
    starts_wqe: Signal<Local, Bit>,
    last_sent: Signal<Local, Bits<24>>,
    fault_back: Signal<Local, Bits<32>>,
    cleared: Constant<RequesterRow>,
    message_advance: Constant<Bits<2>>,
    message_fail: Constant<Bits<2>>,
    message_flush: Constant<Bits<2>>,
    timer_stop: Constant<Bits<2>>,
    timer_ack: Constant<Bits<2>>,
    timer_rnr: Constant<Bits<2>>,
    loc_prot_err: Constant<Bits<8>>,
    loc_qp_op_err: Constant<Bits<8>>,
}

fn two(value: u8) -> Constant<Bits<2>> {
    Constant::new((value as usize).to_bits())
}

fn status(value: u8) -> Constant<Bits<8>> {
    Constant::new((value as usize).to_bits())
}

impl<const QB: usize, const RA: usize, const OA: usize> Default for RequesterEngine<QB, RA, OA> {
    fn default() -> Self {
        assert_eq!(RA, QB + 4);
        assert_eq!(OA, QB + crate::host::command::MAX_SQ_LOG_SIZE as usize);
        RequesterEngine {
            clock: Default::default(),
            reset: Default::default(),
            port_lid: Default::default(),
            modify_valid: Default::default(),
            modify_ready: Default::default(),
            modify_index: Default::default(),
            modify_row: Default::default(),
            modify_limits: Default::default(),
            fail_valid: Default::default(),
            fail_ready: Default::default(),
            fail_index: Default::default(),
            responder_failed_valid: Default::default(),
            responder_failed_index: Default::default(),
            failed_valid: Default::default(),
            failed_ready: Default::default(),
            failed_index: Default::default(),
            state_error_valid: Default::default(),
            state_error_index: Default::default(),
            response_valid: Default::default(),
            response_ready: Default::default(),
            response: Default::default(),
            turn_valid: Default::default(),
            turn_ready: Default::default(),
            turn_index: Default::default(),
            wake_valid: Default::default(),
            wake_index: Default::default(),
            left_wake_valid: Default::default(),
            left_wake_index: Default::default(),
            discarded_wake_valid: Default::default(),
            discarded_wake_index: Default::default(),
            index: Default::default(),
            arrived: Default::default(),
            read_slot: Default::default(),
            wqe: Default::default(),
            set_valid: Default::default(),
            set_index: Default::default(),
            set_kind: Default::default(),
            set_code: Default::default(),
            expired_valid: Default::default(),
            expired_ready: Default::default(),
            expired_index: Default::default(),
            expired_kind: Default::default(),
            sent_valid: Default::default(),
            sent_wqe: Default::default(),
            sent_psn: Default::default(),
            sent_operation: Default::default(),
            sent_signaled: Default::default(),
            sent_bytes: Default::default(),
            message_valid: Default::default(),
            message_ready: Default::default(),
            message_kind: Default::default(),
            message_bound: Default::default(),
            message_status: Default::default(),
            message_fence: Default::default(),
            completer_idle: Default::default(),
            job_valid: Default::default(),
            job_ready: Default::default(),
            job: Default::default(),
            packet: Default::default(),
            fault_valid: Default::default(),
            fault_ready: Default::default(),
            fault_kind: Default::default(),
            fault: Default::default(),
            resume_valid: Default::default(),
            discarded_valid: Default::default(),
            discarded_index: Default::default(),
            discarded_count: Default::default(),
            start_valid: Default::default(),
            start_ready: Default::default(),
            start_psn: Default::default(),
            horizon: Default::default(),
            emitted_count: Default::default(),
            left_valid: Default::default(),
            left_index: Default::default(),
            left_queue_valid: Default::default(),
            left_queue_ready: Default::default(),
            left_queue_index: Default::default(),
            walk_valid: Default::default(),
            walk_ready: Default::default(),
            walk_list: Default::default(),
            walk_count: Default::default(),
            walk_indirect: Default::default(),
            walk_offset: Default::default(),
            walk_length: Default::default(),
            walk_pd: Default::default(),
            walk_done: Default::default(),
            walk_fault: Default::default(),
            pieces_ready: Default::default(),
            commit_valid: Default::default(),
            commit_kind: Default::default(),
            abort_valid: Default::default(),
            original_valid: Default::default(),
            original_ready: Default::default(),
            original: Default::default(),
            dropped: Default::default(),
            drop_reason: Default::default(),
            retire_valid: Default::default(),
            retire_record: Default::default(),
            fetched_valid: Default::default(),
            fetched_record: Default::default(),
            state: Default::default(),
            kind: Default::default(),
            index_now: Default::default(),
            arrival: Default::default(),
            fault_now: Default::default(),
            fault_kind_now: Default::default(),
            timer_kind: Default::default(),
            responded_last: Default::default(),
            modify_waits: Default::default(),
            left_since: Default::default(),
            fence: Default::default(),
            rows: Default::default(),
            configs: Default::default(),
            spans: Default::default(),
            reads: Default::default(),
            armed: Default::default(),
            timeouts: Default::default(),
            crowded: Default::default(),
            reported: Default::default(),
            written: Default::default(),
            written_row: Default::default(),
            row: Default::default(),
            qp_row: Default::default(),
            limits: Default::default(),
            work_row: Default::default(),
            place: Default::default(),
            following: Default::default(),
            arrived_now: Default::default(),
            posted: Default::default(),
            leaving: Default::default(),
            verdict: Default::default(),
            plan: Default::default(),
            bad: Default::default(),
            bad_status: Default::default(),
            local_fault: Default::default(),
            seek_wqe: Default::default(),
            fields: Default::default(),
            qp: Default::default(),
            modified: Default::default(),
            standing: Default::default(),
            work: Default::default(),
            planner: Default::default(),
            gate: Default::default(),
            turn: Default::default(),
            region: Default::default(),
            judge: Default::default(),
            effect: Default::default(),
            seek: Default::default(),
            report: Default::default(),
            free: Default::default(),
            done: Default::default(),
            sweeps: Default::default(),
            next_state: Default::default(),
            looks_again: Default::default(),
            modify_fails: Default::default(),
            pick_index: Default::default(),
            next_index: Default::default(),
            new_row: Default::default(),
            write_row: Default::default(),
            clears: Default::default(),
            wakes: Default::default(),
            sets_timer: Default::default(),
            arms: Default::default(),
            fails: Default::default(),
            messages: Default::default(),
            sinks_ready: Default::default(),
            is_response: Default::default(),
            taken: Default::default(),
            moves: Default::default(),
            sets_crowded: Default::default(),
            modifies: Default::default(),
            starts_wqe: Default::default(),
            last_sent: Default::default(),
            fault_back: Default::default(),
            cleared: Constant::new(RequesterRow::default()),
            message_advance: two(0),
            message_fail: two(1),
            message_flush: two(2),
            timer_stop: two(0),
            timer_ack: two(1),
            timer_rnr: two(2),
            loc_prot_err: status(cqe::LOC_PROT_ERR),
            loc_qp_op_err: status(cqe::LOC_QP_OP_ERR),
        }
    }
}

impl<const QB: usize, const RA: usize, const OA: usize> Logic for RequesterEngine<QB, RA, OA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module requester_engine");
        dff_setup!(
            self,
            clock,
            state,
            kind,
            index_now,
            arrival,
            fault_now,
            fault_kind_now,
            timer_kind,
            responded_last,
            modify_waits,
            left_since,
            fence,
            written,
            written_row,
            row,
            qp_row,
            limits,
            work_row,
            place,
            following,
            arrived_now,
            posted,
            leaving,
            verdict,
            plan,
            bad,
            bad_status,
            local_fault,
            seek_wqe
        );
        self.rows.clock.next = self.clock.val();
        self.configs.clock.next = self.clock.val();
        self.spans.clock.next = self.clock.val();
        self.reads.clock.next = self.clock.val();
        self.armed.clock.next = self.clock.val();
        self.timeouts.clock.next = self.clock.val();
        self.crowded.clock.next = self.clock.val();
        self.reported.clock.next = self.clock.val();
        self.reported.reset.next = self.reset.val();

        // Read: the row, forwarded if the event before has just written it.
        self.index.next = self.index_now.q.val();
        self.fields.bits.next = self.rows.read_data.val();
        if self.written.q.val() {
            self.fields.bits.next = self.written_row.q.val();
        }
        self.read_slot.next = self.fields.row.val().current.get_bits::<6>(0);
        if self.kind.q.val() == EventKind::Response {
            self.read_slot.next = self.fields.row.val().read_wqe.get_bits::<6>(0);
        }
        self.reads.read_address.next = (bit_cast::<RA, QB>(self.index_now.q.val()) << 4)
            | bit_cast::<RA, 4>(self.fields.row.val().read_head + 1);

        // Fetch.
        self.qp.row.next = self.qp_row.q.val();
        self.modified.row.next = self.modify_row.val();
        self.standing.state.next = self.row.q.val().state;
        self.standing.new_state.next = self.modified.state.val();
        self.region.row.next = self.row.q.val();
        self.region.horizon.next = self.horizon.val();
        self.region.psn.next = self.arrival.q.val().psn;

        // Judge.
        self.work.wqe.next = self.work_row.q.val();
        self.work.has_reads.next = self.limits.q.val().get_bits::<5>(32).any();
        self.planner.operation.next = self.work.operation.val();
        self.planner.offset.next = self.row.q.val().offset;
        self.planner.length.next = self.work.length.val();
        self.planner.pmtu.next = self.qp.pmtu.val();
        self.judge.row.next = self.row.q.val();
        self.judge.place.next = self.place.q.val();
        self.judge.takes.next = self.standing.continues.val();
        self.judge.pmtu.next = self.qp.pmtu.val();
        self.judge.opcode.next = self.arrival.q.val().opcode;
        self.judge.psn.next = self.arrival.q.val().psn;
        self.judge.syndrome.next = self.arrival.q.val().syndrome;
        self.judge.payload.next = self.arrival.q.val().payload;
        self.judge.refused.next = self.arrival.q.val().drop;
        self.judge.refused_reason.next = self.arrival.q.val().drop_reason;

        self.walk_valid.next = false;
        self.walk_list.next = self.work.list.val();
        self.walk_count.next = self.work.count.val();
        self.walk_indirect.next = self.work.indirect.val();
        self.walk_offset.next = self.verdict.q.val().offset;
        self.walk_length.next = self.arrival.q.val().payload;
        if self.verdict.q.val().atomic {
            self.walk_offset.next = bits::<32>(0);
            self.walk_length.next = bits::<13>(8);
        }
        self.walk_pd.next = self.limits.q.val().get_bits::<24>(0);
        self.abort_valid.next = false;

        // Commit of a turn.
        self.turn.row.next = self.row.q.val();
        self.turn.plan.next = self.plan.q.val();
        self.turn.pmtu.next = self.qp.pmtu.val();
        self.turn.is_read.next = self.work.is_read.val();
        self.turn.is_atomic.next = self.work.is_atomic.val();
        self.turn.length.next = self.work.length.val();
        self.turn.status.next = self.bad_status.q.val();
        self.gate.row.next = self.row.q.val();
        self.gate.sends.next = self.standing.sends.val();
        self.gate.continues.next = self.standing.continues.val();
        self.gate.leaving.next = self.leaving.q.val();
        self.gate.posted.next = self.posted.q.val();
        self.gate.fence.next = self.work.fence.val();
        self.gate.takes_resource.next = self.work.is_read.val() || self.work.is_atomic.val();
        self.gate.bad.next = self.bad.q.val();
        self.gate.last_psn.next = self.turn.packet_last.val();
        self.gate.resources.next = self.limits.q.val().get_bits::<5>(32);

        self.job.next.index = bit_cast::<16, QB>(self.index_now.q.val());
        self.job.next.wqe = self.row.q.val().current;
        self.job.next.offset = self.row.q.val().offset;
        self.job.next.length = self.plan.q.val().payload;
        self.job.next.psn = self.row.q.val().psn;
        self.job.next.next_psn = self.turn.packet_last.val() + 1;
        self.job.next.pd = self.limits.q.val().get_bits::<24>(0);
        self.job.next.count = self.work.count.val();
        self.job.next.indirect = self.work.indirect.val();
        self.job.next.unchecked = self.work.inline.val();
        self.job.next.list = self.work.list.val();
        self.packet.next.kind = bits::<2>(0);
        self.packet.next.last = false;
        self.packet.next.qpn = self.qp.qpn.val();
        self.packet.next.dlid = self.qp.dlid.val();
        self.packet.next.slid = self.port_lid.val() + bit_cast::<16, 7>(self.qp.path_bits.val());
        self.packet.next.sl = self.qp.sl.val();
        self.packet.next.opcode = self.plan.q.val().opcode;
        self.packet.next.solicited = self.plan.q.val().may_solicit && self.work.solicited.val();
        self.packet.next.p_key = self.qp.p_key.val();
        self.packet.next.dest_qp = self.qp.dest_qpn.val();
        self.packet.next.ack_req = self.plan.q.val().ack_req;
        self.packet.next.psn = self.row.q.val().psn;
        self.packet.next.va = self.work.va.val();
        self.packet.next.r_key = self.work.r_key.val();
        if self.work.is_read.val() {
            self.packet.next.va = self.work.va.val() + bit_cast::<64, 32>(self.row.q.val().offset);
        }
        // Send last and only with invalidate: the IETH.
        if (self.plan.q.val().opcode == 0x16) || (self.plan.q.val().opcode == 0x17) {
            self.packet.next.r_key = self.work.immediate.val();
        }
        self.packet.next.dma_len = self.plan.q.val().dma_len;
        self.packet.next.swap_add = self.work.swap_add.val();
        self.packet.next.compare = self.work.compare.val();
        self.packet.next.syndrome = bits::<8>(0);
        self.packet.next.msn = bits::<24>(0);
        self.packet.next.original = bits::<64>(0);
        self.packet.next.immediate = self.work.immediate.val();
        self.packet.next.payload = self.plan.q.val().payload;
        self.job_valid.next = false;

        // Commit of a response, or of an ack timeout. The PSNs sent are looked at now: packets leave meanwhile.
        self.effect.row.next = self.row.q.val();
        self.effect.horizon.next = self.horizon.val();
        self.effect.retry_count.next = self.qp_row.q.val().get_bits::<3>(16);
        self.effect.rnr_retry_count.next = self.qp_row.q.val().get_bits::<3>(24);
        self.effect.ack.next = self.verdict.q.val().ack;
        self.effect.data.next = self.verdict.q.val().data && !self.local_fault.q.val();
        self.effect.atomic.next = self.verdict.q.val().atomic && !self.local_fault.q.val();
        self.effect.ends.next = self.verdict.q.val().ends;
        self.effect.lost.next = self.verdict.q.val().lost;
        self.effect.sequence_nak.next = self.verdict.q.val().sequence_nak;
        self.effect.rnr_nak.next = self.verdict.q.val().rnr_nak;
        self.effect.fatal.next = self.verdict.q.val().fatal || self.local_fault.q.val();
        self.effect.fatal_status.next = self.verdict.q.val().fatal_status;
        self.effect.timeout.next = false;
        self.effect.bound.next = self.verdict.q.val().bound;
        if self.local_fault.q.val() {
            self.effect.fatal_status.next = self.loc_prot_err.val();
            self.effect.bound.next = self.arrival.q.val().psn;
        }
        if self.kind.q.val() == EventKind::Timer {
            self.effect.ack.next = false;
            self.effect.data.next = false;
            self.effect.atomic.next = false;
            self.effect.lost.next = false;
            self.effect.sequence_nak.next = false;
            self.effect.rnr_nak.next = false;
            self.effect.fatal.next = false;
            self.effect.timeout.next = true;
            self.effect.bound.next = self.row.q.val().una;
        }
        self.effect.following.next = self.following.q.val();

        self.seek.row.next = self.row.q.val();
        self.seek.wqe.next = self.seek_wqe.q.val();
        self.seek.first.next = self.spans.read_data.val().get_bits::<24>(24);
        self.seek.last.next = self.spans.read_data.val().get_bits::<24>(0);
        self.seek.pmtu.next = self.qp.pmtu.val();
        self.spans.read_address.next = (bit_cast::<OA, QB>(self.index_now.q.val()) << 6)
            | bit_cast::<OA, 6>(self.seek_wqe.q.val().get_bits::<6>(0));

        // Nothing happens unless an event says so below.
        self.done.next = false;
        self.next_state.next = self.state.q.val();
        self.looks_again.next = false;
        self.modify_fails.next = false;
        self.sweeps.next = false;
        self.new_row.next = self.row.q.val();
        self.write_row.next = false;
        self.clears.next = false;
        self.wakes.next = false;
        self.sets_timer.next = false;
        self.arms.next = true;
        self.set_kind.next = self.timer_stop.val();
        self.set_code.next = self.qp_row.q.val().get_bits::<5>(8);
        self.fails.next = false;
        self.messages.next = false;
        self.message_kind.next = self.message_advance.val();
        self.message_bound.next = self.effect.bound.val();
        self.message_status.next = self.effect.status.val();
        self.message_fence.next = self.fence.q.val();
        self.taken.next = false;
        self.moves.next = false;
        self.sets_crowded.next = false;
        self.crowded.write_data.next = bits::<1>(0);
        self.modifies.next = false;
        self.starts_wqe.next = false;
        self.start_valid.next = false;
        self.start_psn.next = self.modified.sq_psn.val();
        self.modify_ready.next = false;
        self.resume_valid.next = false;
        self.state_error_valid.next = false;
        self.commit_valid.next = false;
        self.commit_kind.next = bits::<2>(0);
        self.original_valid.next = false;
        self.dropped.next = false;
        self.report.accepted.next = false;
        self.report.dropped.next = false;
        self.report.refused.next = false;
        self.report.expired.next = false;
        self.report.rewound.next = false;
        self.report.changed.next = false;
        self.report.qpn.next = self.qp.qpn.val();
        self.report.psn.next = self.arrival.q.val().psn;
        self.report.code.next = bits::<8>(0);
        self.report.number.next = self.arrival.q.val().packet;
        self.sinks_ready.next = self.message_ready.val() && self.failed_ready.val();
        self.is_response.next = self.kind.q.val() == EventKind::Response;
        self.fault_back.next =
            self.fault_now.q.val().offset >> (bits::<5>(7) + bit_cast::<5, 3>(self.qp.pmtu.val()));

        match self.state.q.val() {
            EngineState::Clear => {
                self.clears.next = true;
                self.write_row.next = true;
                self.resume_valid.next = true;
                self.sets_timer.next = true;
                self.arms.next = false;
                self.new_row.next = self.cleared.val();
                self.new_row.next.issued = self.emitted_count.val() + self.discarded_count.val();
                self.sweeps.next = true;
                if self.index_now.q.val().all() {
                    self.next_state.next = EngineState::Idle;
                }
            }
            EngineState::Idle => {
                self.done.next = true;
            }
            EngineState::Read => {
                self.next_state.next = EngineState::Fetch;
            }
            EngineState::Fetch => {
                self.next_state.next = EngineState::Judge;
            }
            EngineState::Judge => {
                self.local_fault.d.next = false;
                self.next_state.next = EngineState::Commit;
                if self.is_response.val()
                    && ((self.judge.verdict.val().data && self.arrival.q.val().payload.any())
                        || self.judge.verdict.val().atomic)
                {
                    self.next_state.next = EngineState::Walk;
                }
            }
            EngineState::Walk => {
                self.walk_valid.next = self.pieces_ready.val();
                if self.walk_ready.val() && self.pieces_ready.val() {
                    self.next_state.next = EngineState::Walking;
                }
            }
            EngineState::Walking => {
                if self.walk_done.val() {
                    self.local_fault.d.next = self.walk_fault.val().any();
                    self.next_state.next = EngineState::Commit;
                    if self.walk_fault.val().any() {
                        self.next_state.next = EngineState::Abort;
                    }
                }
            }
            EngineState::Abort => {
                self.abort_valid.next = true;
                self.next_state.next = EngineState::Commit;
            }
            EngineState::Commit => match self.kind.q.val() {
                EventKind::Modify => {
                    // Others go first while something of the QP is under way.
                    self.modify_fails.next = true;
                    self.done.next = true;
                    self.start_valid.next = self.standing.starts.val();
                    if (!self.standing.new_is_reset.val()
                        || (!self.leaving.q.val().any() && self.completer_idle.val()))
                        && (!self.standing.starts.val() || self.start_ready.val())
                    {
                        self.modifies.next = true;
                        self.modify_ready.next = true;
                        self.modify_fails.next = false;
                        self.write_row.next = true;
                        self.wakes.next = true;
                        // A failure that the command crossed stands.
                        if !self.standing.failed.val() {
                            self.new_row.next.state = self.modified.state.val();
                        }
                        if self.standing.new_is_reset.val() {
                            self.new_row.next = self.cleared.val();
                            self.new_row.next.issued = self.row.q.val().issued;
                            self.resume_valid.next = true;
                            self.sets_timer.next = true;
                            self.arms.next = false;
                            self.sets_crowded.next = true;
                        }
                        if self.standing.starts.val() {
                            self.new_row.next.una = self.modified.sq_psn.val();
                            self.new_row.next.psn = self.modified.sq_psn.val();
                            self.new_row.next.start = self.modified.sq_psn.val();
                            self.new_row.next.retries = self.modify_row.val().get_bits::<3>(16);
                            self.new_row.next.rnr_retries = self.modify_row.val().get_bits::<3>(24);
                        }
                        if self.standing.new_is_error.val() {
                            self.new_row.next.flushing = true;
                            self.sets_timer.next = true;
                        }
                    }
                }
                EventKind::Fail => {
                    self.done.next = true;
                    if !self.standing.dormant.val() && !self.row.q.val().flushing {
                        self.write_row.next = true;
                        self.new_row.next.state = self.standing.error.val();
                        self.new_row.next.flushing = true;
                        self.wakes.next = true;
                        self.sets_timer.next = true;
                        self.report.changed.next = true;
                        self.state_error_valid.next = true;
                    }
                }
                EventKind::Reported => {
                    self.done.next = true;
                    if self.standing.failed.val() {
                        self.write_row.next = true;
                        self.new_row.next.flushing = true;
                        self.wakes.next = true;
                    }
                }
                EventKind::Fault => {
                    // Section 8: the next packet is the one that could not be read.
                    self.done.next = true;
                    self.write_row.next = true;
                    self.wakes.next = true;
                    self.new_row.next.current = self.fault_now.q.val().wqe;
                    self.new_row.next.offset = self.fault_now.q.val().offset;
                    self.new_row.next.psn = self.fault_now.q.val().psn;
                    self.new_row.next.refused = true;
                    self.new_row.next.refused_first =
                        self.fault_now.q.val().psn - bit_cast::<24, 32>(self.fault_back.val());
                    self.new_row.next.refused_wqe = self.fault_now.q.val().wqe;
                    self.new_row.next.refused_status = self.loc_prot_err.val();
                    if self.fault_kind_now.q.val() == 1 {
                        self.new_row.next.refused_status = self.loc_qp_op_err.val();
                    }
                }
                EventKind::Timer => {
                    self.report.psn.next = self.row.q.val().una;
                    if self.timer_kind.q.val() == self.timer_rnr.val() {
                        self.done.next = true;
                        self.write_row.next = true;
                        self.wakes.next = true;
                        self.new_row.next.waiting = false;
                    } else if !self.standing.continues.val() || self.row.q.val().rewinding {
                        self.done.next = true;
                    } else if self.row.q.val().una == self.horizon.val() {
                        // Nothing is outstanding any more.
                        self.done.next = true;
                        self.sets_timer.next = true;
                        self.arms.next = false;
                    } else if self.sinks_ready.val() {
                        self.done.next = true;
                        self.write_row.next = true;
                        self.wakes.next = true;
                        self.new_row.next = self.effect.new_row.val();
                        self.report.expired.next = true;
                        self.fails.next = self.effect.fails.val();
                        self.messages.next = self.effect.fails.val();
                        self.sets_timer.next = true;
                    }
                }
                EventKind::Response => {
                    self.report.code.next = self.arrival.q.val().syndrome;
                    if self.arrival.q.val().opcode == 0x0E {
                        self.report.code.next = bits::<8>(0);
                    }
                    if self.verdict.q.val().drop {
                        self.report.code.next = self.verdict.q.val().drop_reason;
                        if self.place.q.val().ghost && self.left_since.q.val() {
                            // A packet left meanwhile: it may be what is answered.
                            self.looks_again.next = true;
                            self.next_state.next = EngineState::Fetch;
                        } else if self.pieces_ready.val() {
                            self.done.next = true;
                            self.taken.next = true;
                            self.dropped.next = true;
                            self.report.dropped.next = true;
                        }
                    } else if self.sinks_ready.val() && self.pieces_ready.val() && self.original_ready.val() {
                        self.done.next = true;
                        self.taken.next = true;
                        self.report.accepted.next = true;
                        self.write_row.next = true;
                        self.wakes.next = true;
                        self.new_row.next = self.effect.new_row.val();
                        self.fails.next = self.effect.fails.val();
                        self.messages.next = self.effect.progress.val() || self.effect.fails.val();
                        self.message_fence.next = self.fence.q.val() + 1;
                        self.sets_timer.next = self.effect.sets_timer.val();
                        self.arms.next = self.effect.fails.val()
                            || self.effect.waits.val()
                            || (self.effect.bound.val() != self.horizon.val());
                        if self.effect.runs.val() {
                            self.set_kind.next = self.timer_ack.val();
                        }
                        if self.effect.waits.val() {
                            self.set_kind.next = self.timer_rnr.val();
                            self.set_code.next = self.arrival.q.val().syndrome.get_bits::<5>(0);
                        }
                        if self.effect.atomic.val() {
                            self.commit_kind.next = bits::<2>(1);
                            self.original_valid.next = true;
                        }
                    }
                }
                EventKind::Turn => {
                    self.sets_crowded.next = true;
                    self.report.number.next = bit_cast::<32, 16>(self.row.q.val().current);
                    if self.gate.flush.val() {
                        self.message_kind.next = self.message_flush.val();
                        self.messages.next = self.sinks_ready.val();
                        self.done.next = self.sinks_ready.val();
                    }
                    if self.gate.closed.val() {
                        self.done.next = true;
                    }
                    if self.gate.crowded.val() {
                        self.done.next = true;
                        self.crowded.write_data.next = bits::<1>(1);
                    }
                    if self.gate.seek.val() {
                        self.seek_wqe.d.next = self.row.q.val().current;
                        if self.turn.begins.val() {
                            self.seek_wqe.d.next = self.row.q.val().current - 1;
                        }
                        self.next_state.next = EngineState::SeekRead;
                    }
                    if self.gate.refuse.val() {
                        self.message_bound.next = self.row.q.val().refused_first;
                        self.message_status.next = self.row.q.val().refused_status;
                        self.report.number.next = bit_cast::<32, 16>(self.row.q.val().refused_wqe);
                        self.report.code.next = self.row.q.val().refused_status;
                        self.report.psn.next = bits::<24>(0);
                        if self.sinks_ready.val() {
                            self.done.next = true;
                            self.write_row.next = true;
                            self.messages.next = true;
                            self.fails.next = true;
                            self.sets_timer.next = true;
                            self.report.refused.next = true;
                        }
                    }
                    if self.gate.blame.val() {
                        self.done.next = true;
                        self.write_row.next = true;
                        self.wakes.next = true;
                        self.new_row.next = self.turn.bad_row.val();
                        self.starts_wqe.next = self.turn.begins.val();
                    }
                    if self.gate.emit.val() && self.job_ready.val() {
                        self.done.next = true;
                        self.write_row.next = true;
                        self.wakes.next = true;
                        self.new_row.next = self.turn.sent_row.val();
                        self.job_valid.next = true;
                        self.starts_wqe.next = self.turn.begins.val();
                    }
                }
            },
            EngineState::SeekRead => {
                self.next_state.next = EngineState::SeekCheck;
            }
            EngineState::SeekCheck => {
                self.next_state.next = EngineState::SeekRead;
                if self.seek.back.val() {
                    self.seek_wqe.d.next = self.seek_wqe.q.val() - 1;
                }
                if self.seek.ahead.val() {
                    self.seek_wqe.d.next = self.seek_wqe.q.val() + 1;
                }
                if self.seek.found.val() {
                    self.done.next = true;
                    self.write_row.next = true;
                    self.wakes.next = true;
                    self.new_row.next = self.seek.new_row.val();
                    self.resume_valid.next = !self.leaving.q.val().any();
                    self.report.rewound.next = self.row.q.val().rewinding;
                    self.report.psn.next = self.row.q.val().una;
                    self.report.code.next = bit_cast::<8, 2>(self.row.q.val().cause);
                    self.report.number.next = bits::<32>(0);
                    self.sets_timer.next = self.row.q.val().rewinding;
                    self.set_kind.next = self.timer_ack.val();
                }
            }
        }
        if self.fails.val() {
            self.message_kind.next = self.message_fail.val();
            self.new_row.next.state = self.standing.error.val();
        }
        self.message_valid.next = self.messages.val();
        self.failed_valid.next = self.fails.val();
        self.failed_index.next = self.index_now.q.val();
        self.state_error_index.next = self.index_now.q.val();
        self.retire_valid.next = self.report.valid.val();
        self.retire_record.next = self.report.record.val();
        self.drop_reason.next = self.verdict.q.val().drop_reason;
        self.original.next = self.arrival.q.val().original;
        if self.taken.val() {
            self.commit_valid.next = true;
            self.fence.d.next = self.fence.q.val() + 1;
        }

        // A WQE starts.
        self.fetched_valid.next = self.starts_wqe.val();
        self.fetched_record.next = self.report.fetched_record.val();
        self.sent_valid.next = self.starts_wqe.val();
        self.sent_wqe.next = self.row.q.val().current;
        // Nothing of a bad one is sent.
        self.last_sent.next = self.turn.message_last.val();
        if self.bad.q.val() {
            self.last_sent.next = self.row.q.val().psn;
        }
        self.sent_psn.next = self.last_sent.val();
        self.sent_operation.next = self.work.operation.val();
        self.sent_signaled.next = self.work.signaled.val();
        // What came: nothing for a Send or a Write (`qp_cq.md` section 4).
        self.sent_bytes.next = bits::<32>(0);
        if self.work.is_read.val() || self.work.is_atomic.val() {
            self.sent_bytes.next = self.work.length.val();
        }
        self.spans.write_enable.next = self.starts_wqe.val();
        self.spans.write_address.next = (bit_cast::<OA, QB>(self.index_now.q.val()) << 6)
            | bit_cast::<OA, 6>(self.row.q.val().current.get_bits::<6>(0));
        self.spans.write_data.next =
            (bit_cast::<48, 24>(self.row.q.val().psn) << 24) | bit_cast::<48, 24>(self.last_sent.val());
        self.reads.write_enable.next = self.starts_wqe.val();
        self.reads.write_address.next =
            (bit_cast::<RA, QB>(self.index_now.q.val()) << 4) | bit_cast::<RA, 4>(self.turn.read_slot.val());
        self.reads.write_data.next = (bit_cast::<97, 24>(self.row.q.val().psn) << 73)
            | (bit_cast::<97, 24>(self.turn.message_last.val()) << 49)
            | (bit_cast::<97, 16>(self.row.q.val().current) << 33)
            | (bit_cast::<97, 32>(self.work.length.val()) << 1)
            | bit_cast::<97, 1>(self.work.is_atomic.val().into());

        // The next event.
        self.free.next = self.done.val() && !self.modifies.val();
        self.pick_index.next = self.turn_index.val();
        self.next_index.next = self.index_now.q.val();
        if self.sweeps.val() {
            self.next_index.next = self.index_now.q.val() + 1;
        }
        self.fail_ready.next = false;
        self.reported.read_ready.next = false;
        self.fault_ready.next = false;
        self.expired_ready.next = false;
        self.response_ready.next = false;
        self.turn_ready.next = false;
        self.state.d.next = self.next_state.val();
        if self.left_valid.val() && (self.left_index.val() == self.index_now.q.val()) {
            self.left_since.d.next = true;
        }
        if self.looks_again.val() {
            self.left_since.d.next = false;
        }
        if self.modify_fails.val() {
            self.modify_waits.d.next = true;
        }
        if self.done.val() {
            self.state.d.next = EngineState::Idle;
        }
        if self.free.val() {
            self.left_since.d.next = false;
            self.state.d.next = EngineState::Read;
            if self.modify_valid.val() && !self.modify_waits.q.val() && !self.modify_fails.val() {
                self.kind.d.next = EventKind::Modify;
                self.pick_index.next = self.modify_index.val();
            } else if self.fail_valid.val() {
                self.kind.d.next = EventKind::Fail;
                self.pick_index.next = self.fail_index.val();
                self.fail_ready.next = true;
            } else if self.reported.read_valid.val() {
                self.kind.d.next = EventKind::Reported;
                self.pick_index.next = self.reported.read_data.val();
                self.reported.read_ready.next = true;
            } else if self.fault_valid.val() {
                self.kind.d.next = EventKind::Fault;
                self.pick_index.next = self.fault.val().index.get_bits::<QB>(0);
                self.fault_ready.next = true;
            } else if self.expired_valid.val() {
                self.kind.d.next = EventKind::Timer;
                self.pick_index.next = self.expired_index.val();
                self.expired_ready.next = true;
            } else if self.response_valid.val()
                && (!self.responded_last.q.val() || !self.turn_valid.val() || !self.job_ready.val())
            {
                self.kind.d.next = EventKind::Response;
                self.pick_index.next = self.response.val().dest_qp.get_bits::<QB>(0);
                self.response_ready.next = true;
                self.responded_last.d.next = true;
            } else if self.turn_valid.val() && self.job_ready.val() {
                self.kind.d.next = EventKind::Turn;
                self.turn_ready.next = true;
                self.responded_last.d.next = false;
            } else {
                self.state.d.next = EngineState::Idle;
            }
            if !self.modify_fails.val() {
                self.modify_waits.d.next = false;
            }
            self.next_index.next = self.pick_index.val();
            self.arrival.d.next = self.response.val();
            self.fault_now.d.next = self.fault.val();
            self.fault_kind_now.d.next = self.fault_kind.val();
            self.timer_kind.d.next = self.expired_kind.val();
        }
        self.reported.write_valid.next = self.responder_failed_valid.val();
        self.reported.write_data.next = self.responder_failed_index.val();

        // Rows.
        self.index_now.d.next = self.next_index.val();
        self.rows.read_address.next = self.next_index.val();
        self.configs.read_address.next = self.next_index.val();
        self.rows.write_enable.next = self.write_row.val();
        self.rows.write_address.next = self.index_now.q.val();
        self.rows.write_data.next = bit_cast::<339, 339>(self.new_row.val().into());
        self.written.d.next = self.write_row.val() && (self.next_index.val() == self.index_now.q.val());
        self.written_row.d.next = bit_cast::<339, 339>(self.new_row.val().into());
        self.configs.write_enable.next = self.modifies.val();
        self.configs.write_address.next = self.index_now.q.val();
        self.configs.write_data.next = (bit_cast::<512, 448>(self.modify_row.val()) << 64)
            | bit_cast::<512, 64>(self.modify_limits.val());
        if self.state.q.val() == EngineState::Read {
            self.row.d.next = self.fields.row.val();
            // Not later than the WQE is read: it may arrive in between.
            self.arrived_now.d.next = self.arrived.val();
            self.qp_row.d.next = self.configs.read_data.val().get_bits::<448>(64);
            self.limits.d.next = self.configs.read_data.val().get_bits::<64>(0);
        }
        if self.state.q.val() == EngineState::Fetch {
            self.place.d.next = self.region.place.val();
            self.posted.d.next = self.arrived_now.q.val() != self.row.q.val().started;
            self.leaving.d.next =
                self.row.q.val().issued - self.emitted_count.val() - self.discarded_count.val();
            self.work_row.d.next = self.wqe.val();
            self.following.d.next = self.reads.read_data.val();
        }
        if self.state.q.val() == EngineState::Judge {
            self.verdict.d.next = self.judge.verdict.val();
            self.plan.d.next = self.planner.plan.val();
            self.bad.d.next = self.work.bad.val();
            self.bad_status.d.next = self.work.status.val();
        }

        // Who wakes: this event, and packets that were waited for. One that leaves while its QP is at hand may be what
        // the event has not seen.
        self.wake_valid.next = self.wakes.val();
        self.wake_index.next = self.index_now.q.val();
        self.crowded.read_address_a.next = self.left_index.val();
        self.crowded.read_address_b.next = self.discarded_index.val();
        self.left_wake_index.next = self.left_index.val();
        self.left_wake_valid.next = self.left_valid.val()
            && (self.crowded.read_data_a.val().any() || (self.left_index.val() == self.index_now.q.val()));
        self.discarded_wake_index.next = self.discarded_index.val();
        self.discarded_wake_valid.next = self.discarded_valid.val();
        self.crowded.write_enable.next = self.sets_crowded.val() && self.done.val();
        self.crowded.write_address.next = self.index_now.q.val();

        // The timer: set by the event, else by a packet that left while none ran.
        self.armed.read_address_a.next = self.left_queue_index.val();
        self.armed.read_address_b.next = self.left_queue_index.val();
        self.timeouts.read_address_a.next = self.left_queue_index.val();
        self.timeouts.read_address_b.next = self.left_queue_index.val();
        self.timeouts.write_enable.next = self.modifies.val();
        self.timeouts.write_address.next = self.index_now.q.val();
        self.timeouts.write_data.next = self.modify_row.val().get_bits::<5>(8);
        self.set_valid.next = self.sets_timer.val();
        self.set_index.next = self.index_now.q.val();
        self.left_queue_ready.next = false;
        self.armed.write_enable.next = self.sets_timer.val();
        self.armed.write_address.next = self.index_now.q.val();
        self.armed.write_data.next = bit_cast::<1, 1>(self.arms.val().into());
        if !self.sets_timer.val() {
            self.left_queue_ready.next = true;
            self.set_index.next = self.left_queue_index.val();
            self.set_code.next = self.timeouts.read_data_a.val();
            self.set_kind.next = self.timer_ack.val();
            // Until an answer starts it anew every packet does, for one that leaves late may be answered already.
            self.set_valid.next = self.left_queue_valid.val() && !self.armed.read_data_a.val().any();
        }
        if self.reset.val() {
            self.state.d.next = EngineState::Clear;
            self.index_now.d.next = bits::<QB>(0);
            self.written.d.next = false;
            self.fence.d.next = bits::<16>(0);
            self.modify_waits.d.next = false;
        }
    }
}
