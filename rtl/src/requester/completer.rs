//! Completes the WQEs of the send queue in post order, by their last PSN.
use super::{CompleterMessage, CompleterMessages, StartedWqe, WqeOwner};
use crate::bundle::{CompleterMessageSink, ConsumedSource, RowModifySink, StartedWqeSink};
use crate::completion::{CompletionRecord, CqeStatuses};
use crate::context::QpStates;
use hca_hdl::prelude::*;
use hca_host::command;

/// Kind of message: every PSN before the bound is done.
pub const ADVANCE: u8 = 0;
/// Kind of message: the same, and the oldest WQE left ends with the status.
pub const FAIL: u8 = 1;
/// Kind of message: every WQE that has arrived is flushed.
pub const FLUSH: u8 = 2;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum FetchState {
    /// No message is prepared.
    Empty,
    /// The row of the oldest WQE is requested again.
    Again,
    /// The row of the oldest WQE is on its way, and the row of the WQE after it is requested.
    Second,
    /// The row of the oldest WQE is here, and the row after it is at the output of the memory.
    Ready,
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum CompleterState {
    /// After reset the counts are cleared, one QP a cycle.
    Clear,
    /// No message is carried out.
    Idle,
    /// The oldest WQE completes in this state; the message ends in it if it completes no WQE.
    First,
    /// The WQE after the oldest completes in this state; the message ends in it if it completes no further WQE.
    Follow,
    /// Two WQEs have been completed; the row of the WQE after them is on its way.
    Land,
    /// The row of that WQE is here and is compared with the bound.
    Weigh,
}

/// Turns the messages of the requester into completions (`protocol/requester.md` sections 6, 8 and 9).
///
/// Messages are carried out in order. The rows of a QP's two oldest WQEs are read while the message before is carried
/// out, if that is one of another QP: then a message that completes one WQE takes two clocks, else five. A message that
/// completes many takes two for each. An unsignaled success writes no completion.
/// `QB`: QP index bits; `OA` = `QB` + 6.
#[derive(LogicBlock, SmartDefault)]
pub struct Completer<const QB: usize, const OA: usize> {
    #[default(provided(
        OA == QB + command::MAX_SQ_LOG_SIZE as usize,
        "OA == QB + command::MAX_SQ_LOG_SIZE as usize"
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle when a QP was modified. Reset needs `idle`.
    pub modify: RowModifySink<QB>,

    /// WQEs that start. Registered for timing: they settle late in the clock.
    pub sent: StartedWqeSink<QB>,

    /// Messages of the requester; `kind` is [`ADVANCE`], [`FAIL`] or [`FLUSH`].
    pub message: CompleterMessageSink<QB>,

    /// QP that `arrived` belongs to.
    pub arrived_index: Signal<Out, Bits<QB>>,
    /// Number of WQEs of QP `arrived_index` that have arrived in the cache, modulo 2^16.
    pub arrived: Signal<In, Bits<16>>,

    /// Completions of send queues.
    pub completion: OfferSource<CompletionRecord>,

    /// High for one cycle when WQEs of a QP are consumed.
    pub consumer: ConsumedSource<QB>,

    /// QP that `idle` describes.
    pub idle_index: Signal<In, Bits<QB>>,
    /// High if no message of QP `idle_index` is queued or being carried out.
    pub idle: Signal<Out, Bit>,
    /// QP that `oldest_wqe` belongs to.
    pub oldest_index: Signal<In, Bits<QB>>,
    /// Index of the oldest WQE of QP `oldest_index` that is not complete, modulo 2^16.
    pub oldest_wqe: Signal<Out, Bits<16>>,

    messages: CompleterMessages<QB>,
    /// Index of each QP's next WQE to start.
    next_start: LutRam<Bits<16>, QB>,
    /// Index of each QP's next WQE to complete.
    completed: LutRam<Bits<16>, QB>,
    owner: LutRam<WqeOwner, QB>,
    /// A [`StartedWqe`] each, by QP and WQE index modulo 64.
    wqes: BlockRam<StartedWqe, OA>,

    // The message that is prepared: the rows of its two oldest WQEs are being read.
    fetch: Register<FetchState>,
    next: Register<CompleterMessage>,
    next_oldest: Register<Bits<16>>,
    next_started_end: Register<Bits<16>>,
    next_arrived_end: Register<Bits<16>>,
    row: Register<StartedWqe>,

    // The message that is carried out.
    state: Register<CompleterState>,
    head: Register<CompleterMessage>,
    oldest: Register<Bits<16>>,
    started_end: Register<Bits<16>>,
    arrived_end: Register<Bits<16>>,
    /// Row of the oldest WQE.
    acting: Register<StartedWqe>,
    covered: Register<Bit>,
    started: Register<Bit>,
    exists: Register<Bit>,

    clears: Register<Bits<QB>>,
    /// High while `next_start` of QP `emptied`, which is in Reset, waits to be cleared.
    empties_sent: Register<Bit>,
    /// High while `completed` of that QP waits to be cleared.
    empties_completed: Register<Bit>,
    /// The QP that was reset last.
    emptied: Register<Bits<QB>>,
    starts: Register<Bit>,
    starts_index: Register<Bits<QB>>,
    starts_wqe: Register<Bits<16>>,
    /// A row of `wqes`.
    starts_row: Register<StartedWqe>,

    first_index: Signal<Local, Bits<QB>>,
    next_index: Signal<Local, Bits<QB>>,
    index: Signal<Local, Bits<QB>>,
    kind: Signal<Local, Bits<2>>,
    /// High if the oldest message waits in the queue and may be looked at: no other of its QP is here.
    waits: Signal<Local, Bit>,
    /// High if its rows are addressed in this clock.
    takes: Signal<Local, Bit>,
    /// High if the message whose rows are here is carried out from the next clock on.
    hands_on: Signal<Local, Bit>,
    /// High if `row` may be written.
    row_free: Signal<Local, Bit>,
    /// WQE that is the oldest in the next clock.
    place: Signal<Local, Bits<16>>,
    bound: Signal<Local, Bits<24>>,
    ends_of_started: Signal<Local, Bits<16>>,
    ends_of_arrived: Signal<Local, Bits<16>>,
    beyond: Signal<Local, Bits<24>>,
    unfinished: Signal<Local, Bits<16>>,
    succeeds: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    shows: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    retires: Signal<Local, Bit>,
    runs_on: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    clears_sent: Signal<Local, Bit>,
    clears_completed: Signal<Local, Bit>,

    states: QpStates,
    #[default(constant(FAIL))]
    kind_fail: Constant<Bits<2>>,
    #[default(constant(FLUSH))]
    kind_flush: Constant<Bits<2>>,
    statuses: CqeStatuses,
}

#[kernel]
impl<const QB: usize, const OA: usize> Logic for Completer<QB, OA> {
    fn update(&mut self) {
        clock!(self, clock, messages, next_start, completed, owner, wqes);
        self.messages.reset.next = self.reset.val();

        CompleterMessageSink::<QB>::link(&mut self.message, &mut self.messages.write);
        self.messages.clears.next = self.state.q.val() == CompleterState::Clear;
        inputs!(self.messages, clears_index: clears.q, idle_index);
        self.idle.next = self.messages.idle.val();

        self.first_index.next = self.messages.read.item.val().index.get_bits::<QB>(0);
        self.next_index.next = self.next.q.val().index.get_bits::<QB>(0);
        self.index.next = self.head.q.val().index.get_bits::<QB>(0);
        self.kind.next = self.head.q.val().kind;
        self.next_start.read_address_a.next = self.first_index.val();
        self.next_start.read_address_b.next = self.first_index.val();
        inputs!(self.completed, read_address_a: first_index, read_address_b: oldest_index);
        self.oldest_wqe.next = self.completed.read_data_b.val();
        inputs!(self.owner, read_address_a: index, read_address_b: index);
        self.arrived_index.next = self.first_index.val();

        self.flushes.next = (self.kind.val() == self.kind_flush.val()) && self.exists.q.val();
        self.succeeds.next =
            (self.kind.val() != self.kind_flush.val()) && self.started.q.val() && self.covered.q.val();
        self.fails.next =
            (self.kind.val() == self.kind_fail.val()) && self.exists.q.val() && !self.succeeds.val();
        self.completes.next = self.flushes.val() || self.succeeds.val() || self.fails.val();
        self.shows.next = self.flushes.val() || self.fails.val() || self.acting.q.val().signaled;
        self.completion.item.next.cqn = self.owner.read_data_a.val().cqn;
        self.completion.item.next.qpn = self.owner.read_data_a.val().qpn;
        self.completion.item.next.index = self.oldest.q.val();
        self.completion.item.next.status = bits::<8>(0);
        self.completion.item.next.receive = false;
        self.completion.item.next.operation = bits::<8>(0);
        if self.started.q.val() {
            self.completion.item.next.operation = self.acting.q.val().operation;
        }
        self.completion.item.next.byte_count = bits::<32>(0);
        if self.succeeds.val() {
            self.completion.item.next.byte_count = self.acting.q.val().bytes;
        }
        if self.fails.val() {
            self.completion.item.next.status = self.head.q.val().status;
        }
        if self.flushes.val() {
            self.completion.item.next.status = self.statuses.wr_flush_err.val();
        }
        self.completion.item.next.has_immediate = false;
        self.completion.item.next.immediate = bits::<32>(0);
        self.completion.item.next.has_p_key_index = false;
        self.completion.item.next.p_key_index = bits::<2>(0);
        self.completion.item.next.has_invalidated = false;
        self.completion.item.next.fence = self.head.q.val().fence;
        self.completion.item.next.solicited = false;
        self.completion.item.next.datagram = false;
        self.completion.item.next.grh = false;
        self.completion.item.next.slid = bits::<16>(0);
        self.completion.item.next.sl = bits::<4>(0);
        self.completion.item.next.source_qpn = bits::<24>(0);
        self.completion.item.next.sender = bits::<48>(0);
        self.completion.item.next.path_bits = bits::<7>(0);
        self.completion.item.next.port = false;

        self.acts.next =
            (self.state.q.val() == CompleterState::First) || (self.state.q.val() == CompleterState::Follow);
        self.completion.valid.next = self.acts.val() && self.completes.val() && self.shows.val();
        self.retires.next =
            self.acts.val() && self.completes.val() && (self.completion.ready.val() || !self.shows.val());
        self.done.next =
            self.acts.val() && (!self.completes.val() || (self.retires.val() && self.fails.val()));
        self.runs_on.next =
            (self.state.q.val() == CompleterState::Follow) && self.retires.val() && !self.fails.val();
        self.hands_on.next = (self.fetch.q.val() == FetchState::Ready)
            && ((self.state.q.val() == CompleterState::Idle)
                || ((self.state.q.val() == CompleterState::Follow) && self.done.val()));

        // Read the rows of the next message's two oldest WQEs.
        self.waits.next = self.messages.read.valid.val()
            && ((self.state.q.val() == CompleterState::Idle) || (self.first_index.val() != self.index.val()))
            && (self.state.q.val() != CompleterState::Clear)
            && ((self.fetch.q.val() == FetchState::Empty)
                || (self.first_index.val() != self.next_index.val()));
        self.row_free.next = (self.state.q.val() == CompleterState::Idle)
            || ((self.state.q.val() == CompleterState::First) && (self.retires.val() || self.done.val()))
            || ((self.state.q.val() == CompleterState::Follow) && !self.runs_on.val());
        self.takes.next =
            self.waits.val() && ((self.fetch.q.val() == FetchState::Empty) || self.hands_on.val());
        self.messages.read.ready.next = self.takes.val();
        self.wqes.read_address.next = (bit_cast::<OA, QB>(self.next_index.val()) << 6)
            | bit_cast::<OA, 6>(self.next_oldest.q.val().get_bits::<6>(0));
        match self.fetch.q.val() {
            FetchState::Empty => {}
            FetchState::Again => {
                self.fetch.d.next = FetchState::Second;
            }
            FetchState::Second => {
                if self.row_free.val() {
                    self.wqes.read_address.next = (bit_cast::<OA, QB>(self.next_index.val()) << 6)
                        | bit_cast::<OA, 6>((self.next_oldest.q.val() + 1).get_bits::<6>(0));
                    self.row.d.next = self.wqes.read_data.val();
                    self.fetch.d.next = FetchState::Ready;
                }
            }
            FetchState::Ready => {
                self.wqes.read_address.next = (bit_cast::<OA, QB>(self.next_index.val()) << 6)
                    | bit_cast::<OA, 6>((self.next_oldest.q.val() + 1).get_bits::<6>(0));
            }
        }
        if self.hands_on.val() {
            self.fetch.d.next = FetchState::Empty;
        }
        if self.takes.val() {
            self.fetch.d.next = FetchState::Second;
            self.next.d.next = self.messages.read.item.val();
            self.next_oldest.d.next = self.completed.read_data_a.val();
            self.next_started_end.d.next = self.next_start.read_data_a.val();
            self.next_arrived_end.d.next = self.arrived.val();
            self.wqes.read_address.next = (bit_cast::<OA, QB>(self.first_index.val()) << 6)
                | bit_cast::<OA, 6>(self.completed.read_data_a.val().get_bits::<6>(0));
        }

        // Weigh a row: is it before the bound, modulo 2^24, and is its WQE one that was started, or has arrived?
        self.place.next = self.oldest.q.val();
        self.bound.next = self.head.q.val().bound;
        self.ends_of_started.next = self.started_end.q.val();
        self.ends_of_arrived.next = self.arrived_end.q.val();
        if self.retires.val() {
            self.place.next = self.oldest.q.val() + 1;
        }
        if self.hands_on.val() {
            self.place.next = self.next_oldest.q.val();
            self.bound.next = self.next.q.val().bound;
            self.ends_of_started.next = self.next_started_end.q.val();
            self.ends_of_arrived.next = self.next_arrived_end.q.val();
        }
        self.beyond.next = self.row.q.val().psn - self.bound.val();
        // A flush goes beyond what was started.
        self.unfinished.next = self.ends_of_started.val() - self.place.val();

        match self.state.q.val() {
            CompleterState::Clear => {
                self.clears.d.next = self.clears.q.val() + 1;
                if self.clears.q.val().all() {
                    self.state.d.next = CompleterState::Idle;
                }
            }
            CompleterState::Idle => {}
            CompleterState::First => {
                if self.retires.val() {
                    self.state.d.next = CompleterState::Follow;
                }
            }
            CompleterState::Follow => {}
            CompleterState::Land => {
                self.state.d.next = CompleterState::Weigh;
            }
            CompleterState::Weigh => {
                self.state.d.next = CompleterState::First;
            }
        }
        if self.done.val() {
            self.state.d.next = CompleterState::Idle;
        }
        if self.hands_on.val() {
            self.state.d.next = CompleterState::First;
            self.head.d.next = self.next.q.val();
            self.started_end.d.next = self.next_started_end.q.val();
            self.arrived_end.d.next = self.next_arrived_end.q.val();
        }
        // The memory turns to a message that goes on; the one behind it starts over.
        if self.runs_on.val()
            || (self.state.q.val() == CompleterState::Land)
            || (self.state.q.val() == CompleterState::Weigh)
        {
            if (self.fetch.q.val() != FetchState::Empty) || self.takes.val() {
                self.fetch.d.next = FetchState::Again;
            }
            self.wqes.read_address.next = (bit_cast::<OA, QB>(self.index.val()) << 6)
                | bit_cast::<OA, 6>((self.oldest.q.val() + 1).get_bits::<6>(0));
        }
        if self.runs_on.val() {
            self.state.d.next = CompleterState::Land;
        }
        if self.hands_on.val()
            || (self.state.q.val() == CompleterState::Land)
            || (self.state.q.val() == CompleterState::Weigh)
        {
            self.row.d.next = self.wqes.read_data.val();
        }
        // These stand still while a completion waits.
        if self.retires.val() || self.hands_on.val() || (self.state.q.val() == CompleterState::Weigh) {
            self.oldest.d.next = self.place.val();
            self.acting.d.next = self.row.q.val();
            self.covered.d.next = self.beyond.val().get_bit(23);
            self.started.d.next = self.unfinished.val().any() && !self.unfinished.val().get_bit(15);
            self.exists.d.next = self.ends_of_arrived.val() != self.place.val();
        }
        inputs!(self.consumer, valid: retires, index);
        self.consumer.item.next = self.oldest.q.val() + 1;

        // A QP that was reset waits for a clock in which its tables take no other write.
        if self.modify.valid.val() && (self.modify.row.val().state == self.states.reset.val()) {
            self.empties_sent.d.next = true;
            self.empties_completed.d.next = true;
            self.emptied.d.next = self.modify.index.val();
        }
        self.starts.d.next = self.sent.valid.val();
        self.starts_index.d.next = self.sent.index.val();
        self.starts_wqe.d.next = self.sent.wqe.val();
        self.starts_row.d.next.psn = self.sent.psn.val();
        self.starts_row.d.next.operation = self.sent.operation.val();
        self.starts_row.d.next.signaled = self.sent.signaled.val();
        self.starts_row.d.next.bytes = self.sent.bytes.val();
        self.clears_sent.next = self.empties_sent.q.val() && !self.starts.q.val();
        self.clears_completed.next = self.empties_completed.q.val() && !self.retires.val();
        if self.clears_sent.val() {
            self.empties_sent.d.next = false;
        }
        if self.clears_completed.val() {
            self.empties_completed.d.next = false;
        }
        self.completed.write_enable.next = self.retires.val() || self.clears_completed.val();
        self.completed.write_address.next = self.index.val();
        self.completed.write_data.next = self.oldest.q.val() + 1;
        if self.clears_completed.val() {
            self.completed.write_address.next = self.emptied.q.val();
            self.completed.write_data.next = bits::<16>(0);
        }
        self.next_start.write_enable.next = self.starts.q.val() || self.clears_sent.val();
        self.next_start.write_address.next = self.starts_index.q.val();
        self.next_start.write_data.next = self.starts_wqe.q.val() + 1;
        if self.clears_sent.val() {
            self.next_start.write_address.next = self.emptied.q.val();
            self.next_start.write_data.next = bits::<16>(0);
        }
        self.owner.write_enable.next = self.modify.valid.val();
        self.owner.write_address.next = self.modify.index.val();
        self.owner.write_data.next.cqn = self.modify.row.val().send_cqn;
        self.owner.write_data.next.qpn = self.modify.row.val().qpn;
        inputs!(self.messages, done, done_index: index);
        self.wqes.write_enable.next = self.starts.q.val();
        self.wqes.write_address.next = (bit_cast::<OA, QB>(self.starts_index.q.val()) << 6)
            | bit_cast::<OA, 6>(self.starts_wqe.q.val().get_bits::<6>(0));
        self.wqes.write_data.next = self.starts_row.q.val();
        if self.reset.val() {
            self.state.d.next = CompleterState::Clear;
            self.fetch.d.next = FetchState::Empty;
            self.clears.d.next = 0.into();
            clear!(self, starts, empties_sent, empties_completed);
        }
    }
}
