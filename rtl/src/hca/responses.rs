//! From what the responder owes to acks, read responses and atomic acks.
use crate::bundle::{PlannedPieceSource, QpModifySink, QpOfferSource, ReportSource};
use crate::memory::{LookupDrain, PieceQueue, RegionRow, Walker};
use crate::response::{ResponseEngine, ResponseJob};
use crate::transmit::TransmitPacket;
use hca_hdl::primitive::{clock, comment};
use rust_hdl_core::prelude::*;

/// The response engine with its memory checks and the pieces it reads.
///
/// Widths as [`ResponseEngine`] and [`Walker`] have them.
#[derive(LogicBlock, Default)]
pub struct Responses<const QB: usize, const NQ: usize, const RB: usize, const JB: usize, const MB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub modify: QpModifySink<QB>,
    /// See [`ResponseEngine`].
    pub receive_modified: Signal<In, Bit>,
    pub job_valid: Signal<In, Bit>,
    pub job_ready: Signal<Out, Bit>,
    pub job: Signal<In, ResponseJob>,
    /// Packets of the responder whose writes are acknowledged, modulo 2^16.
    pub responder_written: Signal<In, Bits<16>>,
    /// High for one cycle when an atomic has been carried out, with the index of its QP and its resource.
    pub original_valid: Signal<In, Bit>,
    pub original_slot: Signal<In, Bits<RB>>,
    pub original_value: Signal<In, Bits<64>>,
    /// It was not, for host memory failed it.
    pub original_failed: Signal<In, Bit>,
    /// High for one cycle when a packet enters the link.
    pub emitted_valid: Signal<In, Bit>,
    pub emitted_index: Signal<In, Bits<QB>>,
    pub emitted_kind: Signal<In, Bits<2>>,
    pub response_valid: Signal<Out, Bit>,
    pub response_ready: Signal<In, Bit>,
    pub response: Signal<Out, TransmitPacket>,
    pub ack_valid: Signal<Out, Bit>,
    pub ack_ready: Signal<In, Bit>,
    pub ack: Signal<Out, TransmitPacket>,
    /// A read could not be answered: the responder has to fail the QP.
    pub fail: QpOfferSource<QB>,
    pub retire: ReportSource,
    pub region_update_valid: Signal<In, Bit>,
    pub region_index: Signal<In, Bits<MB>>,
    pub region: Signal<In, RegionRow>,
    /// High for one cycle when the region of this R_Key stops for all requests that are taken later.
    pub region_invalidate_valid: Signal<In, Bit>,
    pub region_invalidate_key: Signal<In, Bits<32>>,
    /// That is under way: another pulse would be lost.
    pub region_invalidating: Signal<Out, Bit>,
    /// Take no request. Once `quiet`, nothing is under way that has seen the table as it was.
    pub region_hold: Signal<In, Bit>,
    pub quiet: Signal<Out, Bit>,
    /// As [`LookupDrain`] has them.
    pub drain_mark: Signal<In, Bit>,
    pub drain_passed: Signal<Out, Bit>,
    pub piece: PlannedPieceSource,

    engine: ResponseEngine<QB, NQ, RB, JB>,
    walker: Walker<MB>,
    pieces: PieceQueue<5>,
    drain: LookupDrain,
}

impl<const QB: usize, const NQ: usize, const RB: usize, const JB: usize, const MB: usize> Logic
    for Responses<QB, NQ, RB, JB, MB>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module responses");
        clock!(self, clock, engine, walker, drain, pieces);
        self.engine.reset.next = self.reset.val();
        QpModifySink::<QB>::link(&mut self.modify, &mut self.engine.modify);
        self.engine.receive_modified.next = self.receive_modified.val();
        self.engine.job_valid.next = self.job_valid.val();
        self.job_ready.next = self.engine.job_ready.val();
        self.engine.job.next = self.job.val();
        self.engine.responder_written.next = self.responder_written.val();
        self.engine.original_valid.next = self.original_valid.val();
        self.engine.original_slot.next = self.original_slot.val();
        self.engine.original_value.next = self.original_value.val();
        self.engine.original_failed.next = self.original_failed.val();
        self.engine.emitted_valid.next = self.emitted_valid.val();
        self.engine.emitted_index.next = self.emitted_index.val();
        self.engine.emitted_kind.next = self.emitted_kind.val();
        self.engine.walk_ready.next = self.walker.request_ready.val();
        self.engine.walk_done.next = self.walker.done.val();
        self.engine.walk_fault.next = self.walker.fault.val();
        self.engine.pieces_ready.next = self.pieces.ready.val();
        self.response_valid.next = self.engine.response_valid.val();
        self.engine.response_ready.next = self.response_ready.val();
        self.response.next = self.engine.response.val();
        self.ack_valid.next = self.engine.ack_valid.val();
        self.engine.ack_ready.next = self.ack_ready.val();
        self.ack.next = self.engine.ack.val();
        QpOfferSource::<QB>::link(&mut self.fail, &mut self.engine.fail);
        ReportSource::link(&mut self.retire, &mut self.engine.retire);
        self.walker.reset.next = self.reset.val();
        self.walker.request_valid.next = self.engine.walk_valid.val();
        self.walker.segments.next = self.engine.walk_list.val();
        self.walker.count.next = bits::<8>(1);
        self.walker.indirect.next = false;
        self.walker.unchecked.next = false;
        self.walker.offset.next = bits::<32>(0);
        self.walker.length.next = self.engine.walk_length.val();
        self.walker.entire.next = false;
        self.walker.right.next = bits::<3>(3);
        self.walker.pd.next = self.engine.walk_pd.val();
        self.walker.update_valid.next = self.region_update_valid.val();
        self.walker.update_index.next = self.region_index.val();
        self.walker.update.next = self.region.val();
        self.walker.invalidate_valid.next = self.region_invalidate_valid.val();
        self.walker.invalidate_key.next = self.region_invalidate_key.val();
        self.walker.hold.next = self.region_hold.val();
        self.region_invalidating.next = self.walker.invalidating.val();
        self.quiet.next = self.walker.quiet.val();
        self.drain.reset.next = self.reset.val();
        self.drain.looks.next = self.engine.looks.val();
        self.drain.handed_on.next = self.engine.response_valid.val() && self.response_ready.val();
        self.drain.departs.next =
            self.emitted_valid.val() && ((self.emitted_kind.val() == 1) || (self.emitted_kind.val() == 2));
        self.drain.mark.next = self.drain_mark.val();
        self.drain_passed.next = self.drain.passed.val();
        self.walker.list.ready.next = false;
        self.walker.list.valid.next = false;
        self.walker.list.data.next = bits::<512>(0);
        self.pieces.reset.next = self.reset.val();
        self.pieces.push_valid.next = self.walker.piece_valid.val();
        self.pieces.push_address.next = self.walker.piece_address.val();
        self.pieces.push_length.next = self.walker.piece_length.val();
        self.pieces.commit_valid.next = self.engine.pieces_commit.val();
        self.pieces.commit_kind.next = bits::<2>(0);
        self.pieces.abort_valid.next = self.engine.pieces_abort.val();
        self.piece.valid.next = self.pieces.piece_valid.val();
        self.pieces.piece_ready.next = self.piece.ready.val();
        self.piece.address.next = self.pieces.address.val();
        self.piece.length.next = self.pieces.some_length.val();
        self.piece.nothing.next = self.pieces.nothing.val();
        self.piece.last.next = self.pieces.last.val();
    }
}
