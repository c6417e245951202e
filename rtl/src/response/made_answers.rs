//! Keeps the answers that have been decided on until each leaves the engine.
use super::packet::AnswerPacket;
use super::report::AnswerReport;
use super::{MadeAnswer, ResponseJob};
use crate::bundle::{LaneShareSource, QpPulseSource, ReportSource};
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

/// Up to four answers of as many QPs, which leave in the order in which they were decided on. A read response waits for
/// the walk of its memory, so that the walks of several run at a time; a Read whose memory may not be read leaves as a
/// NAK job for its queue. An atomic whose value a newer one has replaced ends here, one that host memory failed goes
/// back, and so does an ack while an earlier one waits for the link: no other answer waits behind it.
///
/// `QB`: QP index bits; `NQ` = 2^`QB`.
#[derive(LogicBlock, SmartDefault)]
pub struct MadeAnswers<const QB: usize, const NQ: usize> {
    #[default(provided(NQ == 1 << QB, "NQ == 1 << QB"))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Answers that have been decided on; none of a QP that is `inside`.
    pub answer: OfferSink<MadeAnswer>,
    /// High for one cycle when the oldest walk under way ends.
    pub walked: Signal<In, Bit>,
    /// With `walked`: high if the memory may not be read.
    pub forbidden: Signal<In, Bit>,

    /// High if no answer is here.
    pub empty: Signal<Out, Bit>,
    /// One bit a QP: high while an answer of it is here.
    pub inside: Signal<Out, Bits<NQ>>,

    /// High for one cycle when the data of a read response is to be fetched: its pieces are committed.
    pub fetches: Signal<Out, Bit>,
    /// Read responses and atomic acks.
    pub response: OfferSource<TransmitPacket>,
    /// ACKs, NAKs and RNR NAKs.
    pub ack: OfferSource<TransmitPacket>,

    /// The QP of the oldest answer, valid for one cycle when that answer leaves, whatever became of it.
    pub left: QpPulseSource<QB>,
    /// Place of its job in the queue of that QP.
    pub head: Signal<Out, Bits<6>>,
    /// High if it is an ack or a NAK.
    pub is_ack: Signal<Out, Bit>,
    /// High with `left` if it is handed over.
    pub handed_over: Signal<Out, Bit>,
    /// High with `left` if its job is done.
    pub finishes: Signal<Out, Bit>,
    /// High for one cycle, with `left`, if `nak` takes the place of its job.
    pub refuses: Signal<Out, Bit>,
    /// NAK job in place of a Read whose memory may not be read.
    pub nak: Signal<Out, ResponseJob>,

    /// A response ends before it departs, and gives its room back.
    pub lane_back: LaneShareSource,
    /// For one cycle the mark of a packet that ends before it departs, else 0.
    pub mark_back: Signal<Out, Bits<3>>,
    /// Records of the lane `RESPONSE`.
    pub retire: ReportSource,

    waiting: Fifo<MadeAnswer, 2>,
    /// For each walk that has ended and whose answer is here: 1 if the memory may not be read.
    walks: Fifo<Bits<1>, 2>,
    packet: AnswerPacket,
    report: AnswerReport,
    held: Register<Bits<NQ>>,
    /// High if the data of the oldest answer is fetched.
    fetched: Register<Bit>,
    /// High while an ack waits that the link has not taken.
    ack_held: Register<Bit>,
    held_ack: Register<TransmitPacket>,

    oldest: Signal<Local, MadeAnswer>,
    index: Signal<Local, Bits<QB>>,
    is_read: Signal<Local, Bit>,
    is_atomic: Signal<Local, Bit>,
    /// High if the oldest answer may leave: it needs no walk, or its walk has ended.
    resolved: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    dropped: Signal<Local, Bit>,
    offers_ack: Signal<Local, Bit>,
    offers_response: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    joined: Signal<Local, Bits<NQ>>,
    #[default(constant(1))]
    one: Constant<Bits<NQ>>,
    #[default(constant(super::JOB_ACK))]
    kind_ack: Constant<Bits<2>>,
    #[default(constant(super::JOB_READ))]
    kind_read: Constant<Bits<2>>,
    #[default(constant(super::JOB_ATOMIC))]
    kind_atomic: Constant<Bits<2>>,
}

#[kernel]
impl<const QB: usize, const NQ: usize> Logic for MadeAnswers<QB, NQ> {
    fn update(&mut self) {
        clock_and_reset!(self, waiting, walks);
        self.enters.next = self.answer.valid.val() && self.waiting.write.ready.val();
        OfferSink::<MadeAnswer>::link(&mut self.answer, &mut self.waiting.write);
        inputs!(self.walks.write, valid: walked);
        self.walks.write.item.next = self.forbidden.val().into();

        // What becomes of the oldest answer.
        self.oldest.next = self.waiting.read.item.val();
        self.index.next = self.oldest.val().qpn.get_bits::<QB>(0);
        self.is_ack.next = self.oldest.val().kind == self.kind_ack.val();
        self.is_read.next = self.oldest.val().kind == self.kind_read.val();
        self.is_atomic.next = self.oldest.val().kind == self.kind_atomic.val();
        self.resolved.next =
            self.waiting.read.valid.val() && (!self.oldest.val().walks || self.walks.read.valid.val());
        self.refused.next =
            self.resolved.val() && self.oldest.val().walks && self.walks.read.item.val().any();
        self.dropped.next = self.resolved.val() && self.is_atomic.val() && self.oldest.val().superseded;
        self.offers_ack.next = self.resolved.val() && (self.oldest.val().kind == self.kind_ack.val());
        self.offers_response.next = self.resolved.val()
            && !self.refused.val()
            && (self.is_read.val()
                || (self.is_atomic.val() && !self.oldest.val().superseded && !self.oldest.val().failed));
        self.returns.next = (self.offers_ack.val() && self.ack_held.q.val())
            || (self.resolved.val() && self.is_atomic.val() && self.oldest.val().failed);
        self.goes.next = (self.offers_ack.val() && !self.ack_held.q.val())
            || (self.offers_response.val() && self.response.ready.val());
        self.leaves.next = self.goes.val() || self.refused.val() || self.dropped.val() || self.returns.val();
        self.waiting.read.ready.next = self.leaves.val();
        self.walks.read.ready.next = self.leaves.val() && self.oldest.val().walks;

        inputs!(self.packet, answer: oldest);
        self.response.valid.next = self.offers_response.val();
        self.response.item.next = self.packet.packet.val();
        // A link full of data takes acks seldom.
        self.ack.valid.next = self.ack_held.q.val() || self.offers_ack.val();
        self.ack.item.next = self.packet.packet.val();
        if self.ack_held.q.val() {
            self.ack.item.next = self.held_ack.q.val();
        } else {
            self.held_ack.d.next = self.packet.packet.val();
        }
        self.ack_held.d.next = !self.ack.ready.val() && (self.ack_held.q.val() || self.offers_ack.val());

        self.left.valid.next = self.leaves.val();
        self.left.index.next = self.index.val();
        self.head.next = self.oldest.val().head;
        self.handed_over.next = self.goes.val();
        self.finishes.next =
            self.dropped.val() || (self.goes.val() && (!self.is_read.val() || self.oldest.val().last));
        self.refuses.next = self.refused.val();
        self.nak.next = self.packet.nak.val();
        self.lane_back.valid.next =
            !self.offers_ack.val() && (self.refused.val() || self.dropped.val() || self.returns.val());
        self.lane_back.lane.next = self.oldest.val().lane;
        self.lane_back.payload.next = self.packet.packet.val().payload;
        self.mark_back.next = bits::<3>(0);
        if self.refused.val() || self.dropped.val() || self.returns.val() {
            self.mark_back.next = self.oldest.val().mark;
        }

        // The data of a read response is fetched once, as soon as it is its turn to leave.
        self.fetches.next = self.offers_response.val()
            && self.is_read.val()
            && self.oldest.val().walks
            && !self.fetched.q.val();
        self.report.fetched.next = self.offers_response.val() && self.is_read.val() && !self.fetched.q.val();
        self.fetched.d.next = self.offers_response.val() && !self.leaves.val();
        inputs!(self.report, refused, dropped);
        self.report.qpn.next = self.oldest.val().qpn;
        self.report.psn.next = self.oldest.val().psn;
        wires!(self.report, self.retire, valid, record);

        // Whose answers are here.
        self.empty.next = !self.waiting.read.valid.val();
        self.inside.next = self.held.q.val();
        self.joined.next = self.held.q.val();
        if self.enters.val() {
            self.joined.next =
                self.held.q.val() | (self.one.val() << self.answer.item.val().qpn.get_bits::<QB>(0));
        }
        self.held.d.next = self.joined.val();
        if self.leaves.val() {
            self.held.d.next = self.joined.val() & !(self.one.val() << self.index.val());
        }
        if self.reset.val() {
            self.held.d.next = 0.into();
            clear!(self, fetched, ack_held);
        }
    }
}
