//! From the jobs of the responder to acks, read responses and atomic acks.
use crate::bundle::{
    AnswerLevelSink, AtomicDoneSink, EmittedPacketSink, FoundPieceSource, LaneHoldSink, LaneShareSource,
    PieceCommandSource, PlannedPieceSource, QpModifySink, QpOfferSource, RateAskSource, ReportSource,
    SgeLookupSource, WalkSource,
};
use crate::memory::{LookupDrain, PieceQueue, Walker};
use crate::response::{ResponseEngine, ResponseJob};
use crate::transmit::TransmitPacket;
use hca_hdl::prelude::*;

/// The response engine with its memory checks and the pieces that it reads.
///
/// The widths are those of [`ResponseEngine`] and [`Walker`].
#[derive(LogicBlock, Default)]
pub struct Responses<const QB: usize, const NQ: usize, const RB: usize, const JB: usize, const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// `MODIFY_QP` for the response engine.
    pub modify: QpModifySink<QB>,
    /// High for one cycle when the receive side has taken the modification ([`ResponseEngine`]).
    pub receive_modified: Signal<In, Bit>,
    /// Work from the responder.
    pub job: OfferSink<ResponseJob>,
    /// How much work of a QP waits.
    pub level: AnswerLevelSink<QB>,
    /// Number of packets of the responder whose writes are acknowledged, modulo 2^16.
    pub responder_written: Signal<In, Bits<16>>,
    /// Atomics that have been carried out, or have failed and then have no answer. A slot is the index of the QP, then
    /// 4 bits of the resource.
    pub original: AtomicDoneSink<RB>,
    /// Each packet, one cycle after it enters the routing.
    pub emitted: EmittedPacketSink<QB>,
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
    /// Asks whether a paced answer may be made ([`crate::link::RateSources`]).
    pub rate: RateAskSource,
    /// For one cycle the mark of an answer that ends before it departs, else 0.
    pub mark_back: Signal<Out, Bits<3>>,
    /// High while a packet is being made.
    pub responds: Signal<Out, Bit>,
    /// Offers a QP whose Read could not be answered: the responder has to fail it.
    pub fail: QpOfferSource<QB>,
    /// Retire records of `LANE_RESPONSE`.
    pub retire: ReportSource,
    /// The walk server, for Reads and atomics.
    pub lookup: SgeLookupSource,
    /// High to let the walker take no request. Once `quiet`, no request is under way that saw the old table.
    pub region_hold: Signal<In, Bit>,
    /// High if no request is under way in the walker.
    pub quiet: Signal<Out, Bit>,
    /// High for one cycle when the wait for looked-up packets starts ([`LookupDrain`]).
    pub drain_mark: Signal<In, Bit>,
    /// Low from the cycle after the mark until these packets have departed or were refused.
    pub drain_passed: Signal<Out, Bit>,
    /// Pieces of host memory that read responses come from.
    pub piece: PlannedPieceSource,

    engine: ResponseEngine<QB, NQ, RB, JB>,
    walker: Walker<M>,
    pieces: PieceQueue<5>,
    drain: LookupDrain,
}

#[kernel]
impl<const QB: usize, const NQ: usize, const RB: usize, const JB: usize, const M: usize> Logic
    for Responses<QB, NQ, RB, JB, M>
{
    fn update(&mut self) {
        clock_and_reset!(self, engine, drain, pieces);
        clock!(self, clock, walker);
        QpModifySink::<QB>::link(&mut self.modify, &mut self.engine.modify);
        inputs!(self.engine, receive_modified, responder_written);
        AtomicDoneSink::<RB>::link(&mut self.original, &mut self.engine.original);
        EmittedPacketSink::<QB>::link(&mut self.emitted, &mut self.engine.emitted);
        OfferSink::<ResponseJob>::link(&mut self.job, &mut self.engine.job);
        AnswerLevelSink::<QB>::link(&mut self.level, &mut self.engine.level);
        OfferSource::<TransmitPacket>::link(&mut self.response, &mut self.engine.response);
        OfferSource::<TransmitPacket>::link(&mut self.ack, &mut self.engine.ack);
        LaneHoldSink::link(&mut self.lane_hold, &mut self.engine.lane_hold);
        LaneShareSource::link(&mut self.lane_share, &mut self.engine.lane_share);
        LaneShareSource::link(&mut self.lane_back, &mut self.engine.lane_back);
        RateAskSource::link(&mut self.rate, &mut self.engine.rate);
        outputs!(self.engine, mark_back, responds);
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.engine.fail);
        ReportSource::link(&mut self.retire, &mut self.engine.retire);
        self.walker.reset.next = self.reset.val();
        WalkSource::join(&mut self.engine.walk, &mut self.walker.walk);
        SgeLookupSource::link(&mut self.lookup, &mut self.walker.lookup);
        self.walker.hold.next = self.region_hold.val();
        self.quiet.next = self.walker.quiet.val();
        self.drain.looks.next = self.engine.looks.val();
        self.engine.hold.next = self.drain.waits.val();
        self.drain.handed_on.next = self.engine.response.valid.val() && self.response.ready.val();
        self.drain.departs.next =
            self.emitted.valid.val() && ((self.emitted.kind.val() == 1) || (self.emitted.kind.val() == 2));
        self.drain.mark.next = self.drain_mark.val();
        self.drain_passed.next = self.drain.passed.val();
        self.walker.list.ready.next = false;
        self.walker.list.valid.next = false;
        self.walker.list.data.next = bits::<M>(0);
        self.walker.list.last.next = false;
        self.walker.list.error.next = false;
        FoundPieceSource::join(&mut self.walker.piece, &mut self.pieces.push);
        PieceCommandSource::join(&mut self.engine.pieces, &mut self.pieces.command);
        wires!(self.pieces.piece, self.piece, valid, address, last);
        self.pieces.piece.ready.next = self.piece.ready.val();
        inputs!(self.piece, nothing: pieces.nothing, length: pieces.some_length);
    }
}
