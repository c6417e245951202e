//! Writes received payload to host memory, and completions after it.
use super::atomic::Atomic;
use super::piece_align::PieceAlign;
use super::piece_cut::PieceCut;
use super::piece_select::PieceSelect;
use super::word_join::WordJoin;
use super::write_port::WritePort;
use super::write_split::WriteSplit;
use super::written::Written;
use super::{AlignedPiece, AnnouncedPiece, AtomicJob, CutPiece, ResponsePiece, WriteBurst};
use crate::bundle::{
    AtomicDoneSource, AtomicJobSink, PayloadBeatSink, PayloadCommandSource, RingEntrySink, WordReadSource,
    WritePieceSink,
};
use hca_hdl::prelude::*;

/// Writes the pieces that both sides have committed, packet by packet in order of arrival; owns the write channels.
///
/// Atomics of the responder are carried out as they come, many at a time; they and the writes to the same blocks of
/// memory take effect in order of arrival.
///
/// Each packet has at least one piece; the last one is marked. A first piece of length 0, or of kind atomic, stands for
/// a packet whose payload is not written; no other piece has length 0. The link gets one payload command a packet. `W`:
/// stream bits; `M`: bus bits, `W` or 2 `W`; `K` = `M` / 8; `D` = 2 `M`; `SB`: bits of an atomic slot's number.
#[derive(LogicBlock, Default)]
pub struct Scatter<const W: usize, const M: usize, const K: usize, const D: usize, const SB: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while an entry is offered: one for each packet, in arrival order.
    pub order_valid: Signal<In, Bit>,
    /// High in a cycle in which the entry is taken.
    pub order_ready: Signal<Out, Bit>,
    /// High if the packet is a response, whose pieces come from the requester.
    pub order_response: Signal<In, Bit>,
    /// High if the payload is needed again, for the next packet.
    pub order_keeps: Signal<In, Bit>,

    /// Pieces that the responder writes. If the kind is `KIND_ATOMIC`, the eight bytes are read, changed by an atomic
    /// operation, and written back.
    pub responder: WritePieceSink,
    /// Pieces that the requester writes. If the kind is `KIND_ATOMIC`, an original value is written, not the payload.
    pub requester: WritePieceSink,

    /// Operands of the responder's atomics, in the order of their pieces.
    pub job: AtomicJobSink<SB>,
    /// High for one cycle when an atomic is done.
    pub done: AtomicDoneSource<SB>,
    /// Original values of the requester's atomics, in the order of their pieces.
    pub original: OfferSink<Bits<64>>,

    /// Requests the payload of the oldest packet, or drops it.
    pub payload_command: PayloadCommandSource,
    /// The payload that was requested.
    pub payload: PayloadBeatSink<W>,

    /// Number of requests whose writes, and those of all requests before them, are acknowledged, modulo 2^16.
    pub responder_written: Signal<Out, Bits<16>>,
    /// Number of responses whose writes, and those of all responses before them, are acknowledged, modulo 2^16.
    pub requester_written: Signal<Out, Bits<16>>,
    /// High for one cycle for each request that is counted.
    pub responder_counted: Signal<Out, Bit>,
    /// High for one cycle for each response that is counted.
    pub requester_counted: Signal<Out, Bit>,
    /// High while the request that is counted next waits because host memory failed it.
    pub responder_fault_valid: Signal<Out, Bit>,
    /// High in a cycle in which that fault is taken.
    pub responder_fault_ready: Signal<In, Bit>,
    /// With `responder_fault_valid`: high if the request is an atomic.
    pub responder_fault_atomic: Signal<Out, Bit>,
    /// High while the response that is counted next waits because host memory failed it.
    pub requester_fault_valid: Signal<Out, Bit>,
    /// High in a cycle in which that fault is taken.
    pub requester_fault_ready: Signal<In, Bit>,

    /// Entries of rings; they are written in their order.
    pub cqe: RingEntrySink,
    /// High for one cycle when the write of the oldest of these entries has been answered.
    pub cqe_written: Signal<Out, Bit>,
    /// With `cqe_written`: high if it was answered with an error.
    pub cqe_error: Signal<Out, Bit>,

    /// Reads of the eight bytes of an atomic.
    pub read: WordReadSource,

    /// Write channels of host memory.
    pub axi: AxiWriteSource<M, K>,

    cut: PieceCut,
    responder_pieces: Fifo<CutPiece, 1>,
    requester_pieces: Fifo<ResponsePiece, 1>,
    select: PieceSelect,
    atomic: Atomic<SB>,
    operands: Fifo<AtomicJob, 3>,
    addresses: Fifo<AnnouncedPiece, 3>,
    alignments: Fifo<AlignedPiece, 3>,
    /// Eight bytes each, byte 0 at the most significant end.
    values: Fifo<Bits<64>, 1>,
    beats: Fifo<Bits<M>, 2>,
    strobes: Fifo<Bits<K>, 2>,
    lasts: Fifo<Bits<1>, 2>,
    word_join: WordJoin<W, M>,
    align: PieceAlign<M, K, D>,
    split: WriteSplit<M>,
    responder_count: Written,
    requester_count: Written,
    port: WritePort<M, K>,

    piece_room: Signal<Local, Bit>,
    aligned: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const M: usize, const K: usize, const D: usize, const SB: usize> Logic
    for Scatter<W, M, K, D, SB>
{
    fn update(&mut self) {
        clock_and_reset!(
            self, select, addresses, alignments, values, beats, strobes, lasts, word_join, align, split,
            responder_count, requester_count, port, cut, responder_pieces, requester_pieces, atomic,
            operands
        );

        // The next piece goes both to the block that announces its bursts and to the block that aligns its bytes.
        inputs!(self.select, order_valid, order_response, order_keeps);
        WritePieceSink::link(&mut self.responder, &mut self.cut.piece);
        OfferSource::<CutPiece>::join(&mut self.cut.cut, &mut self.responder_pieces.write);
        OfferSource::<CutPiece>::join(&mut self.responder_pieces.read, &mut self.select.responder);
        self.requester_pieces.write.valid.next = self.requester.valid.val();
        self.requester_pieces.write.item.next.last = self.requester.last.val();
        self.requester_pieces.write.item.next.kind = self.requester.kind.val();
        self.requester_pieces.write.item.next.length = self.requester.length.val();
        self.requester_pieces.write.item.next.address = self.requester.address.val();
        self.requester.ready.next = self.requester_pieces.write.ready.val();
        OfferSource::<ResponsePiece>::join(&mut self.requester_pieces.read, &mut self.select.requester);
        OfferSink::<Bits<64>>::link(&mut self.original, &mut self.select.original);

        // Atomics. The operands wait here because an atomic waits for the writes before it.
        OfferSource::<Bits<64>>::join(&mut self.split.target, &mut self.atomic.target);
        OfferSource::<AtomicJob>::join(&mut self.operands.read, &mut self.atomic.job);
        WordReadSource::link(&mut self.read, &mut self.atomic.read);
        self.port.atomic_valid.next = self.atomic.write_valid.val();
        self.atomic.write_ready.next = self.port.atomic_ready.val();
        inputs!(self.port, atomic_address: atomic.write_address, atomic_word: atomic.write_data);
        self.atomic.acknowledged.next = self.port.atomic_acknowledged.val();
        self.atomic.acknowledged_error.next = self.port.acknowledged_error.val();
        self.split.atomic_done.next = self.atomic.done.valid.val();
        AtomicDoneSource::<SB>::link(&mut self.done, &mut self.atomic.done);
        self.operands.write.valid.next = self.job.valid.val();
        self.operands.write.item.next.fetch_add = self.job.fetch_add.val();
        self.operands.write.item.next.slot = bit_cast::<16, SB>(self.job.slot.val());
        self.operands.write.item.next.compare = self.job.compare.val();
        self.operands.write.item.next.swap_add = self.job.swap_add.val();
        self.job.ready.next = self.operands.write.ready.val();
        self.order_ready.next = self.select.order_ready.val();
        PayloadCommandSource::link(&mut self.payload_command, &mut self.select.command);
        self.piece_room.next = self.addresses.write.ready.val()
            && self.alignments.write.ready.val()
            && self.values.write.ready.val();
        self.select.piece_ready.next = self.piece_room.val();
        inputs!(self.addresses.write, valid: select.piece_valid, item: select.announced);
        self.aligned.next = self.select.piece_valid.val()
            && self.select.announced.val().length.any()
            && !self.select.announced.val().atomic;
        inputs!(self.alignments.write, valid: aligned, item: select.aligned);
        self.values.write.valid.next = self.aligned.val() && self.select.aligned.val().value;
        self.values.write.item.next = self.select.value.val();

        // Move the bytes to their place in a beat.
        PayloadBeatSink::<W>::link(&mut self.payload, &mut self.word_join.beat);
        OfferSource::<Bits<M>>::join(&mut self.word_join.word, &mut self.align.word);
        OfferSource::<Bits<64>>::join(&mut self.values.read, &mut self.align.value);
        OfferSource::<AlignedPiece>::join(&mut self.alignments.read, &mut self.align.piece);
        self.align.beat_ready.next = self.beats.write.ready.val();
        inputs!(self.beats.write, valid: align.beat_valid, item: align.beat);
        inputs!(self.strobes.write, valid: align.beat_valid, item: align.beat_strobe);
        self.lasts.write.valid.next = self.align.beat_valid.val();
        self.lasts.write.item.next = self.align.beat_last.val().into();

        // Announce the bursts, and count those that are in memory.
        OfferSource::<AnnouncedPiece>::join(&mut self.addresses.read, &mut self.split.piece);
        self.split.responder_acknowledged.next = self.port.responder_acknowledged.val();
        self.split.count_ready.next =
            self.responder_count.count_ready.val() && self.requester_count.count_ready.val();
        self.responder_count.count_valid.next =
            self.split.count_valid.val() && !self.split.bursts.item.val().requester;
        wires!(self.split, self.responder_count, count_burst, count_atomic, count_last);
        self.responder_count.atomic_done.next = self.atomic.done.valid.val();
        self.responder_count.acknowledged.next = self.port.responder_acknowledged.val();
        self.requester_count.count_valid.next =
            self.split.count_valid.val() && self.split.bursts.item.val().requester;
        wires!(self.split, self.requester_count, count_burst, count_last);
        self.requester_count.count_atomic.next = false;
        self.requester_count.atomic_done.next = false;
        self.requester_count.acknowledged.next = self.port.requester_acknowledged.val();
        self.responder_count.acknowledged_error.next = self.port.acknowledged_error.val();
        self.responder_count.atomic_error.next = self.atomic.done.error.val();
        self.requester_count.acknowledged_error.next = self.port.acknowledged_error.val();
        self.requester_count.atomic_error.next = false;
        self.responder_counted.next = self.responder_count.counted.val();
        self.requester_counted.next = self.requester_count.counted.val();
        self.responder_fault_valid.next = self.responder_count.fault_valid.val();
        self.responder_count.fault_ready.next = self.responder_fault_ready.val();
        self.responder_fault_atomic.next = self.responder_count.fault_atomic.val();
        self.requester_fault_valid.next = self.requester_count.fault_valid.val();
        self.requester_count.fault_ready.next = self.requester_fault_ready.val();
        self.responder_written.next = self.responder_count.written.val();
        self.requester_written.next = self.requester_count.written.val();

        // The bus.
        OfferSource::<WriteBurst>::join(&mut self.split.bursts, &mut self.port.burst);
        self.port.beat_valid.next = self.beats.read.valid.val();
        inputs!(self.port, beat: beats.read.item, beat_strobe: strobes.read.item);
        self.port.beat_last.next = self.lasts.read.item.val().get_bit(0);
        self.beats.read.ready.next = self.port.beat_ready.val();
        self.strobes.read.ready.next = self.port.beat_ready.val();
        self.lasts.read.ready.next = self.port.beat_ready.val();
        RingEntrySink::link(&mut self.cqe, &mut self.port.cqe);
        outputs!(self.port, cqe_written, cqe_error: acknowledged_error);
        AxiWriteSource::<M, K>::link(&mut self.axi, &mut self.port.axi);
    }
}
