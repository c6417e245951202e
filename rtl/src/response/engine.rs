//! The response engine: makes one packet a turn, and serves the QPs in turn.
use super::originals::Originals;
use super::packet::AnswerPacket;
use super::permission::Permission;
use super::queue::JobQueue;
use super::report::AnswerReport;
use super::row::{AnswerConfig, AnswerRow};
use super::turn_reader::TurnReader;
use super::under_way::UnderWay;
use super::ResponseJob;
use crate::bundle::{
    AnswerLevelSink, AtomicDoneSink, EmittedPacketSink, LaneHoldSink, LaneShareSource, PieceCommandSource,
    QpModifySink, QpOfferSource, QpPulseSource, RateAskSource, ReportSource, WalkSource,
};
use crate::link::{LaneNeed, PacketLane};
use crate::memory::protection::RIGHT_REMOTE_READ;
use crate::requester::Scheduler;
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum ServiceState {
    /// It is decided whether the packet may be made now.
    Decide,
    /// The look-up of the packet's memory is requested.
    Walk,
    /// The packet's memory is looked up.
    Walking,
    /// The packet is offered.
    Offer,
    /// The memory may not be read: a NAK takes the place of the job.
    Refuse,
}

/// Makes the answers that the responder has decided on, per QP in order (`protocol/responder.md` sections 8 and 9).
///
/// In a turn, the QP's oldest job is read, the place in its Read computed, then the packet made, while the next turns
/// are read. A QP that has to wait (for its data to be written, its atomic, its packets to leave) goes to the end of
/// the queue. A read response is checked again by its own piece; a refused one becomes a NAK, the QP's last answer. A
/// replay whose saved value a newer atomic has replaced is dropped (section 6).
///
/// `QB`: QP index bits; `NQ` = 2^`QB`; `OS` = `QB` + 4; `JA` = `QB` + 5.
#[derive(LogicBlock, SmartDefault)]
pub struct ResponseEngine<const QB: usize, const NQ: usize, const OS: usize, const JA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// `MODIFY_QP`; taken while nothing of the QP is on the way in or being served.
    pub modify: QpModifySink<QB>,
    /// High for one cycle when the receive side has taken the modification.
    pub receive_modified: Signal<In, Bit>,

    /// Work from the responder.
    pub job: OfferSink<ResponseJob>,
    /// How much work of a QP waits ([`JobQueue`]).
    pub level: AnswerLevelSink<QB>,

    /// Number of packets of the responder whose writes are acknowledged, modulo 2^16.
    pub responder_written: Signal<In, Bits<16>>,
    /// Atomics that have been carried out, or have failed and then have no answer. A slot is the index of the QP, then
    /// 4 bits of the resource.
    pub original: AtomicDoneSink<OS>,
    /// Each packet when it enters the link.
    pub emitted: EmittedPacketSink<QB>,

    /// The walker: one SGE, the rest of the Read, whose first bytes are read.
    pub walk: WalkSource,
    /// The piece queue. A packet of a Read is committed when it is handed over; the pieces of a refused packet are
    /// removed.
    pub pieces: PieceCommandSource,
    /// High while the keys of a packet are looked up, or it waits to leave after that.
    pub looks: Signal<Out, Bit>,

    /// Read responses and atomic acks.
    pub response: OfferSource<TransmitPacket>,
    /// ACKs, NAKs and RNR NAKs.
    pub ack: OfferSource<TransmitPacket>,

    /// Which VLs have room for responses and acks.
    pub lane_hold: LaneHoldSink,
    /// A response is made, and takes room.
    pub lane_share: LaneShareSource,
    /// A response ends before it departs, and gives its room back.
    pub lane_back: LaneShareSource,
    /// Asks whether a paced packet may be made ([`crate::link::RateSources`]).
    pub rate: RateAskSource,
    /// For one cycle the mark of a packet that ends before it departs, else 0.
    pub mark_back: Signal<Out, Bits<3>>,
    /// High while a packet is being made.
    pub responds: Signal<Out, Bit>,

    /// Offers the responder a QP to fail, because one of its Reads could not be answered.
    pub fail: QpOfferSource<QB>,

    /// Records of the lane `RESPONSE` (`host::retire`).
    pub retire: ReportSource,

    lane: PacketLane,
    need: LaneNeed,
    queue: JobQueue<QB, JA>,
    turns: Scheduler<QB, NQ>,
    under_way: UnderWay<QB>,
    originals: Originals<OS>,
    modified: AnswerRow,
    answer: AnswerPacket,
    permission: Permission,
    report: AnswerReport,
    failed: Fifo<Bits<QB>, QB>,
    turn: TurnReader<QB>,
    written: Register<Bits<32>>,
    /// High while the tables are cleared after a reset, a row a cycle.
    clears: Register<Bit>,
    clear_slot: Register<Bits<OS>>,

    serving: Register<Bit>,
    state: Register<ServiceState>,
    index: Register<Bits<QB>>,
    head: Register<Bits<6>>,
    job_row: Register<ResponseJob>,
    /// High if the job is an ack or NAK.
    acks: Register<Bit>,
    /// High if the job is a Read.
    reads: Register<Bit>,
    config_row: Register<AnswerConfig>,
    responses: Register<Bits<24>>,
    offset: Register<Bits<32>>,
    psn: Register<Bits<24>>,
    va: Register<Bits<64>>,
    left: Register<Bits<32>>,
    /// High if the packet may be handed over, its result is present, and no modify stops it. Looked up as the turn
    /// arrives.
    may_go: Register<Bit>,
    /// Place whose room the packet takes ([`PacketLane`]).
    lane_place: Register<Bits<5>>,
    /// Mark of the packet being made, from the cycle after the decision on; 0 if it is not paced.
    mark: Register<Bits<3>>,
    /// High for one cycle when a packet that takes room has been decided on.
    takes_room: Register<Bit>,
    /// Payload bytes of the packet being made, from the cycle after the decision on.
    payload: Register<Bits<13>>,
    /// High if that packet is the last of its Read.
    last: Register<Bit>,
    /// High for one cycle when an ack is in `Offer`, whether it leaves or goes back.
    offers_ack: Register<Bit>,
    /// High while an ack waits that the link has not taken.
    ack_held: Register<Bit>,
    held_ack: Register<TransmitPacket>,

    /// High while a modify waits, from its second cycle on.
    modify_waits: Register<Bit>,
    /// High if that modify ends all answers of its QP.
    stops: Register<Bit>,
    /// High if that modify does not reset its QP, or one cycle earlier no packet of the QP was between here and the
    /// link.
    may_reset: Register<Bit>,
    /// High one cycle after the receive side has taken a modify that does not stop its QP: answers that need its
    /// addresses may follow.
    configures: Register<Bit>,
    paced: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    stops_turn: Signal<Local, Bit>,
    takes_modify: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    advances: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    has_payload: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    hands_over: Signal<Local, Bit>,
    handed_over: Signal<Local, Bit>,
    fetched: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    #[default(constant(16))]
    none: Constant<Bits<5>>,
    #[default(constant(RIGHT_REMOTE_READ))]
    right: Constant<Bits<3>>,
}

#[kernel]
impl<const QB: usize, const NQ: usize, const OS: usize, const JA: usize> Logic
    for ResponseEngine<QB, NQ, OS, JA>
{
    fn update(&mut self) {
        clock_and_reset!(self, queue, turns, failed, turn);
        clock!(self, clock, under_way, originals);

        // Stands still once all is clear: only a reset begins anew.
        if self.clears.q.val() {
            self.clear_slot.d.next = self.clear_slot.q.val() + 1;
        }
        if self.clear_slot.q.val().all() {
            self.clears.d.next = false;
        }
        self.written.d.next = self.written.q.val()
            + bit_cast::<32, 16>(self.responder_written.val() - self.written.q.val().get_bits::<16>(0));

        // Jobs come in.
        self.queue.job.item.next = self.job.item.val();
        self.queue.job.valid.next = self.job.valid.val() && !self.clears.q.val();
        self.job.ready.next = self.queue.job.ready.val() && !self.clears.q.val();
        self.queue.written.next = self.written.q.val();
        AnswerLevelSink::<QB>::link(&mut self.level, &mut self.queue.level);
        QpPulseSource::<QB>::join(&mut self.queue.wake, &mut self.turns.wake_a);
        self.originals.job.next = self.job.item.val();
        self.originals.job_taken.next =
            self.job.valid.val() && self.queue.job.ready.val() && !self.clears.q.val();
        AtomicDoneSink::<OS>::link(&mut self.original, &mut self.originals.original);
        self.queue.number.next = self.originals.number.val();
        EmittedPacketSink::<QB>::link(&mut self.emitted, &mut self.under_way.emitted);

        // A modify waits for a clock in which nothing of its QP is on the way in or being served.
        inputs!(self.modified, modify_row: modify.row, modify_limits: modify.limits);
        inputs!(self.queue.stop, valid: stops.q, index: modify.index);
        self.under_way.quiet_index.next = self.modify.index.val();
        self.takes_modify.next = self.modify_waits.q.val()
            && !self.clears.q.val()
            && (!self.serving.q.val()
                || ((self.state.q.val() == ServiceState::Decide)
                    && (self.index.q.val() != self.modify.index.val())))
            && !self.queue.stopping.val()
            && self.may_reset.q.val();
        self.modify.ready.next = self.takes_modify.val();
        self.modify_waits.d.next = self.modify.valid.val() && !self.takes_modify.val();
        self.stops.d.next = self.modify.valid.val() && self.modified.stops.val() && !self.takes_modify.val();
        self.ends.next = self.takes_modify.val() && self.stops.q.val();
        // Answers that a QP going to Reset or Error still sends keep their address.
        self.configures.d.next = self.receive_modified.val() && !self.modified.stops.val();
        self.turn.config_valid.next = self.takes_modify.val() || self.configures.q.val();
        inputs!(self.turn, config_index: modify.index, config_new: modified.row);

        // The job being served.
        inputs!(self.under_way, index: index.q, asked_index: turn.index);
        self.originals.asked_slot.next =
            (bit_cast::<OS, QB>(self.turn.index.val()) << 4) | bit_cast::<OS, 4>(self.turn.job.val().slot);
        self.originals.asked_number.next = self.turn.job.val().r_key.get_bits::<2>(0);
        inputs!(self.answer, job: job_row.q, row: config_row.q, responses: responses.q, left: left.q);
        inputs!(self.answer, known_last: last.q, known_payload: payload.q, psn: psn.q);
        self.originals.keeps.next = self.state.q.val() == ServiceState::Decide;
        self.originals.keeps_atomic.next = self.answer.is_atomic.val();
        self.answer.original.next = self.originals.value.val();
        self.payload.d.next = self.answer.payload.val();
        self.last.d.next = self.answer.last.val();
        self.has_payload.next = self.left.q.val().any();
        // A packet whose VL has no room waits for another turn (CF449). What is left of its Read bounds its length,
        // which is not known yet.
        wires!(self.lane_hold, self.need, first, second);
        inputs!(self.need, lane: lane_place.q, ack: acks.q);
        self.need.long.next = self.reads.q.val() && self.left.q.val().get_bits::<22>(10).any();
        self.goes.next =
            self.may_go.q.val() && self.need.met.val() && (self.pieces.ready.val() || !self.reads.q.val());
        // A packet of a QP whose rate is below that of the port waits for the pause behind the last one (CF460).
        self.rate.index.next = bit_cast::<16, QB>(self.turn.index.val());
        self.rate.handle.next = false;
        self.paced.next = self.config_row.q.val().paced;
        if self.paced.val() && (self.rate.closed.val() || !self.rate.free.val()) {
            self.goes.next = false;
        }
        self.decides.next = self.serving.q.val() && (self.state.q.val() == ServiceState::Decide);
        self.rate.decides.next = self.decides.val() && self.paced.val() && self.may_go.q.val();
        self.rate.takes.next = self.decides.val() && self.paced.val() && self.goes.val();
        if self.decides.val() {
            self.mark.d.next = bits::<3>(0);
            if self.paced.val() {
                self.mark.d.next = self.rate.mark.val();
            }
        }
        self.answer.mark.next = self.mark.q.val();

        self.response.item.next = self.answer.packet.val();
        self.walk.item.next.list = (bit_cast::<256, 64>(self.va.q.val()) << 192)
            | (bit_cast::<256, 32>(self.left.q.val()) << 160)
            | (bit_cast::<256, 32>(self.job_row.q.val().r_key) << 128);
        self.walk.item.next.count = bits::<8>(1);
        self.walk.item.next.indirect = false;
        self.walk.item.next.offset = bits::<32>(0);
        self.walk.item.next.length = self.payload.q.val();
        self.walk.item.next.entire = false;
        self.walk.item.next.right = self.right.val();
        self.walk.item.next.alone = false;
        self.walk.item.next.unchecked = false;
        self.walk.item.next.pd = self.config_row.q.val().pd;

        self.looks.next = self.serving.q.val() && (self.state.q.val() != ServiceState::Decide);
        self.walk.valid.next = false;
        self.pieces.close.next = false;
        self.pieces.kind.next = bits::<2>(0);
        self.pieces.commit.next = false;
        self.pieces.abort.next = false;
        self.hands_over.next = false;
        self.again.next = false;
        self.fetched.next = false;
        self.refuses.next = false;
        self.drops.next = false;
        if self.serving.q.val() {
            match self.state.q.val() {
                ServiceState::Decide => {
                    self.again.next = !self.goes.val();
                    self.fetched.next = self.goes.val() && self.reads.q.val() && !self.has_payload.val();
                    if self.goes.val() {
                        self.state.d.next = ServiceState::Offer;
                        if self.reads.q.val() && self.has_payload.val() {
                            self.state.d.next = ServiceState::Walk;
                        }
                    }
                }
                ServiceState::Walk => {
                    self.walk.valid.next = true;
                    if self.walk.ready.val() {
                        self.state.d.next = ServiceState::Walking;
                    }
                }
                ServiceState::Walking => {
                    if self.walk.done.val() {
                        self.state.d.next = ServiceState::Refuse;
                        self.pieces.abort.next = true;
                        if !self.walk.fault.val().any() {
                            self.state.d.next = ServiceState::Offer;
                            self.pieces.abort.next = false;
                            self.pieces.commit.next = true;
                            self.fetched.next = true;
                        }
                    }
                }
                ServiceState::Offer => {
                    self.hands_over.next = !self.originals.superseded.val() && !self.originals.failed.val();
                    self.drops.next = self.originals.superseded.val();
                    self.again.next =
                        (self.acks.q.val() && self.ack_held.q.val()) || self.originals.failed.val();
                }
                ServiceState::Refuse => {
                    self.refuses.next = true;
                }
            }
        }
        // The payload is known a clock after the decision.
        self.takes_room.d.next = self.serving.q.val()
            && (self.state.q.val() == ServiceState::Decide)
            && self.goes.val()
            && !self.acks.q.val()
            && !self.reset.val();
        inputs!(self.lane_share, valid: takes_room.q, lane: lane_place.q);
        self.lane_share.payload.next = self.answer.packet.val().payload;
        self.lane_back.valid.next = !self.acks.q.val()
            && (self.refuses.val()
                || self.drops.val()
                || (self.again.val()
                    && self.originals.failed.val()
                    && (self.state.q.val() == ServiceState::Offer)));
        self.mark_back.next = bits::<3>(0);
        if self.refuses.val()
            || self.drops.val()
            || (self.again.val() && (self.state.q.val() == ServiceState::Offer))
        {
            self.mark_back.next = self.mark.q.val();
        }
        self.lane_back.lane.next = self.lane_place.q.val();
        self.lane_back.payload.next = self.answer.packet.val().payload;
        self.responds.next = self.serving.q.val();
        self.answer.lane.next = self.lane_place.q.val();
        if self.acks.q.val() {
            self.answer.lane.next = self.none.val();
        }
        // A link full of data takes acks seldom: one waits, and no other answer behind it.
        self.offers_ack.d.next = self.serving.q.val()
            && (self.state.q.val() == ServiceState::Decide)
            && self.goes.val()
            && self.acks.q.val()
            && !self.reset.val();
        self.ack.valid.next = self.ack_held.q.val() || self.offers_ack.q.val();
        self.ack.item.next = self.answer.packet.val();
        if self.ack_held.q.val() {
            self.ack.item.next = self.held_ack.q.val();
        } else {
            self.held_ack.d.next = self.answer.packet.val();
        }
        self.ack_held.d.next =
            !self.reset.val() && !self.ack.ready.val() && (self.ack_held.q.val() || self.offers_ack.q.val());
        self.response.valid.next = self.hands_over.val() && !self.acks.q.val();
        self.handed_over.next = self.hands_over.val()
            && ((self.acks.q.val() && !self.ack_held.q.val())
                || (!self.acks.q.val() && self.response.ready.val()));
        self.finishes.next =
            self.drops.val() || (self.handed_over.val() && (!self.reads.q.val() || self.last.q.val()));
        self.leaves.next =
            self.again.val() || self.handed_over.val() || self.refuses.val() || self.drops.val();
        inputs!(self.turns.wake_b, valid: leaves, index: index.q);
        self.turns.wake_c.valid.next = false;
        self.turns.wake_c.index.next = self.index.q.val();
        self.turns.wake_d.valid.next = false;
        self.turns.wake_d.index.next = self.index.q.val();

        self.under_way.launch_valid.next = self.handed_over.val();
        self.may_reset.d.next =
            (self.under_way.quiet.val() && !self.handed_over.val()) || !self.modified.resets.val();
        self.under_way.launch_ack.next = self.acks.q.val();
        inputs!(self.queue, done_valid: finishes, done_index: index.q, done_head: head.q);
        inputs!(self.queue, refused_valid: refuses, nak: answer.nak);
        self.queue.clear.valid.next = self.ends.val() || self.clears.q.val();
        self.queue.clear.index.next = self.modify.index.val();
        self.under_way.clear.valid.next = self.clears.q.val();
        self.under_way.clear.index.next = self.clear_slot.q.val().get_bits::<QB>(0);
        inputs!(self.originals, clear_valid: clears.q, clear_slot: clear_slot.q);
        self.turn.progress_valid.next = self.handed_over.val() || self.refuses.val();
        self.turn.progress_index.next = self.index.q.val();
        self.turn.progress.next = bits::<56>(0).into();
        if self.handed_over.val() && !self.finishes.val() {
            self.turn.progress.next.responses = self.responses.q.val() + 1;
            self.turn.progress.next.bytes = self.offset.q.val() + bit_cast::<32, 13>(self.payload.q.val());
        }
        if self.ends.val() {
            self.turn.progress_valid.next = true;
            self.turn.progress_index.next = self.modify.index.val();
        }
        if self.clears.q.val() {
            self.queue.clear.index.next = self.clear_slot.q.val().get_bits::<QB>(0);
            self.turn.progress_valid.next = true;
            self.turn.progress_index.next = self.clear_slot.q.val().get_bits::<QB>(0);
        }

        // The turns behind it move up; those of the same QP are void, since its place has moved on.
        self.advances.next = !self.serving.q.val() || self.leaves.val();
        inputs!(self.turn, written: written.q, advances, ends, serving: serving.q, serving_index: index.q);
        self.turn.ends_index.next = self.modify.index.val();
        QpOfferSource::<QB>::join(&mut self.turns.turn, &mut self.turn.turn);
        self.stops_turn.next = self.stops.q.val() && (self.turn.index.val() == self.modify.index.val());
        wires!(self.lane_hold, self.lane, first, second);
        self.lane.port.next = self.turn.config_row.val().port;
        self.lane.sl.next = self.turn.job.val().sl;
        self.lane.exempt.next = false;
        self.permission.kind.next = self.turn.job.val().kind;
        wires!(self.under_way, self.permission, lets_ack, lets_data);
        inputs!(self.permission, present: originals.present, in_memory: turn.in_memory);
        inputs!(self.queue, index: turns.turn.item, row_index: turn.queue_index);
        self.queue.row_head.next = self.turn.queue_row_head.val();
        inputs!(self.turn, queue_filled: queue.filled, queue_head: queue.head, queue_row: queue.row);
        if self.advances.val() {
            self.serving.d.next = self.turn.valid.val();
            self.state.d.next = ServiceState::Decide;
            self.index.d.next = self.turn.index.val();
            self.head.d.next = self.turn.head.val();
            self.job_row.d.next = self.turn.job.val();
            self.acks.d.next = self.permission.is_ack.val();
            self.reads.d.next = self.permission.is_read.val();
            self.config_row.d.next = self.turn.config_row.val();
            self.responses.d.next = self.turn.responses.val();
            self.offset.d.next = self.turn.offset.val();
            self.psn.d.next = self.turn.psn.val();
            self.va.d.next = self.turn.va.val();
            self.left.d.next = self.turn.left.val();
            self.lane_place.d.next = self.lane.lane.val();
            self.may_go.d.next = self.permission.granted.val() && !self.stops_turn.val();
        }

        inputs!(self.failed.write, valid: refuses, item: index.q);
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.failed.read);

        inputs!(self.report, fetched, refused: refuses, dropped: drops);
        self.report.qpn.next = self.job_row.q.val().qpn;
        self.report.psn.next = self.psn.q.val();
        wires!(self.report, self.retire, valid, record);
        if self.reset.val() {
            self.clears.d.next = true;
            self.clear_slot.d.next = 0.into();
            self.serving.d.next = false;
        }
    }
}
