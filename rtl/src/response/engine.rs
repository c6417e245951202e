//! The response engine: one packet a turn, the QPs in turn.
use super::originals::Originals;
use super::packet::{AnswerPacket, AnswerRow};
use super::queue::JobQueue;
use super::turn::TurnReader;
use super::under_way::UnderWay;
use super::ResponseJob;
use crate::host::{command, retire};
use crate::primitive::{comment, dff_setup, Fifo, Register};
use crate::requester::Scheduler;
use crate::transmit::TransmitPacket;
use rust_hdl_core::prelude::*;

/// Syndrome of the NAK in place of a read response (`protocol/responder.md` section 5).
const NAK_REMOTE_ACCESS: u8 = 0x62;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum ServiceState {
    /// May the packet be made now?
    Decide,
    Walk,
    Walking,
    /// The packet is offered.
    Offer,
    Refuse,
}

/// Makes the answers that the responder has decided on, per QP in order (`protocol/responder.md` sections 8 and 9).
///
/// A turn: its job is read, the place in its Read computed, then the packet made, while the next turns are read. A QP
/// that has to wait (for its data to be written, its atomic, its packets to leave) goes to the end of the queue. A read
/// response is checked again by its own piece; a refused one becomes a NAK, the QP's last answer.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`; `QF` = `QB` + 1; `OS` = `QB` + 4; `JA` = `QB` + 5.
#[derive(LogicBlock)]
pub struct ResponseEngine<const QB: usize, const NQ: usize, const QF: usize, const OS: usize, const JA: usize>
{
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub modify_valid: Signal<In, Bit>,
    pub modify_ready: Signal<Out, Bit>,
    pub modify_index: Signal<In, Bits<QB>>,
    pub modify_row: Signal<In, Bits<448>>,
    pub modify_limits: Signal<In, Bits<64>>,

    pub job_valid: Signal<In, Bit>,
    pub job_ready: Signal<Out, Bit>,
    pub job: Signal<In, ResponseJob>,

    /// Packets of the responder whose writes are acknowledged, modulo 2^16.
    pub responder_written: Signal<In, Bits<16>>,
    /// One pulse: an atomic was carried out; QP index and resource.
    pub original_valid: Signal<In, Bit>,
    pub original_slot: Signal<In, Bits<OS>>,
    pub original_value: Signal<In, Bits<64>>,
    /// One pulse: a packet enters the link.
    pub emitted_valid: Signal<In, Bit>,
    pub emitted_index: Signal<In, Bits<QB>>,
    pub emitted_kind: Signal<In, Bits<2>>,

    /// To the walker: one SGE, the rest of the Read, of which the first `walk_length` bytes are read (right: remote read).
    pub walk_valid: Signal<Out, Bit>,
    pub walk_ready: Signal<In, Bit>,
    pub walk_list: Signal<Out, Bits<256>>,
    pub walk_length: Signal<Out, Bits<13>>,
    pub walk_pd: Signal<Out, Bits<24>>,
    /// One pulse: the pieces are in their queue, or `walk_fault` is not 0.
    pub walk_done: Signal<In, Bit>,
    pub walk_fault: Signal<In, Bits<2>>,
    /// To the queue of pieces.
    pub pieces_ready: Signal<In, Bit>,
    pub pieces_commit: Signal<Out, Bit>,
    pub pieces_abort: Signal<Out, Bit>,

    pub response_valid: Signal<Out, Bit>,
    pub response_ready: Signal<In, Bit>,
    pub response: Signal<Out, TransmitPacket>,
    pub ack_valid: Signal<Out, Bit>,
    pub ack_ready: Signal<In, Bit>,
    pub ack: Signal<Out, TransmitPacket>,

    /// A read could not be answered: the responder has to fail the QP.
    pub fail_valid: Signal<Out, Bit>,
    pub fail_ready: Signal<In, Bit>,
    pub fail_index: Signal<Out, Bits<QB>>,

    pub retire_valid: Signal<Out, Bit>,
    pub retire_record: Signal<Out, Bits<96>>,

    queue: JobQueue<QB, JA>,
    turns: Scheduler<QB, NQ, QF>,
    under_way: UnderWay<QB>,
    originals: Originals<OS>,
    modified: AnswerRow,
    answer: AnswerPacket,
    failed: Fifo<QB, QB>,
    turn: TurnReader<QB>,
    written: Register<Bits<32>>,
    /// After reset the tables are cleared, a row a clock.
    clears: Register<Bit>,
    clear_slot: Register<Bits<OS>>,

    serving: Register<Bit>,
    state: Register<ServiceState>,
    index: Register<Bits<QB>>,
    head: Register<Bits<6>>,
    job_row: Register<Bits<274>>,
    config_row: Register<Bits<83>>,
    responses: Register<Bits<24>>,
    offset: Register<Bits<32>>,
    psn: Register<Bits<24>>,
    va: Register<Bits<64>>,
    left: Register<Bits<32>>,
    in_memory: Register<Bit>,

    /// Of the modify that waits: it ends all answers of its QP.
    stops: Signal<Local, Bit>,
    stops_served: Signal<Local, Bit>,
    takes_modify: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    advances: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    is_read: Signal<Local, Bit>,
    is_atomic: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    pmtu: Signal<Local, Bits<13>>,
    payload: Signal<Local, Bits<13>>,
    goes: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    hands_over: Signal<Local, Bit>,
    handed_over: Signal<Local, Bit>,
    fetched: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    nak: Signal<Local, ResponseJob>,

    bytes_128: Constant<Bits<13>>,
    kind_ack: Constant<Bits<2>>,
    kind_read: Constant<Bits<2>>,
    kind_atomic: Constant<Bits<2>>,
    remote_access: Constant<Bits<8>>,
    state_reset: Constant<Bits<3>>,
    state_error: Constant<Bits<3>>,
    record_fetched: Constant<Bits<96>>,
    record_refused: Constant<Bits<96>>,
}

fn two_bits(value: u8) -> Constant<Bits<2>> {
    Constant::new((value as usize).to_bits())
}

impl<const QB: usize, const NQ: usize, const QF: usize, const OS: usize, const JA: usize> Default
    for ResponseEngine<QB, NQ, QF, OS, JA>
{
    fn default() -> Self {
        assert_eq!(OS, QB + 4);
        ResponseEngine {
            clock: Default::default(),
            reset: Default::default(),
            modify_valid: Default::default(),
            modify_ready: Default::default(),
            modify_index: Default::default(),
            modify_row: Default::default(),
            modify_limits: Default::default(),
            job_valid: Default::default(),
            job_ready: Default::default(),
            job: Default::default(),
            responder_written: Default::default(),
            original_valid: Default::default(),
            original_slot: Default::default(),
            original_value: Default::default(),
            emitted_valid: Default::default(),
            emitted_index: Default::default(),
            emitted_kind: Default::default(),
            walk_valid: Default::default(),
            walk_ready: Default::default(),
            walk_list: Default::default(),
            walk_length: Default::default(),
            walk_pd: Default::default(),
            walk_done: Default::default(),
            walk_fault: Default::default(),
            pieces_ready: Default::default(),
            pieces_commit: Default::default(),
            pieces_abort: Default::default(),
            response_valid: Default::default(),
            response_ready: Default::default(),
            response: Default::default(),
            ack_valid: Default::default(),
            ack_ready: Default::default(),
            ack: Default::default(),
            fail_valid: Default::default(),
            fail_ready: Default::default(),
            fail_index: Default::default(),
            retire_valid: Default::default(),
            retire_record: Default::default(),
            queue: Default::default(),
            turns: Default::default(),
            under_way: Default::default(),
            originals: Default::default(),
            modified: Default::default(),
            answer: Default::default(),
            failed: Default::default(),
            turn: Default::default(),
            written: Default::default(),
            clears: Default::default(),
            clear_slot: Default::default(),
            serving: Default::default(),
            state: Default::default(),
            index: Default::default(),
            head: Default::default(),
            job_row: Default::default(),
            config_row: Default::default(),
            responses: Default::default(),
            offset: Default::default(),
            psn: Default::default(),
            va: Default::default(),
            left: Default::default(),
            in_memory: Default::default(),
            stops: Default::default(),
            stops_served: Default::default(),
            takes_modify: Default::default(),
            ends: Default::default(),
            advances: Default::default(),
            leaves: Default::default(),
            is_read: Default::default(),
            is_atomic: Default::default(),
            is_ack: Default::default(),
            first: Default::default(),
            last: Default::default(),
            pmtu: Default::default(),
            payload: Default::default(),
            goes: Default::default(),
            again: Default::default(),
            hands_over: Default::default(),
            handed_over: Default::default(),
            fetched: Default::default(),
            refuses: Default::default(),
            finishes: Default::default(),
            nak: Default::default(),
            bytes_128: Constant::new(128usize.to_bits()),
            kind_ack: two_bits(super::JOB_ACK),
            kind_read: two_bits(super::JOB_READ),
            kind_atomic: two_bits(super::JOB_ATOMIC),
            remote_access: Constant::new((NAK_REMOTE_ACCESS as usize).to_bits()),
            state_reset: crate::context::state::constant(command::STATE_RESET),
            state_error: crate::context::state::constant(command::STATE_ERROR),
            record_fetched: crate::retire::kind(retire::kind::READ_FETCHED),
            record_refused: crate::retire::kind_code(retire::kind::READ_REFUSED, NAK_REMOTE_ACCESS),
        }
    }
}

impl<const QB: usize, const NQ: usize, const QF: usize, const OS: usize, const JA: usize> Logic
    for ResponseEngine<QB, NQ, QF, OS, JA>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module response_engine");
        dff_setup!(
            self, clock, written, clears, clear_slot, serving, state, index, head, job_row, config_row,
            responses, offset, psn, va, left, in_memory
        );
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.turns.clock.next = self.clock.val();
        self.turns.reset.next = self.reset.val();
        self.under_way.clock.next = self.clock.val();
        self.originals.clock.next = self.clock.val();
        self.failed.clock.next = self.clock.val();
        self.failed.reset.next = self.reset.val();
        self.turn.clock.next = self.clock.val();
        self.turn.reset.next = self.reset.val();

        self.clear_slot.d.next = self.clear_slot.q.val() + 1;
        if self.clear_slot.q.val().all() {
            self.clears.d.next = false;
        }
        self.written.d.next = self.written.q.val()
            + bit_cast::<32, 16>(self.responder_written.val() - self.written.q.val().get_bits::<16>(0));

        // Jobs come in.
        self.queue.job.next = self.job.val();
        self.queue.job_valid.next = self.job_valid.val() && !self.clears.q.val();
        self.job_ready.next = self.queue.job_ready.val() && !self.clears.q.val();
        self.queue.written.next = self.written.q.val();
        self.turns.wake_a_valid.next = self.queue.wake_valid.val();
        self.turns.wake_a_index.next = self.queue.wake_index.val();
        // A replay of an atomic has no length, and its original value is there.
        self.originals.ask_valid.next = self.job_valid.val()
            && self.queue.job_ready.val()
            && !self.clears.q.val()
            && (self.job.val().kind == self.kind_atomic.val())
            && self.job.val().length.any();
        self.originals.ask_slot.next =
            (bit_cast::<OS, 24>(self.job.val().qpn) << 4) | bit_cast::<OS, 4>(self.job.val().slot);
        self.originals.original_valid.next = self.original_valid.val();
        self.originals.original_slot.next = self.original_slot.val();
        self.originals.original_value.next = self.original_value.val();
        self.under_way.emitted_valid.next = self.emitted_valid.val();
        self.under_way.emitted_index.next = self.emitted_index.val();
        self.under_way.emitted_kind.next = self.emitted_kind.val();

        // A modify waits for a clock in which nothing of its QP is on the way in or being served.
        self.modified.modify_row.next = self.modify_row.val();
        self.modified.modify_limits.next = self.modify_limits.val();
        self.stops.next = self.modify_valid.val()
            && ((self.modified.state.val() == self.state_reset.val())
                || (self.modified.state.val() == self.state_error.val()));
        self.queue.stop_valid.next = self.stops.val();
        self.queue.stop_index.next = self.modify_index.val();
        self.under_way.quiet_index.next = self.modify_index.val();
        self.takes_modify.next = self.modify_valid.val()
            && !self.clears.q.val()
            && (!self.serving.q.val()
                || ((self.state.q.val() == ServiceState::Decide)
                    && (self.index.q.val() != self.modify_index.val())))
            && !self.queue.stopping.val()
            && (self.under_way.quiet.val() || (self.modified.state.val() != self.state_reset.val()));
        self.modify_ready.next = self.takes_modify.val();
        self.ends.next = self.takes_modify.val() && self.stops.val();
        self.turn.config_valid.next = self.takes_modify.val();
        self.turn.config_index.next = self.modify_index.val();
        self.turn.config_new.next = self.modified.row.val();

        // The job being served.
        self.is_ack.next = self.job_row.q.val().get_bits::<2>(0) == self.kind_ack.val();
        self.is_read.next = self.job_row.q.val().get_bits::<2>(0) == self.kind_read.val();
        self.is_atomic.next = self.job_row.q.val().get_bits::<2>(0) == self.kind_atomic.val();
        self.under_way.index.next = self.index.q.val();
        self.originals.slot.next = (bit_cast::<OS, QB>(self.index.q.val()) << 4)
            | bit_cast::<OS, 4>(self.job_row.q.val().get_bits::<4>(230));
        self.first.next = !self.responses.q.val().any();
        self.pmtu.next = self.bytes_128.val() << self.config_row.q.val().get_bits::<3>(56);
        self.last.next = self.left.q.val() <= bit_cast::<32, 13>(self.pmtu.val());
        self.payload.next = self.pmtu.val();
        if self.last.val() {
            self.payload.next = self.left.q.val().get_bits::<13>(0);
        }
        self.stops_served.next = self.stops.val() && (self.index.q.val() == self.modify_index.val());
        self.goes.next = !self.stops_served.val()
            && ((self.is_ack.val() && self.under_way.lets_ack.val())
                || (self.is_atomic.val() && self.under_way.lets_data.val() && self.originals.present.val())
                || (self.is_read.val()
                    && self.under_way.lets_data.val()
                    && self.in_memory.q.val()
                    && self.pieces_ready.val()));

        self.answer.job.next = self.job_row.q.val();
        self.answer.row.next = self.config_row.q.val();
        self.answer.psn.next = self.psn.q.val();
        self.answer.first.next = self.first.val();
        self.answer.last.next = self.last.val();
        self.answer.payload.next = self.payload.val();
        self.answer.original.next = self.originals.value.val();
        self.response.next = self.answer.packet.val();
        self.ack.next = self.answer.packet.val();
        self.walk_list.next = (bit_cast::<256, 64>(self.va.q.val()) << 192)
            | (bit_cast::<256, 32>(self.left.q.val()) << 160)
            | (bit_cast::<256, 32>(self.job_row.q.val().get_bits::<32>(166)) << 128);
        self.walk_length.next = self.payload.val();
        self.walk_pd.next = self.config_row.q.val().get_bits::<24>(59);

        self.walk_valid.next = false;
        self.pieces_commit.next = false;
        self.pieces_abort.next = false;
        self.hands_over.next = false;
        self.again.next = false;
        self.fetched.next = false;
        self.refuses.next = false;
        if self.serving.q.val() {
            match self.state.q.val() {
                ServiceState::Decide => {
                    self.again.next = !self.goes.val();
                    self.fetched.next = self.goes.val() && self.is_read.val() && !self.payload.val().any();
                    if self.goes.val() {
                        self.state.d.next = ServiceState::Offer;
                        if self.is_read.val() && self.payload.val().any() {
                            self.state.d.next = ServiceState::Walk;
                        }
                    }
                }
                ServiceState::Walk => {
                    self.walk_valid.next = true;
                    if self.walk_ready.val() {
                        self.state.d.next = ServiceState::Walking;
                    }
                }
                ServiceState::Walking => {
                    if self.walk_done.val() {
                        self.state.d.next = ServiceState::Refuse;
                        self.pieces_abort.next = true;
                        if !self.walk_fault.val().any() {
                            self.state.d.next = ServiceState::Offer;
                            self.pieces_abort.next = false;
                            self.pieces_commit.next = true;
                            self.fetched.next = true;
                        }
                    }
                }
                ServiceState::Offer => {
                    self.hands_over.next = true;
                }
                ServiceState::Refuse => {
                    self.refuses.next = true;
                }
            }
        }
        self.ack_valid.next = self.hands_over.val() && self.is_ack.val();
        self.response_valid.next = self.hands_over.val() && !self.is_ack.val();
        self.handed_over.next = self.hands_over.val()
            && ((self.is_ack.val() && self.ack_ready.val())
                || (!self.is_ack.val() && self.response_ready.val()));
        self.finishes.next = self.handed_over.val() && (!self.is_read.val() || self.last.val());
        self.leaves.next = self.again.val() || self.handed_over.val() || self.refuses.val();
        self.turns.wake_b_valid.next = self.leaves.val();
        self.turns.wake_b_index.next = self.index.q.val();
        self.turns.wake_c_valid.next = false;
        self.turns.wake_c_index.next = self.index.q.val();
        self.turns.wake_d_valid.next = false;
        self.turns.wake_d_index.next = self.index.q.val();

        self.under_way.launch_valid.next = self.handed_over.val();
        self.under_way.launch_ack.next = self.is_ack.val();
        self.queue.done_valid.next = self.finishes.val();
        self.queue.done_index.next = self.index.q.val();
        self.queue.done_head.next = self.head.q.val();
        self.queue.refused_valid.next = self.refuses.val();
        self.nak.next.kind = self.kind_ack.val();
        self.nak.next.qpn = self.job_row.q.val().get_bits::<24>(2);
        self.nak.next.psn = self.psn.q.val();
        self.nak.next.syndrome = self.remote_access.val();
        self.nak.next.msn = self.job_row.q.val().get_bits::<24>(58);
        self.nak.next.slid = self.job_row.q.val().get_bits::<16>(82);
        self.nak.next.sl = self.job_row.q.val().get_bits::<4>(98);
        self.nak.next.va = bits::<64>(0);
        self.nak.next.r_key = bits::<32>(0);
        self.nak.next.length = bits::<32>(0);
        self.nak.next.slot = bits::<4>(0);
        self.nak.next.fence = bits::<16>(0);
        self.nak.next.last_psn = self.psn.q.val();
        self.queue.nak.next = self.nak.val();
        self.queue.clear_valid.next = self.ends.val() || self.clears.q.val();
        self.queue.clear_index.next = self.modify_index.val();
        self.under_way.clear_valid.next = self.clears.q.val();
        self.under_way.clear_index.next = self.clear_slot.q.val().get_bits::<QB>(0);
        self.originals.clear_valid.next = self.clears.q.val();
        self.originals.clear_slot.next = self.clear_slot.q.val();
        self.turn.progress_valid.next = self.handed_over.val() || self.refuses.val();
        self.turn.progress_index.next = self.index.q.val();
        self.turn.progress.next = 0.into();
        if self.handed_over.val() && !self.finishes.val() {
            self.turn.progress.next = (bit_cast::<56, 24>(self.responses.q.val() + 1) << 32)
                | bit_cast::<56, 32>(self.offset.q.val() + bit_cast::<32, 13>(self.payload.val()));
        }
        if self.ends.val() {
            self.turn.progress_valid.next = true;
            self.turn.progress_index.next = self.modify_index.val();
        }
        if self.clears.q.val() {
            self.queue.clear_index.next = self.clear_slot.q.val().get_bits::<QB>(0);
            self.turn.progress_valid.next = true;
            self.turn.progress_index.next = self.clear_slot.q.val().get_bits::<QB>(0);
        }

        // The turns behind it move up; those of the same QP are void, for its place has moved on.
        self.advances.next = !self.serving.q.val() || self.leaves.val();
        self.turn.written.next = self.written.q.val();
        self.turn.advances.next = self.advances.val();
        self.turn.serving.next = self.serving.q.val();
        self.turn.serving_index.next = self.index.q.val();
        self.turn.ends.next = self.ends.val();
        self.turn.ends_index.next = self.modify_index.val();
        self.turn.turn_valid.next = self.turns.turn_valid.val();
        self.turn.turn_index.next = self.turns.turn_index.val();
        self.turns.turn_ready.next = self.turn.turn_ready.val();
        self.queue.index.next = self.turn.queue_index.val();
        self.turn.queue_filled.next = self.queue.filled.val();
        self.turn.queue_head.next = self.queue.head.val();
        self.turn.queue_row.next = self.queue.row.val();
        if self.advances.val() {
            self.serving.d.next = self.turn.valid.val();
            self.state.d.next = ServiceState::Decide;
            self.index.d.next = self.turn.index.val();
            self.head.d.next = self.turn.head.val();
            self.job_row.d.next = self.turn.job.val();
            self.config_row.d.next = self.turn.config_row.val();
            self.responses.d.next = self.turn.responses.val();
            self.offset.d.next = self.turn.offset.val();
            self.psn.d.next = self.turn.psn.val();
            self.va.d.next = self.turn.va.val();
            self.left.d.next = self.turn.left.val();
            self.in_memory.d.next = self.turn.in_memory.val();
        }

        self.failed.write_valid.next = self.refuses.val();
        self.failed.write_data.next = self.index.q.val();
        self.fail_valid.next = self.failed.read_valid.val();
        self.fail_index.next = self.failed.read_data.val();
        self.failed.read_ready.next = self.fail_ready.val();

        self.retire_valid.next = self.fetched.val() || self.refuses.val();
        self.retire_record.next = self.record_fetched.val()
            | (bit_cast::<96, 24>(self.job_row.q.val().get_bits::<24>(2)) << 56)
            | (bit_cast::<96, 24>(self.psn.q.val()) << 32);
        if self.refuses.val() {
            self.retire_record.next = self.record_refused.val()
                | (bit_cast::<96, 24>(self.job_row.q.val().get_bits::<24>(2)) << 56)
                | (bit_cast::<96, 24>(self.psn.q.val()) << 32);
        }
        if self.reset.val() {
            self.clears.d.next = true;
            self.clear_slot.d.next = 0.into();
            self.serving.d.next = false;
        }
    }
}
