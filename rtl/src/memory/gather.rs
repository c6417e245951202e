//! Reads the payload of packets from host memory, many packets ahead of the link.
use super::{BurstSplit, JoinedPiece, PieceJoin};
use crate::bundle::{PieceSink, ReadBeatSink, WqeReadSource};
use hca_hdl::prelude::*;

/// Takes pieces and delivers their bytes as payload, in order.
///
/// Every requested beat has its place in the buffer, so that the read channel never waits for the link. `W`: bits of
/// the stream; `M`: bits of the memory bus, `W` or 2 `W`; `A` = `W` + `M`; `PA`: log2 of the buffer's beats, which
/// cover the beats that the bus carries while the memory takes to answer, and at least twice the longest burst.
#[derive(LogicBlock, SmartDefault)]
pub struct Gather<const W: usize, const M: usize, const A: usize, const PA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Pieces of payload, in order.
    pub piece: PieceSink,

    /// High for one cycle for each packet, when its first bytes arrive.
    pub packet_begins: Signal<Out, Bit>,
    /// A beat of payload, byte 0 at the most significant end. Each packet has ceil(bytes / (`W` / 8)) beats; the bytes
    /// behind its end are undefined.
    pub payload_data: Signal<Out, Bits<W>>,
    /// High while a beat of payload is offered.
    pub payload_valid: Signal<Out, Bit>,
    /// High in a cycle in which an offered beat is taken.
    pub payload_ready: Signal<In, Bit>,

    /// Reads of the bursts, aligned to the bus.
    pub read: WqeReadSource,
    /// The beat.
    pub beat: ReadBeatSink<M>,
    /// High for one cycle for each packet, in order, when all its beats have arrived.
    pub ended_valid: Signal<Out, Bit>,
    /// With `ended_valid`: high if host memory answered one of these beats with an error.
    pub ended_error: Signal<Out, Bit>,

    split: BurstSplit<M, PA>,
    pieces: Fifo<JoinedPiece, 6>,
    buffer: BlockFifo<Bits<M>, PA>,
    join: PieceJoin<W, M, A>,
    /// Keeps the counters of the join and the packet builder a clock apart.
    payload: Fifo<Bits<W>, 2>,
    /// High if a beat of the packet that comes in has failed.
    failed: Register<Bit>,
    /// High one cycle after a beat leaves the buffer. Registered for timing: that the join takes it settles late.
    freed: Register<Bit>,
    #[default(constant(M / 8 - 1))]
    offset_mask: Constant<Bits<6>>,
}

#[kernel]
impl<const W: usize, const M: usize, const A: usize, const PA: usize> Logic for Gather<W, M, A, PA> {
    fn update(&mut self) {
        clock_and_reset!(self, split, pieces, buffer, join, payload);

        // A piece goes both to the block that requests its beats and to the block that cuts them.
        self.piece.ready.next = self.split.piece.ready.val() && self.pieces.write.ready.val();
        self.split.piece.valid.next = self.piece.valid.val() && self.pieces.write.ready.val();
        inputs!(self.split.piece, address: piece.address, length: piece.length, last: piece.last);
        self.pieces.write.valid.next = self.piece.valid.val() && self.split.piece.ready.val();
        self.pieces.write.item.next.offset =
            self.piece.address.val().get_bits::<6>(0) & self.offset_mask.val();
        self.pieces.write.item.next.length = self.piece.length.val();
        self.pieces.write.item.next.last = self.piece.last.val();

        WqeReadSource::link(&mut self.read, &mut self.split.read);
        self.packet_begins.next = self.split.packet_begins.val();
        self.split.beat_last.next = self.beat.last.val();
        self.ended_valid.next = self.split.packet_ends.val();
        self.ended_error.next = self.failed.q.val() || self.beat.error.val();
        if self.read.valid.val() {
            self.failed.d.next = self.failed.q.val() || self.beat.error.val();
        }
        if self.split.packet_ends.val() || self.reset.val() {
            self.failed.d.next = false;
        }

        self.buffer.write.valid.next = self.read.valid.val();
        self.buffer.write.item.next = self.beat.item.val();
        OfferSource::<Bits<M>>::join(&mut self.buffer.read, &mut self.join.beat);
        self.freed.d.next = self.buffer.read.valid.val() && self.join.beat.ready.val() && !self.reset.val();
        self.split.freed.next = self.freed.q.val();

        OfferSource::<JoinedPiece>::join(&mut self.pieces.read, &mut self.join.piece);

        OfferSource::<Bits<W>>::join(&mut self.join.payload, &mut self.payload.write);
        outputs!(self.payload.read, payload_data: item, payload_valid: valid);
        self.payload.read.ready.next = self.payload_ready.val();
    }
}
