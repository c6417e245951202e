//! The last stage of every event but the turns that send.
use super::{
    EventKind, EventOutcome, GatherJob, OldestSearch, Position, ReadSpan, RequesterRow, SendWork,
    TurnPosition, Verdict,
};
use crate::bundle::{CompleterMessageSource, DropSource, PieceCommandSource, ReportSource, WalkSource};
use crate::context::{QpAttributes, QpConfig, QpLimits};
use crate::credit::CreditLimit;
use crate::drop_reasons::DropReasons;
use crate::memory::protection::RIGHT_LOCAL_WRITE;
use crate::receive::ResponseArrival;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum SettleState {
    /// After reset the rows are cleared, one a clock.
    Clear,
    /// The event takes effect as soon as everything that it needs is ready.
    Settle,
    /// The credits of a response are evaluated.
    Credit,
    /// A response's memory is being looked up.
    Walking,
    /// The response may not be written. Once the walk of the next response has ended, the pieces of both are removed.
    Abort,
    /// The pieces are gone a clock later.
    Aborted,
}

/// Carries out an [`EventOutcome`], in the order of the events. The memory of a response is looked up before, from the
/// clock on in which it waits to enter, while the event before it is here. Waits while the completer, the responder or
/// the memory's queue does not take it, and while a turn writes its row.
///
/// `QB`: QP index bits; `OA` = `QB` + 6.
#[derive(LogicBlock, SmartDefault)]
pub struct EventSettle<const QB: usize, const OA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when an event enters; never without `ready`. A response that `walks` enters once it is
    /// `prepared`.
    pub valid: Signal<In, Bit>,
    /// High while the event that the inputs describe waits to enter, that cycle included, and nothing of it changes.
    pub waits: Signal<In, Bit>,
    /// High once the walk of that event has begun, or it is known that it needs none.
    pub prepared: Signal<Out, Bit>,
    /// High while an event may enter.
    pub ready: Signal<Out, Bit>,
    /// Kind of the event that enters.
    pub kind: Signal<In, EventKind>,
    /// QP of the event that enters.
    pub index: Signal<In, Bits<QB>>,
    /// The response, for a response event.
    pub arrival: Signal<In, ResponseArrival>,
    /// For a timer event: `ACK` or `RNR` ([`super::timers`]).
    pub timer_kind: Signal<In, Bits<2>>,
    /// State of that QP.
    pub row: Signal<In, RequesterRow>,
    /// `MODIFY_QP` arguments 0 to 13, 22 and 23.
    pub attributes: Signal<In, QpAttributes>,
    /// WQE of the next packet or, for a response, of the oldest Read or atomic.
    pub wqe: Signal<In, Bits<512>>,
    /// The Read or atomic after the oldest, as in [`super::ResponseEffect`].
    pub following: Signal<In, ReadSpan>,
    /// Number of packets of that QP that are gone, modulo 2^8.
    pub gone: Signal<In, Bits<8>>,
    /// Number of packets of that QP that are possibly not gone yet, modulo 2^8.
    pub leaving: Signal<In, Bits<8>>,
    /// PSN after the last packet of that QP that is gone.
    pub gone_psn: Signal<In, Bits<24>>,
    /// Place of the next packet among PSNs and messages.
    pub position: Signal<In, Position>,
    /// Meaning of the response.
    pub verdict: Signal<In, Verdict>,
    /// High if memory has to be looked up for the response.
    pub walks: Signal<In, Bit>,

    /// High if a turn ends in [`super::RequestLaunch`] in this cycle.
    pub launch_ends: Signal<In, Bit>,
    /// High if an event is here.
    pub present: Signal<Out, Bit>,
    /// High if an event is here and does not end in this clock.
    pub stays: Signal<Out, Bit>,
    /// High while the rows are cleared after a reset.
    pub clears: Signal<Out, Bit>,
    /// QP of the event here; while `clears`, QP whose row is cleared.
    pub index_now: Signal<Out, Bits<QB>>,
    /// High for one cycle when the row of the QP is written.
    pub row_write: Signal<Out, Bit>,
    /// The new row.
    pub new_row: Signal<Out, RequesterRow>,
    /// High for one cycle if the QP gets a turn.
    pub wakes: Signal<Out, Bit>,
    /// High for one cycle if the QP goes back: its next packet is that of the oldest PSN.
    pub goes_back: Signal<Out, Bit>,
    /// High if `goes_back` is possibly high in the next cycle.
    pub may_go_back: Signal<Out, Bit>,
    /// High for one cycle when `crowded` is stored for the QP.
    pub sets_crowded: Signal<Out, Bit>,
    /// High if the QP sleeps until one of its packets is gone.
    pub crowded: Signal<Out, Bit>,

    /// `MODIFY_QP` arguments 0 to 13.
    pub modify_row: Signal<In, QpConfig>,
    /// High if the modification lets a QP that software has seen in SQE send again.
    pub restarts: Signal<In, Bit>,
    /// Index of the first WQE of the QP that software has not announced, modulo 2^16.
    pub announced: Signal<In, Bits<16>>,
    /// High for one cycle when a modification is tried.
    pub modify_tried: Signal<Out, Bit>,
    /// High for one cycle when the modification takes effect.
    pub modifies: Signal<Out, Bit>,
    /// High whenever `modifies` is possibly high; it settles early in the clock.
    pub may_modify: Signal<Out, Bit>,
    /// High for one cycle when `fault` has been dealt with.
    pub fault_done: Signal<Out, Bit>,
    /// For a fault event: the packet whose memory may not be read.
    pub fault: Signal<In, GatherJob>,
    /// For a fault event: 1 for the SGE list, 2 for protection.
    pub fault_kind: Signal<In, Bits<2>>,
    /// High for one cycle when packets of the QP are no longer discarded ([`super::RequestGather`]).
    pub resumes: Signal<Out, Bit>,
    /// While `clears`: number of packets of QP `index_now` that are gone or were discarded, modulo 2^8.
    pub gone_count: Signal<In, Bits<8>>,
    /// Highest PSN sent of QP `index_now`, plus one.
    pub horizon: Signal<In, Bits<24>>,
    /// High if another event, or none, is here in the next cycle.
    pub moves: Signal<Out, Bit>,
    /// High for one cycle when the QP begins to send at `start_psn`, if `start_ready` is high too.
    pub start_valid: Signal<Out, Bit>,
    /// High if the start can be stored in this cycle ([`super::Emissions`]).
    pub start_ready: Signal<In, Bit>,
    /// First PSN of the QP that starts.
    pub start_psn: Signal<Out, Bits<24>>,
    /// High for one cycle when the requester fails the QP; only with `failed_ready`.
    pub failed_valid: Signal<Out, Bit>,
    /// High while the responder can take a failed QP.
    pub failed_ready: Signal<In, Bit>,
    /// High for one cycle when the STATE_CHANGED record of Error is reported here.
    pub state_error_valid: Signal<Out, Bit>,
    /// High for one cycle when the QP here reports that it is in SQE.
    pub stops: Signal<Out, Bit>,

    /// Messages for the completer about the QP here; `valid` is high only with `ready`.
    pub message: CompleterMessageSource<QB>,
    /// High if the completer has no message of the QP that enters.
    pub completer_idle: Signal<In, Bit>,
    /// Index of the oldest WQE of the QP that enters that is not complete, modulo 2^16.
    pub oldest: Signal<In, Bits<16>>,

    /// High for one cycle when the timer of the QP is set or stopped.
    pub sets_timer: Signal<Out, Bit>,
    /// `STOP`, `ACK` or `RNR` ([`super::timers`]).
    pub set_kind: Signal<Out, Bits<2>>,
    /// Code of the delay, in the table of its kind.
    pub set_code: Signal<Out, Bits<5>>,
    /// With `sets_timer`: high if packets that leave start no timer.
    pub arms: Signal<Out, Bit>,

    /// The walker of responses; its pieces go to the piece queue.
    pub walk: WalkSource,
    /// The piece queue. Each response is committed, dropped or not: as `KIND_ATOMIC` if the original value of an atomic
    /// is written. The pieces of a response whose memory may not be written are removed.
    pub pieces: PieceCommandSource,
    /// High from the look-up of a response's memory until no response is left whose memory was looked up.
    pub looked: Signal<Out, Bit>,
    /// Original values of atomics, one for each commit of kind 1.
    pub original: OfferSource<Bits<64>>,
    /// Packets that are dropped.
    pub drop: DropSource,
    /// High for one cycle when a packet of an unreliable QP, handed to the link, is dealt with.
    pub finished: Signal<Out, Bit>,
    /// High for one cycle when a response is decided whose P_Key admission has found wrong, whatever the decision.
    pub key_decided: Signal<Out, Bit>,
    /// Records of the requester's lane.
    pub retire: ReportSource,

    /// High for one cycle when a WQE starts.
    pub starts: Signal<In, Bit>,
    /// QP of the WQE that starts.
    pub starts_index: Signal<In, Bits<QB>>,
    /// Index of that WQE, modulo 2^16.
    pub starts_wqe: Signal<In, Bits<16>>,
    /// First PSN of that WQE.
    pub starts_first: Signal<In, Bits<24>>,
    /// Last PSN of that WQE.
    pub starts_last: Signal<In, Bits<24>>,
    /// SSN of that WQE, modulo 64.
    pub starts_ssn: Signal<In, Bits<6>>,
    /// Number of messages so far that take no receive WQE at the peer, this one included, modulo 2^7.
    pub starts_free: Signal<In, Bits<7>>,

    state: Register<SettleState>,
    /// The state is `Settle`.
    settling: Register<Bit>,
    /// The state is `Walking`.
    walking: Register<Bit>,
    occupied: Register<Bit>,
    event: Register<EventKind>,
    qp_index: Register<Bits<QB>>,
    response: Register<ResponseArrival>,
    timer: Register<Bits<2>>,
    qp_row: Register<RequesterRow>,
    qp_attributes: Register<QpAttributes>,
    qp: Signal<Local, QpConfig>,
    /// Limits of the QP of the event that waits to enter.
    limits: Signal<Local, QpLimits>,
    next_read: Register<ReadSpan>,
    /// Number of packets of the QP that are gone, modulo 2^8, as counted when the event entered.
    gone_before: Register<Bits<8>>,
    /// High if at least 1 of the QP's packets is possibly not gone yet.
    any_on_the_way: Register<Bit>,
    /// High if at least 32 of the QP's packets are possibly not gone yet.
    many_on_the_way: Register<Bit>,
    /// Every packet of the QP that is possibly not gone yet has this PSN or a later one.
    lowest: Register<Bits<24>>,
    stands: Register<Position>,
    judged: Register<Verdict>,
    /// PSNs before this one are acknowledged.
    bound: Register<Bits<24>>,
    local_fault: Register<Bit>,
    list_fault: Register<Bit>,
    /// High if memory was looked up for the response.
    has_memory: Register<Bit>,
    /// High while the walk of the response here has not ended.
    awaits: Register<Bit>,
    /// `fault` of the walk of the response here.
    walk_fault: Register<Bits<2>>,
    /// `prepared`.
    known: Register<Bit>,
    /// High if the walk of the event that waits to enter has begun.
    begun: Register<Bit>,
    /// High if that walk has ended.
    ended: Register<Bit>,
    /// `fault` of that walk.
    ended_fault: Register<Bits<2>>,
    /// High for one cycle when the packet whose pieces were removed is closed.
    closes: Register<Bit>,
    /// High if the completer has nothing left of the QP, and gets nothing before this event ends, and every packet of
    /// the QP is gone.
    idle: Register<Bit>,
    oldest_wqe: Register<Bits<16>>,
    /// High if the event was here one cycle earlier.
    stood: Register<Bit>,
    /// `asks_reset` of the previous cycle.
    resets: Register<Bit>,
    /// `asks_begin` of the previous cycle.
    begins: Register<Bit>,
    /// `asks_error` of the previous cycle.
    errs: Register<Bit>,
    /// Number of packets committed to memory, modulo 2^16.
    fence: Register<Bits<16>>,

    outcome: EventOutcome,
    limit: CreditLimit<QB, OA>,
    /// Position of an event that goes on as a turn.
    moved: TurnPosition,
    search: OldestSearch<QB, OA>,
    work: SendWork,
    weighs: Signal<Local, Bit>,
    walked: Signal<Local, Bit>,
    /// High if the walk of the response here ends in this cycle.
    ends_here: Signal<Local, Bit>,
    /// High if the walk of the next response ends in this cycle.
    ends_ahead: Signal<Local, Bit>,
    begins_walk: Signal<Local, Bit>,
    /// High if the pieces are removed in this cycle.
    aborts: Signal<Local, Bit>,
    /// Why memory may not be accessed for the next response, as its walk has found by this cycle; 0 if it may.
    next_fault: Signal<Local, Bits<2>>,
    /// High if the walk of the next response has begun and does not end by this cycle.
    still_walks: Signal<Local, Bit>,
    below: Signal<Local, Bits<24>>,
    may_act: Signal<Local, Bit>,
    /// High if the event takes effect in this cycle; a turn takes effect only with `acts`.
    settles: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    /// `may_act`, unless a walk ends in this cycle; it settles earlier in the clock. Only a response whose memory may
    /// be written ends in the cycle in which its walk ends.
    rests: Signal<Local, Bit>,
    settles_at_rest: Signal<Local, Bit>,
    acts_at_rest: Signal<Local, Bit>,
    /// High if the event ends in this cycle and is no turn. The end of a turn shows only in the next cycle, because its
    /// outcome settles too late.
    done: Signal<Local, Bit>,
    why: DropReasons,
    #[default(constant(RIGHT_LOCAL_WRITE))]
    right: Constant<Bits<3>>,
}

#[kernel]
impl<const QB: usize, const OA: usize> Logic for EventSettle<QB, OA> {
    fn update(&mut self) {
        clock!(self, clock, search, limit);
        inputs!(self.search, reset, starts, starts_index, starts_wqe, starts_first, starts_last);

        // A walk without a fault is over in the clock of its end.
        self.walked.next = self.walking.q.val() && self.walk.done.val() && !self.walk.fault.val().any();
        self.may_act.next =
            self.occupied.q.val() && !self.launch_ends.val() && (self.settling.q.val() || self.walked.val());
        self.settles.next = self.may_act.val() && self.outcome.settles.val();
        self.acts.next = self.settles.val() && self.outcome.turn_settles.val();
        self.rests.next = self.occupied.q.val() && !self.launch_ends.val() && self.settling.q.val();
        self.settles_at_rest.next = self.rests.val() && self.outcome.settles.val();
        self.acts_at_rest.next = self.settles_at_rest.val() && self.outcome.turn_settles.val();
        // The outcome of a turn settles last: its end shows one clock later.
        self.done.next =
            self.settles.val() && !self.outcome.turns.val() && (self.event.q.val() != EventKind::Turn);
        self.goes_back.next = self.acts_at_rest.val() && self.outcome.goes_back.val();
        // The end of an event settles late in the clock: the next event enters one clock after it.
        self.ready.next = !self.occupied.q.val() && (self.state.q.val() != SettleState::Clear);
        self.present.next = self.occupied.q.val();
        self.stays.next = self.occupied.q.val() && !self.done.val();
        self.clears.next = self.state.q.val() == SettleState::Clear;
        self.index_now.next = self.qp_index.q.val();

        inputs!(self.outcome, kind: event.q, timer_kind: timer.q, row: qp_row.q, attributes: qp_attributes.q);
        self.qp.next = self.qp_attributes.q.val().row;
        inputs!(self.outcome, gone: gone_before.q, any_leaving: any_on_the_way.q);
        self.outcome.many_leaving.next = self.many_on_the_way.q.val();
        self.below.next = self.lowest.q.val() - self.bound.q.val();
        self.outcome.overtakes.next = self.below.val().get_bit(23);
        inputs!(self.outcome, horizon, modify_row, fault, fault_kind);
        self.resets.d.next = self.outcome.asks_reset.val();
        self.begins.d.next = self.outcome.asks_begin.val();
        self.errs.d.next = self.outcome.asks_error.val();
        inputs!(self.outcome, stood: stood.q, resets: resets.q, begins: begins.q, errs: errs.q);
        inputs!(self.outcome, arrival: response.q, position: stands.q, verdict: judged.q, bound: bound.q);
        // Of what a position is computed from, an event that goes on as a turn changes only `una`.
        self.moved.row.next = self.qp_row.q.val();
        self.moved.row.next.una = self.bound.q.val();
        self.moved.resources.next = bits::<5>(0);
        inputs!(self.outcome, local_fault: local_fault.q, list_fault: list_fault.q, following: next_read.q);
        inputs!(self.outcome, fence: fence.q, found: search.found, found_row: search.new_row);
        self.outcome.sinks_ready.next = self.message.ready.val() && self.failed_ready.val();
        inputs!(self.outcome, start_ready, restarts, pieces_ready: pieces.ready);
        inputs!(self.outcome, original_ready: original.ready, idle: idle.q, oldest: oldest_wqe.q);
        self.outcome.flushed.next = self.oldest_wqe.q.val() == self.announced.val();

        inputs!(self.limit, starts, starts_index, starts_ssn, starts_free);
        self.weighs.next =
            self.valid.val() && (self.kind.val() == EventKind::Response) && self.verdict.val().credits;
        inputs!(self.limit, asks: weighs, index: qp_index.q);
        self.limit.msn.next = self.response.q.val().msn;
        self.limit.code.next = self.response.q.val().syndrome.get_bits::<5>(0);
        self.limit.ssn.next = self.qp_row.q.val().ssn;
        self.limit.free.next = self.qp_row.q.val().free;
        self.limit.many.next = self.qp_row.q.val().many;
        self.limit.allowance.next = self.qp_row.q.val().allowance;
        inputs!(self.outcome, unlimited: limit.unlimited, allowance: limit.new_allowance);
        self.outcome.allows_more.next = self.limit.newer.val();

        // The search begins before it is known whether it is needed.
        inputs!(self.search, start: valid, start_index: index);
        // An event is here from the clock after its search began until it ends: nobody else asks.
        inputs!(self.search, awaited: occupied.q, oldest);
        self.search.started.next = self.row.val().started;
        inputs!(self.search, index: qp_index.q, row: qp_row.q, gone: gone_before.q);
        self.search.pmtu.next = self.qp.val().pmtu;

        // The walk of the event that waits to enter: its context is known.
        self.work.wqe.next = self.wqe.val();
        self.work.has_reads.next = false;
        self.limits.next = self.attributes.val().limits;
        self.begins_walk.next = self.waits.val()
            && self.walks.val()
            && !self.known.q.val()
            && self.pieces.ready.val()
            && (self.state.q.val() != SettleState::Abort)
            && (self.state.q.val() != SettleState::Aborted);
        self.walk.valid.next = self.begins_walk.val();
        self.walk.item.next.list = self.work.list.val();
        self.walk.item.next.entire = false;
        self.walk.item.next.right = self.right.val();
        self.walk.item.next.alone = false;
        self.walk.item.next.unchecked = false;
        self.walk.item.next.count = self.work.count.val();
        self.walk.item.next.indirect = self.work.indirect.val();
        self.walk.item.next.offset = self.verdict.val().offset;
        self.walk.item.next.length = self.arrival.val().payload;
        if self.verdict.val().atomic {
            self.walk.item.next.offset = bits::<32>(0);
            self.walk.item.next.length = bits::<13>(8);
        }
        self.walk.item.next.pd = self.limits.val().pd;
        self.prepared.next = self.known.q.val();
        if self.waits.val() && !self.walks.val() {
            self.known.d.next = true;
        }
        if self.begins_walk.val() && self.walk.ready.val() {
            self.known.d.next = true;
            self.begun.d.next = true;
        }
        // Walks end in their order: that of the response here first.
        self.ends_here.next = self.walk.done.val() && self.awaits.q.val();
        self.ends_ahead.next = self.walk.done.val() && !self.awaits.q.val();
        if self.ends_here.val() {
            self.awaits.d.next = false;
            self.walk_fault.d.next = self.walk.fault.val();
        }
        self.next_fault.next = self.ended_fault.q.val();
        if self.ends_ahead.val() {
            self.next_fault.next = self.walk.fault.val();
            self.ended.d.next = true;
        }
        self.ended_fault.d.next = self.next_fault.val();
        self.still_walks.next = self.begun.q.val() && !self.ended.q.val() && !self.ends_ahead.val();
        self.aborts.next =
            (self.state.q.val() == SettleState::Abort) && (!self.begun.q.val() || self.ended.q.val());
        self.pieces.abort.next = self.aborts.val();
        // A response without a walk is a packet without pieces, and so is one whose pieces were removed. It is closed
        // before the walk behind it brings pieces.
        self.closes.d.next = (self.state.q.val() == SettleState::Aborted) && !self.reset.val();
        self.pieces.close.next = (self.walk.done.val() && !self.walk.fault.val().any())
            || self.closes.q.val()
            || (self.valid.val()
                && (self.kind.val() == EventKind::Response)
                && !self.begun.q.val()
                && !self.arrival.val().own);
        self.looked.next = (self.occupied.q.val() && self.has_memory.q.val()) || self.begun.q.val();

        match self.state.q.val() {
            SettleState::Clear => {
                self.qp_index.d.next = self.qp_index.q.val() + 1;
                if self.qp_index.q.val().all() {
                    self.state.d.next = SettleState::Settle;
                    self.settling.d.next = true;
                }
            }
            SettleState::Settle => {
                // An event that becomes a turn in the next clock does not wait for the search.
                if self.settles.val() && self.outcome.turns.val() {
                    self.event.d.next = EventKind::Turn;
                    self.qp_row.d.next = self.outcome.new_row.val();
                    self.stands.d.next = self.moved.position.val();
                } else if self.acts.val() {
                    self.occupied.d.next = false;
                }
            }
            SettleState::Credit => {
                if self.limit.done.val() {
                    self.state.d.next = SettleState::Settle;
                    self.settling.d.next = true;
                    if self.awaits.q.val() {
                        // The walk may end in this clock: `Walking` sees that in the next.
                        self.state.d.next = SettleState::Walking;
                        self.settling.d.next = false;
                        self.walking.d.next = !self.ends_here.val();
                    } else if self.walk_fault.q.val().any() {
                        self.state.d.next = SettleState::Abort;
                        self.settling.d.next = false;
                    }
                }
            }
            SettleState::Walking => {
                if self.ends_here.val() || !self.awaits.q.val() {
                    self.walking.d.next = false;
                    self.state.d.next = SettleState::Settle;
                    self.settling.d.next = true;
                    if (self.ends_here.val() && self.walk.fault.val().any())
                        || (!self.awaits.q.val() && self.walk_fault.q.val().any())
                    {
                        self.state.d.next = SettleState::Abort;
                        self.settling.d.next = false;
                    }
                }
                if self.acts.val() {
                    self.occupied.d.next = false;
                }
            }
            SettleState::Abort => {
                if self.aborts.val() {
                    self.local_fault.d.next = true;
                    self.bound.d.next = self.response.q.val().psn;
                    self.list_fault.d.next = self.walk_fault.q.val().get_bit(0);
                    self.state.d.next = SettleState::Aborted;
                    // The next response is looked up again.
                    self.known.d.next = false;
                    self.begun.d.next = false;
                    self.ended.d.next = false;
                }
            }
            SettleState::Aborted => {
                self.state.d.next = SettleState::Settle;
                self.settling.d.next = true;
            }
        }
        self.moves.next = !self.occupied.q.val() && (self.state.q.val() != SettleState::Clear);
        self.stood.d.next = self.occupied.q.val();
        if !self.occupied.q.val() && (self.state.q.val() != SettleState::Clear) {
            self.occupied.d.next = self.valid.val();
            self.walking.d.next = false;
            self.state.d.next = SettleState::Settle;
            self.settling.d.next = true;
            self.awaits.d.next = self.valid.val() && self.still_walks.val();
            self.walk_fault.d.next = bits::<2>(0);
            if self.begun.q.val() {
                self.walk_fault.d.next = self.next_fault.val();
            }
            if self.valid.val() {
                if self.still_walks.val() {
                    self.state.d.next = SettleState::Walking;
                    self.settling.d.next = false;
                    self.walking.d.next = true;
                } else if self.begun.q.val() && self.next_fault.val().any() {
                    self.state.d.next = SettleState::Abort;
                    self.settling.d.next = false;
                }
                self.known.d.next = false;
                self.begun.d.next = false;
                self.ended.d.next = false;
            }
            self.has_memory.d.next = self.valid.val() && self.begun.q.val();
            if self.weighs.val() {
                self.state.d.next = SettleState::Credit;
                self.settling.d.next = false;
                self.walking.d.next = false;
            }
            self.event.d.next = self.kind.val();
            self.qp_index.d.next = self.index.val();
            self.response.d.next = self.arrival.val();
            self.timer.d.next = self.timer_kind.val();
            self.qp_row.d.next = self.row.val();
            self.qp_attributes.d.next = self.attributes.val();
            self.next_read.d.next = self.following.val();
            self.gone_before.d.next = self.gone.val();
            self.any_on_the_way.d.next = self.leaving.val().any();
            self.many_on_the_way.d.next = self.leaving.val() >= 32;
            self.lowest.d.next = self.gone_psn.val();
            if self.row.val().went_back && (self.gone.val() == self.row.val().since) {
                self.lowest.d.next = self.row.val().resent;
            }
            self.stands.d.next = self.position.val();
            self.judged.d.next = self.verdict.val();
            self.bound.d.next = self.verdict.val().bound;
            if self.kind.val() == EventKind::Timer {
                self.bound.d.next = self.row.val().una;
            }
            self.local_fault.d.next = false;
            self.oldest_wqe.d.next = self.oldest.val();
            self.idle.d.next = self.completer_idle.val() && !self.leaving.val().any() && !self.row.val().owes;
        }

        self.row_write.next = self.acts.val() && self.outcome.write_row.val();
        self.new_row.next = self.outcome.new_row.val();
        self.may_go_back.next =
            self.settles_at_rest.val() && self.outcome.turns.val() && !self.any_on_the_way.q.val();
        self.wakes.next = self.acts.val() && self.outcome.wakes.val();
        self.sets_crowded.next = self.acts_at_rest.val() && self.outcome.sets_crowded.val();
        outputs!(self.outcome, crowded, start_psn);
        self.modify_tried.next = self.settles_at_rest.val() && (self.event.q.val() == EventKind::Modify);
        self.modifies.next = self.rests.val() && self.outcome.modifies.val();
        self.may_modify.next = self.occupied.q.val() && (self.event.q.val() == EventKind::Modify);
        self.fault_done.next = self.settles_at_rest.val() && (self.event.q.val() == EventKind::Fault);
        self.resumes.next = self.acts_at_rest.val() && self.outcome.resumes.val();
        self.start_valid.next = self.settles_at_rest.val() && self.outcome.starts.val();
        self.failed_valid.next = self.acts_at_rest.val() && self.outcome.fails.val();
        // No turn reports Error, so this does not wait for the late outcome of a turn.
        self.state_error_valid.next = self.settles_at_rest.val() && self.outcome.changed.val();
        self.stops.next = self.acts_at_rest.val() && self.outcome.stops.val();
        self.message.index.next = self.index_now.val();
        self.message.valid.next = self.acts.val() && self.outcome.messages.val();
        inputs!(self.message, kind: outcome.message_kind, bound: outcome.message_bound);
        inputs!(self.message, status: outcome.message_status, fence: outcome.message_fence);
        outputs!(self.outcome, set_code);
        self.sets_timer.next = self.acts.val() && self.outcome.sets_timer.val();
        outputs!(self.outcome, set_kind, arms);
        self.pieces.commit.next = self.settles.val() && self.outcome.takes.val();
        self.pieces.kind.next = bit_cast::<2, 1>(self.outcome.takes_atomic.val().into());
        self.original.valid.next = self.settles.val() && self.outcome.takes_atomic.val();
        self.original.item.next = self.response.q.val().original;
        self.drop.valid.next = self.settles_at_rest.val() && self.outcome.dropped.val();
        self.drop.reason.next = self.judged.q.val().drop_reason;
        self.drop.port.next = self.response.q.val().port;
        self.key_decided.next = self.settles_at_rest.val()
            && (self.event.q.val() == EventKind::Response)
            && (self.response.q.val().drop_reason == self.why.p_key.val());
        self.finished.next = self.settles_at_rest.val()
            && (self.event.q.val() == EventKind::Response)
            && self.response.q.val().own;
        self.retire.valid.next = self.acts.val() && self.outcome.report_valid.val();
        self.retire.record.next = self.outcome.report_record.val();
        if self.settles.val() && self.outcome.takes.val() {
            self.fence.d.next = self.fence.q.val() + 1;
        }
        if self.state.q.val() == SettleState::Clear {
            self.row_write.next = true;
            self.new_row.next = self.outcome.cleared_row.val();
            self.new_row.next.issued = self.gone_count.val();
            self.resumes.next = true;
            self.sets_timer.next = true;
            self.set_kind.next = bits::<2>(0);
            self.arms.next = false;
        }
        if self.reset.val() {
            self.state.d.next = SettleState::Clear;
            clear!(self, settling, walking, occupied, qp_index, fence, awaits, known, begun, ended);
        }
    }
}
