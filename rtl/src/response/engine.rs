//! The response engine: decides on one packet a turn, and serves the QPs in turn.
use super::originals::Originals;
use super::permission::Permission;
use super::queue::JobQueue;
use super::row::{AnswerConfig, AnswerRow};
use super::size::ResponseSize;
use super::turn_reader::TurnReader;
use super::under_way::UnderWay;
use super::{MadeAnswers, ResponseJob};
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
    /// The packet is made, and the look-up of its memory is requested.
    Make,
}

/// Makes the answers that the responder has decided on, per QP in order (`protocol/responder.md` sections 8 and 9).
///
/// In a turn, the QP's oldest job is read, the place in its Read computed, then the packet made, while the next turns
/// are read. A QP that has to wait (for its data to be written, its atomic, its packets to leave) goes to the end of
/// the queue. A read response is checked again by its own piece, while the next turns go on ([`MadeAnswers`]); a
/// refused one becomes a NAK, the QP's last answer. A replay whose saved value a newer atomic has replaced is dropped
/// (section 6).
///
/// `QB`: QP index bits; `NQ` = 2^`QB`; `OS` = `QB` + 4; `JA` = `QB` + 5.
#[derive(LogicBlock, SmartDefault)]
pub struct ResponseEngine<const QB: usize, const NQ: usize, const OS: usize, const JA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// `MODIFY_QP`; taken while nothing of the QP is on the way in and no answer of any QP on the way out.
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

    /// The walker. The list of a walk is one SGE, the rest of the Read; the walk finds its first bytes.
    pub walk: WalkSource,
    /// The piece queue. A packet of a Read is closed when its walk ends, and committed when it is offered; a refused
    /// packet has no pieces.
    pub pieces: PieceCommandSource,
    /// High while the keys of packets are looked up, or such packets wait to leave after that.
    pub looks: Signal<Out, Bit>,
    /// High to decide on no packet; one that is being made goes on.
    pub hold: Signal<In, Bit>,

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
    /// High while it is decided on a packet, or it is made.
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
    size: ResponseSize,
    permission: Permission,
    made: MadeAnswers<QB, NQ>,
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
    goes: Signal<Local, Bit>,
    /// High while a modify waits only until no packet is being made.
    pauses: Signal<Local, Bit>,
    /// High if the packet is a read response with data.
    walks: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    /// High while the packet that is made may go on.
    has_place: Signal<Local, Bit>,
    makes: Signal<Local, Bit>,
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
        clock_and_reset!(self, queue, turns, failed, turn, made);
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

        // A modify waits for a clock in which nothing of its QP is on the way in and no answer on the way out; no other
        // is made then.
        inputs!(self.modified, modify_row: modify.row, modify_limits: modify.limits);
        inputs!(self.queue.stop, valid: stops.q, index: modify.index);
        self.under_way.quiet_index.next = self.modify.index.val();
        self.takes_modify.next = self.modify_waits.q.val()
            && !self.clears.q.val()
            && (!self.serving.q.val()
                || ((self.state.q.val() == ServiceState::Decide)
                    && (self.index.q.val() != self.modify.index.val())))
            && !self.queue.stopping.val()
            && self.may_reset.q.val()
            && self.made.empty.val();
        self.pauses.next = self.modify_waits.q.val() && self.may_reset.q.val() && !self.queue.stopping.val();
        self.modify.ready.next = self.takes_modify.val();
        self.modify_waits.d.next = self.modify.valid.val() && !self.takes_modify.val();
        self.stops.d.next = self.modify.valid.val() && self.modified.stops.val() && !self.takes_modify.val();
        self.ends.next = self.takes_modify.val() && self.stops.q.val();
        // Answers that a QP going to Reset or Error still sends keep their address.
        self.configures.d.next = self.receive_modified.val() && !self.modified.stops.val();
        self.turn.config_valid.next = self.takes_modify.val() || self.configures.q.val();
        inputs!(self.turn, config_index: modify.index, config_new: modified.row);

        // The job being served.
        inputs!(self.under_way, index: made.left.index, asked_index: turn.index);
        self.originals.asked_slot.next =
            (bit_cast::<OS, QB>(self.turn.index.val()) << 4) | bit_cast::<OS, 4>(self.turn.job.val().slot);
        self.originals.asked_number.next = self.turn.job.val().r_key.get_bits::<2>(0);
        self.decides.next = self.serving.q.val() && (self.state.q.val() == ServiceState::Decide);
        self.originals.keeps.next = self.decides.val();
        self.size.pmtu.next = self.config_row.q.val().pmtu;
        inputs!(self.size, left: left.q);
        self.payload.d.next = self.size.payload.val();
        self.last.d.next = self.size.last.val();
        self.walks.next = self.reads.q.val() && self.left.q.val().any();
        // A packet whose VL has no room waits for another turn (CF449). What is left of its Read bounds its length,
        // which is not known yet.
        wires!(self.lane_hold, self.need, first, second);
        inputs!(self.need, lane: lane_place.q, ack: acks.q);
        self.need.long.next = self.reads.q.val() && self.left.q.val().get_bits::<22>(10).any();
        self.goes.next = self.may_go.q.val()
            && self.need.met.val()
            && (self.pieces.ready.val() || !self.reads.q.val())
            && !self.pauses.val()
            && !self.hold.val();
        // A packet of a QP whose rate is below that of the port waits for the pause behind the last one (CF460).
        self.rate.index.next = bit_cast::<16, QB>(self.turn.index.val());
        self.rate.handle.next = false;
        self.paced.next = self.config_row.q.val().paced;
        if self.paced.val() && (self.rate.closed.val() || !self.rate.free.val()) {
            self.goes.next = false;
        }
        self.rate.decides.next = self.decides.val() && self.paced.val() && self.may_go.q.val();
        self.rate.takes.next = self.decides.val() && self.paced.val() && self.goes.val();
        if self.decides.val() {
            self.mark.d.next = bits::<3>(0);
            if self.paced.val() {
                self.mark.d.next = self.rate.mark.val();
            }
        }

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

        // A packet is made as soon as its walk has begun, but not in a cycle with a refusal: both write the progress of
        // a Read.
        self.has_place.next = self.serving.q.val()
            && (self.state.q.val() == ServiceState::Make)
            && self.made.answer.ready.val()
            && !self.made.refuses.val();
        self.walk.valid.next = self.has_place.val() && self.walks.val();
        self.makes.next = self.has_place.val() && (!self.walks.val() || self.walk.ready.val());
        self.made.answer.valid.next = self.makes.val();
        self.made.answer.item.next.kind = self.job_row.q.val().kind;
        self.made.answer.item.next.walks = self.walks.val();
        self.made.answer.item.next.first = !self.responses.q.val().any();
        self.made.answer.item.next.last = self.last.q.val();
        self.made.answer.item.next.qpn = self.job_row.q.val().qpn;
        self.made.answer.item.next.dlid = self.config_row.q.val().dlid;
        self.made.answer.item.next.slid = self.job_row.q.val().slid;
        self.made.answer.item.next.sl = self.job_row.q.val().sl;
        self.made.answer.item.next.p_key_index = self.config_row.q.val().p_key_index;
        self.made.answer.item.next.dest_qpn = self.config_row.q.val().dest_qpn;
        self.made.answer.item.next.psn = self.psn.q.val();
        self.made.answer.item.next.syndrome = self.job_row.q.val().syndrome;
        self.made.answer.item.next.msn = self.job_row.q.val().msn;
        self.made.answer.item.next.payload = self.payload.q.val();
        self.made.answer.item.next.lane = self.lane_place.q.val();
        if self.acks.q.val() {
            self.made.answer.item.next.lane = self.none.val();
        }
        self.made.answer.item.next.mark = self.mark.q.val();
        self.made.answer.item.next.port = self.config_row.q.val().port;
        self.made.answer.item.next.head = self.head.q.val();
        self.made.answer.item.next.original = self.originals.value.val();
        self.made.answer.item.next.superseded = self.originals.superseded.val();
        self.made.answer.item.next.failed = self.originals.failed.val();
        self.again.next = self.decides.val() && !self.goes.val();
        if self.decides.val() && self.goes.val() {
            self.state.d.next = ServiceState::Make;
        }
        // The payload is known a clock after the decision.
        self.takes_room.d.next =
            self.decides.val() && self.goes.val() && !self.acks.q.val() && !self.reset.val();
        inputs!(self.lane_share, valid: takes_room.q, lane: lane_place.q);
        self.lane_share.payload.next = bits::<13>(0);
        if self.reads.q.val() {
            self.lane_share.payload.next = self.payload.q.val();
        }
        self.responds.next = self.serving.q.val();

        // What has been made leaves.
        self.looks.next = (self.serving.q.val() && !self.decides.val()) || !self.made.empty.val();
        inputs!(self.made, walked: walk.done);
        self.made.forbidden.next = self.walk.fault.val().any();
        self.pieces.close.next = self.walk.done.val() && !self.walk.fault.val().any();
        self.pieces.commit.next = self.made.fetches.val();
        self.pieces.kind.next = bits::<2>(0);
        self.pieces.abort.next = false;
        OfferSource::<TransmitPacket>::link(&mut self.response, &mut self.made.response);
        OfferSource::<TransmitPacket>::link(&mut self.ack, &mut self.made.ack);
        LaneShareSource::link(&mut self.lane_back, &mut self.made.lane_back);
        outputs!(self.made, mark_back);
        ReportSource::link(&mut self.retire, &mut self.made.retire);
        inputs!(self.turns.wake_b, valid: again, index: index.q);
        QpPulseSource::<QB>::join(&mut self.made.left, &mut self.turns.wake_c);
        self.turns.wake_d.valid.next = false;
        self.turns.wake_d.index.next = self.index.q.val();

        self.may_reset.d.next =
            (self.under_way.quiet.val() && !self.made.handed_over.val()) || !self.modified.resets.val();
        inputs!(self.under_way, launch_valid: made.handed_over, launch_ack: made.is_ack);
        inputs!(self.queue, done_valid: made.finishes, done_index: made.left.index, done_head: made.head);
        inputs!(self.queue, refused_valid: made.refuses, nak: made.nak);
        self.queue.clear.valid.next = self.ends.val() || self.clears.q.val();
        self.queue.clear.index.next = self.modify.index.val();
        self.under_way.clear.valid.next = self.clears.q.val();
        self.under_way.clear.index.next = self.clear_slot.q.val().get_bits::<QB>(0);
        inputs!(self.originals, clear_valid: clears.q, clear_slot: clear_slot.q);
        self.turn.progress_valid.next = (self.makes.val() && self.reads.q.val()) || self.made.refuses.val();
        self.turn.progress_index.next = self.index.q.val();
        self.turn.progress.next = bits::<56>(0).into();
        if self.made.refuses.val() {
            self.turn.progress_index.next = self.made.left.index.val();
        } else if !self.last.q.val() {
            self.turn.progress.next.responses = self.responses.q.val() + 1;
            self.turn.progress.next.bytes = self.offset.q.val() + bit_cast::<32, 13>(self.payload.q.val());
        }
        if self.ends.val() {
            self.turn.progress_valid.next = true;
            self.turn.progress_index.next = self.modify.index.val();
            self.turn.progress.next = bits::<56>(0).into();
        }
        if self.clears.q.val() {
            self.queue.clear.index.next = self.clear_slot.q.val().get_bits::<QB>(0);
            self.turn.progress_valid.next = true;
            self.turn.progress_index.next = self.clear_slot.q.val().get_bits::<QB>(0);
            self.turn.progress.next = bits::<56>(0).into();
        }

        // When the turn that is served ends, the turns behind it move up. Turns of the same QP are void, since its
        // place has moved on.
        self.advances.next = !self.serving.q.val() || self.again.val() || self.makes.val();
        inputs!(self.turn, written: written.q, advances, ends, serving: serving.q, serving_index: index.q);
        self.turn.ends_index.next = self.modify.index.val();
        self.turn.turn_waits.next = self.made.inside.val().get_bit(self.turns.turn.item.val().index());
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

        inputs!(self.failed.write, valid: made.refuses, item: made.left.index);
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.failed.read);

        if self.reset.val() {
            self.clears.d.next = true;
            self.clear_slot.d.next = 0.into();
            self.serving.d.next = false;
        }
    }
}
