//! The responder: keeps contexts, decides on requests and commands the movers. Long because one kernel drives every
//! port.
use super::{
    AnswerCount, FaultDecision, FlushScan, ModifiedSettings, ReplaySearch, RequestAnswer, RequestChecks,
    RequestCompletion, RequestDecision, RequestEffect, RequestFlags, RequestNotice, RequestSteps,
    RequestVerdict, RequestWalk, ResponderContext, ResponderEventKind, ResponderEvents, ResponderReport,
    ResponderSettings, Transition, UcDecision, UcEffect, UcFault, UdDecision,
};
use crate::bundle::{
    AnnouncedSink, AnswerLevelSource, AnsweredRequestSink, AtomicJobSource, ConsumedSource, DropSource,
    KeyInvalidateSource, PieceCommandSource, QpModifySink, QpOfferSink, QpOfferSource, QpPulseSink,
    QpPulseSource, ReportSource, WalkSource,
};
use crate::completion::CompletionRecord;
use crate::credit::{PostedCredits, UnsolicitedAck};
use crate::drop_reasons::DropReasons;
use crate::receive::RequestArrival;
use crate::response::ResponseJob;
use hca_hdl::prelude::*;

/// Decides on requests in arrival order, one at a time, and reads the next one's rows meanwhile.
///
/// A packet of one piece takes seven cycles behind another, whether of the same QP or not ([`RequestSteps`]); the row
/// that one event writes is forwarded to the next. `QB`: QP index bits; `RA` = `QB` + 4.
#[derive(LogicBlock, SmartDefault)]
pub struct ResponderEngine<const QB: usize, const RA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Base LID of port 1; from bit 16 on that of port 2.
    pub port_lids: Signal<In, Bits<32>>,

    /// `MODIFY_QP`; taken when no arrival waits.
    pub modify: QpModifySink<QB>,

    /// Request packets in the order of arrival.
    pub arrival: OfferSink<RequestArrival>,

    /// Offers a QP that the requester has failed.
    pub fail: QpOfferSink<QB>,
    /// Offers a QP for which the response engine could not produce a read response.
    pub unreadable: QpOfferSink<QB>,
    /// High for one cycle when the requester reports a QP in Error.
    pub state_error: QpPulseSink<QB>,
    /// Offers the requester a QP that this side has failed.
    pub failed: QpOfferSource<QB>,
    /// High for one cycle when this side reports a QP in Error.
    pub reported: QpPulseSource<QB>,

    /// Offers a QP whose credits may have to be advertised.
    pub credit: QpOfferSink<QB>,
    /// High for one cycle when the number of announced WQEs of a QP changes.
    pub announced: AnnouncedSink<QB>,

    /// QP whose receive WQE is read from the cache.
    pub wqe_index: Signal<Out, Bits<QB>>,
    /// Slot of the receive WQE in the cache: its index modulo 32.
    pub wqe_slot: Signal<Out, Bits<5>>,
    /// The receive WQE, one cycle after its address.
    pub wqe: Signal<In, Bits<512>>,
    /// QP that `posted_arrived` belongs to.
    pub posted_index: Signal<Out, Bits<QB>>,
    /// Number of receive WQEs of QP `posted_index` that have arrived in the cache, modulo 2^16.
    pub posted_arrived: Signal<In, Bits<16>>,
    /// QP that `flush_arrived` belongs to.
    pub flush_index: Signal<Out, Bits<QB>>,
    /// Number of receive WQEs of QP `flush_index` that have arrived in the cache, modulo 2^16.
    pub flush_arrived: Signal<In, Bits<16>>,
    /// High for one cycle when receive WQEs of some QP arrive; they count in the next cycle at the latest.
    pub flush_arrives: Signal<In, Bit>,
    /// High for one cycle when WQEs of a QP are consumed.
    pub consumer: ConsumedSource<QB>,

    /// The walker of requests; its pieces go to the piece queue.
    pub walk: WalkSource,
    /// Invalidates the region whose R_Key a Send names.
    pub invalidate: KeyInvalidateSource,

    /// The piece queue. Each packet is committed, and its pieces with it; the pieces of a refused packet are removed.
    pub pieces: PieceCommandSource,

    /// Operands of an atomic, in the order of the pieces. The `ready` of atomics, jobs and completions stays high until
    /// something is taken; their `valid` is high only with it.
    pub atomic: AtomicJobSource<RA>,

    /// Work for the response engine.
    pub job: OfferSource<ResponseJob>,
    /// Asks the response engine how much work of a QP waits.
    pub level: AnswerLevelSource<QB>,
    /// High for one cycle when the last packet of the answer to a Read or atomic has left.
    pub answered: AnsweredRequestSink<QB>,

    /// Completions of receive queues.
    pub completion: OfferSource<CompletionRecord>,

    /// High for one cycle with events for software (`crate::event::QpNotices`).
    pub notice_valid: Signal<Out, Bit>,
    /// QP of these events.
    pub notice_index: Signal<Out, Bits<QB>>,
    /// One bit a kind of event: high if it occurred.
    pub notice_kinds: Signal<Out, Bits<6>>,
    /// High for one cycle when a packet to a multicast group is decided, a copy or not.
    pub group_decided: Signal<Out, Bit>,
    /// Packets that are dropped.
    pub drop: DropSource,
    /// High for one cycle when a packet for QP0 finds no receive WQE, or no queue pair that receives.
    pub smp_dropped: Signal<Out, Bit>,
    /// High for one cycle when a packet is decided whose key admission has found wrong, whatever the decision.
    pub key_decided: Signal<Out, Bit>,
    /// Records of `LANE_RECEIVE_WQE` of `host::retire`.
    pub retire_wqe: ReportSource,
    /// Records of `LANE_RESPONDER` of `host::retire`.
    pub retire: ReportSource,

    events: ResponderEvents<QB>,
    // An event that follows one of the same QP takes the row that its predecessor leaves, not the row that is read.
    #[default(BlockRam::without_collisions())]
    rows: BlockRam<ResponderContext, QB>,
    #[default(BlockRam::without_collisions())]
    settings_rows: BlockRam<ResponderSettings, QB>,
    modified: ModifiedSettings,
    failures: Fifo<Bits<QB>, QB>,
    replays: ReplaySearch<QB, RA>,
    answers: AnswerCount<QB, RA>,
    flush: FlushScan<QB>,
    credits: PostedCredits<QB>,
    unsolicited: UnsolicitedAck,
    checks: RequestChecks,
    decision: RequestDecision,
    uc_decision: UcDecision,
    ud_decision: UdDecision,
    walks: RequestWalk,
    faults: FaultDecision,
    uc_faults: UcFault,
    effect: RequestEffect,
    uc_effect: UcEffect,
    transition: Transition,
    answer: RequestAnswer,
    completes: RequestCompletion,
    report: ResponderReport,
    notice: RequestNotice,
    steps: RequestSteps,

    kind: Register<ResponderEventKind>,
    /// High if the current event is not a packet.
    other: Register<Bit>,
    /// High if the current event is a modification.
    is_modify: Register<Bit>,
    index: Register<Bits<QB>>,
    packet: Register<RequestArrival>,
    context: Register<ResponderContext>,
    settings: Register<ResponderSettings>,
    flags: Register<RequestFlags>,
    /// The receive WQE.
    wqe_row: Register<Bits<512>>,
    passes: Register<Bit>,
    walk_needed: Register<Bit>,
    replays_now: Register<Bit>,
    verdict: Register<RequestVerdict>,
    /// `posted_arrived` of one cycle earlier.
    arrived_before: Register<Bits<16>>,
    posted_before: Register<Bit>,
    crowded_before: Register<Bit>,
    settled_before: Register<Bit>,
    quiet_before: Register<Bit>,
    matched: Register<Bit>,
    place: Register<Bits<4>>,
    /// Number of packets committed, modulo 2^16.
    committed: Register<Bits<16>>,

    free: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    /// High if the next event is of another QP.
    another: Signal<Local, Bit>,
    fires: Signal<Local, Bit>,
    /// What the service decides.
    decided: Signal<Local, RequestVerdict>,
    decided_passes: Signal<Local, Bit>,
    /// Context after the packet, by its service.
    after: Signal<Local, ResponderContext>,
    after_completes: Signal<Local, Bit>,
    after_takes: Signal<Local, Bit>,
    changed: Signal<Local, ResponderContext>,
    first_slot: Signal<Local, Bits<16>>,
    needs_job: Signal<Local, Bit>,
    needs_completion: Signal<Local, Bit>,
    needs_atomic: Signal<Local, Bit>,
    needs_failure: Signal<Local, Bit>,
    modifies: Signal<Local, Bit>,
    invalidates: Signal<Local, Bit>,
    answer_slot: Signal<Local, Bits<RA>>,
    replay_depth: Signal<Local, Bits<5>>,
    fence: Signal<Local, Bits<16>>,
    /// Credit code of a positive answer.
    code: Signal<Local, Bits<5>>,
    why: DropReasons,
}

#[kernel]
impl<const QB: usize, const RA: usize> Logic for ResponderEngine<QB, RA> {
    fn update(&mut self) {
        comment!("@module responder");
        clock_and_reset!(self, events, failures, replays, answers, flush, steps);
        clock!(self, clock, rows, settings_rows, credits);

        // Events, and their rows.
        self.events.arrival.valid.next = self.arrival.valid.val();
        self.arrival.ready.next = self.events.arrival.ready.val();
        self.events.arrival.item.next = self.arrival.item.val().dest_qp.get_bits::<QB>(0);
        QpPulseSink::<QB>::link(&mut self.state_error, &mut self.events.reported);
        QpOfferSink::<QB>::link(&mut self.fail, &mut self.events.fail);
        QpOfferSink::<QB>::link(&mut self.unreadable, &mut self.events.unreadable);
        self.events.modify_valid.next = self.modify.valid.val();
        self.events.modify_index.next = self.modify.index.val();
        self.events.turn.valid.next = self.flush.turn_valid.val();
        self.flush.turn_ready.next = self.events.turn.ready.val();
        self.events.turn.item.next = self.flush.turn_index.val();
        QpOfferSink::<QB>::link(&mut self.credit, &mut self.events.credit);
        self.rows.read_address.next = self.events.read_index.val();
        self.settings_rows.read_address.next = self.events.read_index.val();
        wires!(self.modify, self.modified, row, limits);

        // Checks.
        self.posted_index.next = self.index.q.val();
        self.answers.lookup_index.next = self.index.q.val();
        inputs!(self.checks, arrival: packet.q, settings: settings.q, context: context.q);
        inputs!(self.checks, arrived: posted_arrived, answered: answers.lookup);
        self.level.index.next = self.index.q.val();
        inputs!(self.checks, many_answers: level.many, answers_fill: level.fill);
        if self.steps.checks.val() {
            self.flags.d.next = self.checks.flags.val();
        }
        self.posted_before.d.next = self.posted_arrived.val() != self.context.q.val().consumer;
        self.arrived_before.d.next = self.posted_arrived.val();
        self.crowded_before.d.next = self.checks.flags.val().crowded;
        self.settled_before.d.next = self.answers.settled.val();

        // The receive WQE: the next one, or that of the open Send.
        self.first_slot.next = self.context.q.val().consumer;
        if self.context.q.val().open_send || self.context.q.val().holds {
            self.first_slot.next = self.context.q.val().consumer - 1;
        }
        self.wqe_index.next = self.index.q.val();
        self.wqe_row.d.next = self.wqe.val();
        self.wqe_slot.next = self.first_slot.val().get_bits::<5>(0);

        // Decision.
        inputs!(self.decision, arrival: packet.q, flags: flags.q);
        self.decision.min_rnr_timer.next = self.settings.q.val().min_rnr_timer;
        self.decision.wqe_length.next = self.wqe_row.q.val().get_bits::<32>(320);
        inputs!(self.uc_decision, arrival: packet.q, flags: flags.q);
        self.uc_decision.open_send.next = self.context.q.val().open_send;
        self.uc_decision.open_write.next = self.context.q.val().open_write;
        self.uc_decision.wqe_length.next = self.wqe_row.q.val().get_bits::<32>(320);
        outputs!(self.decision, decided: verdict, decided_passes: passes);
        if self.settings.q.val().unreliable {
            outputs!(self.uc_decision, decided: verdict, decided_passes: passes);
        }
        inputs!(self.ud_decision, arrival: packet.q, flags: flags.q);
        self.ud_decision.wqe_length.next = self.wqe_row.q.val().get_bits::<32>(320);
        if self.settings.q.val().datagram {
            outputs!(self.ud_decision, decided: verdict, decided_passes: passes);
        }
        inputs!(self.walks, arrival: packet.q, flags: flags.q, settings: settings.q, wqe: wqe_row.q);
        self.walks.invalidates.next = self.steps.key_asked.val();
        inputs!(self.walk, item: walks.request, valid: steps.walk_valid);
        self.passes.d.next = self.decided_passes.val();
        self.walk_needed.d.next = self.walks.needed.val();
        self.replays_now.d.next = self.decided.val().replay;
        self.faults.fault.next = self.walk.fault.val();
        self.faults.send.next = self.flags.q.val().send;
        self.faults.begins.next = self.flags.q.val().begins;
        self.faults.invalidates.next = self.steps.key_walked.val();
        self.uc_faults.fault.next = self.walk.fault.val();
        self.uc_faults.send.next = self.flags.q.val().send;
        self.uc_faults.takes_wqe.next = self.flags.q.val().takes_wqe;
        if self.steps.decides.val() {
            self.verdict.d.next = self.decided.val();
        }
        if self.steps.faults.val() {
            self.verdict.d.next = self.faults.verdict.val();
            if self.settings.q.val().unreliable {
                self.verdict.d.next = self.uc_faults.verdict.val();
            }
        }
        self.pieces.close.next = false;
        self.pieces.abort.next = self.steps.aborts.val();

        // The operation that a duplicate repeats: of the last `depth`.
        self.replay_depth.next = self.context.q.val().stored;
        if self.settings.q.val().depth < self.context.q.val().stored {
            self.replay_depth.next = self.settings.q.val().depth;
        }
        self.replays.start.next = self.steps.searches.val();
        if self.steps.found.val() {
            self.matched.d.next = self.replays.found.val();
            self.place.d.next = self.replays.place.val();
        }
        self.replays.index.next = self.index.q.val();
        self.replays.next_place.next = self.context.q.val().taken.get_bits::<4>(0);
        self.replays.stored.next = self.replay_depth.val();
        self.replays.psn.next = self.packet.q.val().psn;
        self.replays.read.next = self.flags.q.val().read;
        self.replays.fetch_add.next = self.flags.q.val().fetch_add;
        self.replays.va.next = self.packet.q.val().va;
        self.replays.r_key.next = self.packet.q.val().r_key;
        self.replays.dma_len.next = self.packet.q.val().dma_len;
        self.replays.pmtu.next = self.settings.q.val().pmtu;

        // Credits. The WQE that a request takes is taken from them already.
        AnnouncedSink::<QB>::link(&mut self.announced, &mut self.credits.announced);
        self.credits.index.next = self.index.q.val();
        self.credits.consumer.next = self.context.q.val().consumer;
        self.credits.advertised.next = self.context.q.val().advertised;
        self.code.next = self.credits.code.val();
        if self.verdict.q.val().execute && self.flags.q.val().takes_wqe {
            self.code.next = self.credits.code_less_one.val();
        }
        if !self.settings.q.val().supplied {
            self.code.next = bits::<5>(31);
        }
        inputs!(self.unsolicited, context: context.q, settings: settings.q);
        self.unsolicited.port_lid.next = self.port_lids.val().get_bits::<16>(0);
        if self.settings.q.val().port {
            self.unsolicited.port_lid.next = self.port_lids.val().get_bits::<16>(16);
        }
        inputs!(self.unsolicited, code: credits.code, fence: committed.q);

        // What a packet, or another event, brings.
        self.fence.next = self.committed.q.val() + 1;
        inputs!(self.effect, arrival: packet.q, flags: flags.q, verdict: verdict.q, settings: settings.q);
        inputs!(self.effect, context: context.q, matched: matched.q, code);
        inputs!(self.uc_effect, arrival: packet.q, flags: flags.q, verdict: verdict.q, context: context.q);
        outputs!(self.effect, after: changed, after_completes: completes, after_takes: takes);
        if self.settings.q.val().unreliable {
            outputs!(self.uc_effect, after: changed, after_completes: completes, after_takes: takes);
        }
        inputs!(self.transition, kind: kind.q, context: context.q, modified_state: modified.state);
        inputs!(self.transition, modified_rq_psn: modified.rq_psn, arrived: arrived_before.q);
        self.transition.supplied.next = self.settings.q.val().supplied;
        inputs!(self.transition, credit_due: credits.due, code: credits.code);
        inputs!(self.answer, code, fence, arrival: packet.q, flags: flags.q, verdict: verdict.q);
        inputs!(self.answer, settings: settings.q, context: context.q);
        self.answer.msn.next = self.effect.changed.val().msn;
        inputs!(self.answer, matched: matched.q, place: place.q);

        // No block uses a key while it is taken out of use.
        self.invalidates.next = self.verdict.q.val().execute && self.flags.q.val().invalidate;
        self.invalidate.hold.next = self.steps.key_held.val();

        // The steps of one event.
        inputs!(self.steps, passes: passes.q, walk_needed: walk_needed.q, replays: replays_now.q);
        self.steps.invalidate.next = self.flags.q.val().invalidate;
        self.steps.execute.next = self.verdict.q.val().execute;
        self.steps.drops.next = self.verdict.q.val().drop;
        self.steps.refuse.next = self.verdict.q.val().refuse;
        self.steps.not_ready.next = self.verdict.q.val().not_ready;
        self.steps.crowded.next = self.verdict.q.val().crowded;
        inputs!(self.steps, pieces_ready: pieces.ready, walk_ready: walk.ready, walk_done: walk.done);
        self.steps.walk_failed.next = self.walk.fault.val().any();
        self.steps.search_done.next = self.replays.done.val();
        // The walkers are held for a clock at least before `quiet` counts.
        self.quiet_before.d.next = self.invalidate.quiet.val();
        self.steps.invalidate_quiet.next = self.quiet_before.q.val();
        // Commits are two clocks apart at least: a queue that had room a clock earlier still has it.
        self.steps.room.next = self.job.ready.val()
            && self.completion.ready.val()
            && self.atomic.ready.val()
            && self.failures.write.ready.val();
        inputs!(self.steps, posted: posted_before.q, waits: credits.waits);
        self.steps.credit.next = self.kind.q.val() == ResponderEventKind::Credit;
        self.steps.settled.next = self.answers.settled.val() && self.settled_before.q.val();
        self.steps.still_crowded.next = self.crowded_before.q.val();
        self.fires.next = self.steps.fires.val();

        // A commit goes to all who need it in one clock, once all have room.
        // CF209: UC never answers, nor does UD.
        self.needs_job.next = self.answer.valid.val() && !self.settings.q.val().unreliable;
        self.needs_completion.next = self.after_completes.val();
        self.needs_atomic.next =
            !self.other.q.val() && self.verdict.q.val().execute && self.flags.q.val().atomic;
        self.needs_failure.next = self.verdict.q.val().fatal;
        if self.other.q.val() {
            outputs!(self.transition, needs_job: advertises, needs_completion: flushes, needs_failure: fails);
        }
        self.job.valid.next = self.fires.val() && self.needs_job.val();
        self.completion.valid.next = self.fires.val() && self.needs_completion.val();
        self.atomic.valid.next = self.fires.val() && self.needs_atomic.val();
        self.failures.write.valid.next = self.fires.val() && self.needs_failure.val();
        self.free.next = self.steps.idle.val() || self.fires.val();

        // Context: written back, and kept for the next event of the same QP.
        self.changed.next = self.after.val();
        if self.other.q.val() {
            self.changed.next = self.transition.changed.val();
        }
        inputs!(self.rows, write_enable: fires, write_address: index.q, write_data: changed);
        self.modifies.next = self.steps.applies.val() && self.is_modify.q.val();
        inputs!(self.settings_rows, write_enable: modifies, write_address: index.q);
        self.settings_rows.write_data.next = self.modified.settings.val();
        self.modify.ready.next = self.modifies.val();
        self.events.modify_done.next = !self.steps.idle.val() && self.is_modify.q.val();
        inputs!(self.flush, change_valid: fires, change_index: index.q);
        self.flush.change_state.next = self.changed.val().state;
        self.flush.change_reported.next = self.changed.val().reported;
        self.flush.change_open.next = self.changed.val().open_send || self.changed.val().holds;
        self.flush.change_consumer.next = self.changed.val().consumer;
        self.flush_index.next = self.flush.flush_index.val();
        inputs!(self.flush, flush_arrived, arrives: flush_arrives);

        // Read/atomic slots.
        self.answer_slot.next = (bit_cast::<RA, QB>(self.index.q.val()) << 4)
            | bit_cast::<RA, 4>(self.context.q.val().taken.get_bits::<4>(0));
        self.replays.store_valid.next = self.fires.val() && !self.other.q.val() && self.effect.stores.val();
        self.replays.store_slot.next = self.answer_slot.val();
        self.replays.store.next.psn = self.packet.q.val().psn;
        self.replays.store.next.span = self.flags.q.val().packets - 1;
        self.replays.store.next.read = self.flags.q.val().read;
        self.replays.store.next.fetch_add = self.flags.q.val().fetch_add;
        self.replays.store.next.va = self.packet.q.val().va;
        self.replays.store.next.r_key = self.packet.q.val().r_key;
        self.replays.store.next.length = self.packet.q.val().dma_len;
        self.answers.accept_valid.next = self.fires.val() && !self.other.q.val() && self.effect.stores.val();
        self.answers.accept_index.next = self.index.q.val();
        self.answers.accept_taken.next = self.context.q.val().taken;
        self.answers.accept_last_psn.next = self.answer.last_psn.val();
        self.answers.clear.valid.next = self.steps.applies.val() && self.transition.clears.val();
        self.answers.clear.index.next = self.index.q.val();
        self.answers.answered_valid.next = self.answered.valid.val();
        inputs!(self.answers, answered_index: answered.index, answered_psn: answered.psn);

        // Movers.
        if self.fires.val() && !self.other.q.val() {
            self.committed.d.next = self.fence.val();
        }
        self.pieces.commit.next = self.fires.val() && !self.other.q.val();
        self.pieces.kind.next = bits::<2>(0);
        if self.needs_atomic.val() {
            self.pieces.kind.next = bits::<2>(1);
        }
        if self.verdict.q.val().execute && self.flags.q.val().prefixed {
            self.pieces.kind.next = bits::<2>(2);
        }
        self.atomic.fetch_add.next = self.flags.q.val().fetch_add;
        self.atomic.compare.next = self.packet.q.val().compare;
        self.atomic.swap_add.next = self.packet.q.val().swap_add;
        self.atomic.slot.next = self.answer_slot.val();
        self.job.item.next = self.answer.job.val();
        if self.other.q.val() {
            self.job.item.next = self.unsolicited.job.val();
        }
        self.invalidate.valid.next = self.fires.val() && !self.other.q.val() && self.invalidates.val();
        self.invalidate.key.next = self.packet.q.val().r_key;
        self.failures.write.item.next = self.index.q.val();
        QpOfferSource::<QB>::link(&mut self.failed, &mut self.failures.read);
        self.reported.valid.next = self.steps.applies.val() && self.transition.reports.val();
        self.reported.index.next = self.index.q.val();
        self.consumer.valid.next = self.fires.val() && self.needs_completion.val();
        self.consumer.index.next = self.index.q.val();
        self.consumer.item.next = self.changed.val().consumer;

        inputs!(self.completes, arrival: packet.q, flags: flags.q, verdict: verdict.q, settings: settings.q);
        inputs!(self.completes, slot: first_slot, flushes: other.q, fence);
        self.completes.port_lid.next = self.port_lids.val().get_bits::<16>(0);
        if self.packet.q.val().port {
            self.completes.port_lid.next = self.port_lids.val().get_bits::<16>(16);
        }
        self.completes.committed.next = self.committed.q.val();
        self.completion.item.next = self.completes.completion.val();

        // Reports.
        self.notice.verdict.next = self.verdict.q.val();
        self.notice.met.next = self.settings.q.val().unreliable && self.uc_effect.met.val();
        self.notice.datagram.next = self.settings.q.val().datagram;
        self.notice.state.next = self.context.q.val().state;
        self.notice.dry_event.next = self.settings.q.val().dry_event;
        self.notice.rnr_outstanding.next = self.context.q.val().rnr_outstanding;
        self.notice_valid.next = self.fires.val() && !self.other.q.val();
        self.notice_index.next = self.index.q.val();
        self.notice_kinds.next = self.notice.kinds.val();
        self.group_decided.next = self.fires.val() && !self.other.q.val() && self.packet.q.val().grouped;
        self.drop.valid.next = self.fires.val() && self.report.drops.val() && !self.report.silent.val();
        self.drop.reason.next = self.report.drop_reason.val();
        self.drop.port.next = self.packet.q.val().port;
        self.smp_dropped.next = self.fires.val() && self.report.drops_smp.val();
        self.key_decided.next = self.fires.val()
            && !self.other.q.val()
            && ((self.packet.q.val().drop_reason == self.why.p_key.val())
                || (self.packet.q.val().drop_reason == self.why.q_key.val()));
        inputs!(self.report, arrival: packet.q, verdict: verdict.q, matched: matched.q, psn: answer.psn);
        // UC and UD send no NAK: the report names the packet.
        if self.settings.q.val().unreliable {
            self.report.psn.next = self.packet.q.val().psn;
        }
        self.report.consumer.next = self.context.q.val().consumer;
        self.report.qpn.next = self.settings.q.val().qpn;
        inputs!(self.report, applies: other.q, advertises: transition.advertises);
        self.report.advertised_psn.next = self.unsolicited.job.val().psn;
        self.retire_wqe.valid.next = self.fires.val() && !self.other.q.val() && self.after_takes.val();
        self.retire_wqe.record.next = self.report.fetched.val();
        self.retire.valid.next = self.fires.val()
            && ((!self.other.q.val() && !self.report.silent.val())
                || (self.other.q.val()
                    && (self.transition.reports.val() || self.transition.advertises.val())));
        self.retire.record.next = self.report.record.val();

        // The next event moves in as this one leaves; rows of the same QP are newer here than in memory.
        self.loads.next = self.free.val() && self.events.event_valid.val();
        self.events.event_ready.next = self.free.val();
        if self.loads.val() {
            self.kind.d.next = self.events.event_kind.val();
            self.other.d.next = self.events.event_kind.val() != ResponderEventKind::Packet;
            self.is_modify.d.next = self.events.event_kind.val() == ResponderEventKind::Modify;
            self.index.d.next = self.events.event_index.val();
            self.packet.d.next = self.arrival.item.val();
        }
        // Which rows are kept is known early in the clock, and that they change is known late.
        self.another.next =
            self.events.event_valid.val() && (self.events.event_index.val() != self.index.q.val());
        if self.free.val() {
            if self.another.val() {
                self.context.d.next = self.rows.read_data.val();
                self.settings.d.next = self.settings_rows.read_data.val();
            } else if !self.steps.idle.val() {
                self.context.d.next = self.changed.val();
                if self.is_modify.q.val() {
                    self.settings.d.next = self.modified.settings.val();
                }
            }
        }
        self.steps.loads.next = self.loads.val();
        self.steps.loads_packet.next = self.events.event_kind.val() == ResponderEventKind::Packet;
        if self.reset.val() {
            self.committed.d.next = bits::<16>(0);
        }
    }
}
