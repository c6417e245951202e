//! Writes received payload to host memory, and completions after it.
use super::atomic::Atomic;
use super::piece_align::PieceAlign;
use super::piece_cut::PieceCut;
use super::piece_select::PieceSelect;
use super::word_join::WordJoin;
use super::write_port::WritePort;
use super::write_split::WriteSplit;
use super::written::Written;
use super::{AlignedPiece, AnnouncedPiece, AtomicJob, CutPiece, ResponsePiece};
use crate::bundle::{
    AtomicDoneSource, PayloadBeatSink, PayloadCommandSource, RingEntrySink, WordReadSource, WritePieceSink,
};
use hca_hdl::bundle::{AxiWriteSource, OfferSink};
use hca_hdl::primitive::{clock, comment, kernel, Fifo};
use rust_hdl_core::prelude::*;

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

    /// High while the operands of an atomic of the responder are offered, in the order of their pieces.
    pub atomic_valid: Signal<In, Bit>,
    /// High in a cycle in which the operands are taken.
    pub atomic_ready: Signal<Out, Bit>,
    /// High for FetchAdd, low for CompareSwap.
    pub fetch_add: Signal<In, Bit>,
    /// Value that CompareSwap compares memory with.
    pub compare: Signal<In, Bits<64>>,
    /// Value that CompareSwap writes or FetchAdd adds.
    pub swap_add: Signal<In, Bits<64>>,
    /// Slot that `done_slot` returns.
    pub slot: Signal<In, Bits<SB>>,
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

impl<const W: usize, const M: usize, const K: usize, const D: usize, const SB: usize> Logic
    for Scatter<W, M, K, D, SB>
{
    #[kernel]
    fn update(&mut self) {
        comment!("@module scatter");
        clock!(
            self, clock, select, addresses, alignments, values, beats, strobes, lasts, word_join, align,
            split, responder_count, requester_count, port, cut, responder_pieces, requester_pieces, atomic,
            operands
        );
        reset!(
            self, reset, select, addresses, alignments, values, beats, strobes, lasts, word_join, align,
            split, responder_count, requester_count, port, responder_pieces, cut, requester_pieces, atomic,
            operands
        );

        // The next piece goes both to the block that announces its bursts and to the block that aligns its bytes.
        inputs!(self.select, order_valid, order_response, order_keeps);
        wires!(self.responder, self.cut, valid, address, length, kind, last);
        self.responder.ready.next = self.cut.ready.val();
        self.cut.cut_ready.next = self.responder_pieces.write_ready.val();
        self.responder_pieces.write_valid.next = self.cut.cut_valid.val();
        self.responder_pieces.write_data.next.ends = self.cut.cut_ends.val();
        self.responder_pieces.write_data.next.last = self.cut.cut_last.val();
        self.responder_pieces.write_data.next.prefix = self.cut.cut_prefix.val();
        self.responder_pieces.write_data.next.atomic = self.cut.cut_atomic.val();
        self.responder_pieces.write_data.next.length = self.cut.cut_length.val();
        self.responder_pieces.write_data.next.address = self.cut.cut_address.val();
        self.select.responder_valid.next = self.responder_pieces.read_valid.val();
        self.select.responder_address.next = self.responder_pieces.read_data.val().address;
        self.select.responder_length.next = self.responder_pieces.read_data.val().length;
        self.select.responder_atomic.next = self.responder_pieces.read_data.val().atomic;
        self.select.responder_prefix.next = self.responder_pieces.read_data.val().prefix;
        self.select.responder_last.next = self.responder_pieces.read_data.val().last;
        self.select.responder_ends.next = self.responder_pieces.read_data.val().ends;
        self.responder_pieces.read_ready.next = self.select.responder_ready.val();
        self.requester_pieces.write_valid.next = self.requester.valid.val();
        self.requester_pieces.write_data.next.last = self.requester.last.val();
        self.requester_pieces.write_data.next.kind = self.requester.kind.val();
        self.requester_pieces.write_data.next.length = self.requester.length.val();
        self.requester_pieces.write_data.next.address = self.requester.address.val();
        self.requester.ready.next = self.requester_pieces.write_ready.val();
        self.select.requester_valid.next = self.requester_pieces.read_valid.val();
        self.select.requester_address.next = self.requester_pieces.read_data.val().address;
        self.select.requester_length.next = self.requester_pieces.read_data.val().length;
        self.select.requester_kind.next = self.requester_pieces.read_data.val().kind;
        self.select.requester_last.next = self.requester_pieces.read_data.val().last;
        self.requester_pieces.read_ready.next = self.select.requester_ready.val();
        OfferSink::<Bits<64>>::link(&mut self.original, &mut self.select.original);

        // Atomics. The operands wait here because an atomic waits for the writes before it.
        self.atomic.valid.next = self.split.atomic_valid.val();
        self.split.atomic_ready.next = self.atomic.ready.val();
        self.atomic.address.next = self.split.atomic_address.val();
        self.atomic.fetch_add.next = self.operands.read_data.val().fetch_add;
        self.atomic.compare.next = self.operands.read_data.val().compare;
        self.atomic.swap_add.next = self.operands.read_data.val().swap_add;
        self.atomic.slot.next = self.operands.read_data.val().slot.get_bits::<SB>(0);
        WordReadSource::link(&mut self.read, &mut self.atomic.read);
        self.port.atomic_valid.next = self.atomic.write_valid.val();
        self.atomic.write_ready.next = self.port.atomic_ready.val();
        self.port.atomic_address.next = self.atomic.write_address.val();
        self.port.atomic_word.next = self.atomic.write_data.val();
        self.atomic.acknowledged.next = self.port.atomic_acknowledged.val();
        self.atomic.acknowledged_error.next = self.port.acknowledged_error.val();
        self.split.atomic_done.next = self.atomic.done.valid.val();
        AtomicDoneSource::<SB>::link(&mut self.done, &mut self.atomic.done);
        self.operands.write_valid.next = self.atomic_valid.val();
        self.operands.write_data.next.fetch_add = self.fetch_add.val();
        self.operands.write_data.next.slot = bit_cast::<16, SB>(self.slot.val());
        self.operands.write_data.next.compare = self.compare.val();
        self.operands.write_data.next.swap_add = self.swap_add.val();
        self.atomic_ready.next = self.operands.write_ready.val();
        self.atomic.operand_valid.next = self.operands.read_valid.val();
        self.operands.read_ready.next = self.atomic.operand_ready.val();
        self.order_ready.next = self.select.order_ready.val();
        PayloadCommandSource::link(&mut self.payload_command, &mut self.select.command);
        self.piece_room.next = self.addresses.write_ready.val()
            && self.alignments.write_ready.val()
            && self.values.write_ready.val();
        self.select.piece_ready.next = self.piece_room.val();
        self.addresses.write_valid.next = self.select.piece_valid.val();
        self.addresses.write_data.next.atomic = self.select.piece_atomic.val();
        self.addresses.write_data.next.requester = self.select.piece_requester.val();
        self.addresses.write_data.next.last = self.select.piece_ends.val();
        self.addresses.write_data.next.length = self.select.piece_length.val();
        self.addresses.write_data.next.address = self.select.piece_address.val();
        self.aligned.next = self.select.piece_valid.val()
            && self.select.piece_length.val().any()
            && !self.select.piece_atomic.val();
        self.alignments.write_valid.next = self.aligned.val();
        self.alignments.write_data.next.value = self.select.piece_value.val();
        self.alignments.write_data.next.last = self.select.piece_last.val();
        self.alignments.write_data.next.length = self.select.piece_length.val();
        self.alignments.write_data.next.address = self.select.piece_address.val().get_bits::<10>(0);
        self.values.write_valid.next = self.aligned.val() && self.select.piece_value.val();
        self.values.write_data.next = self.select.value.val();

        // Move the bytes to their place in a beat.
        self.word_join.beat_valid.next = self.payload.valid.val();
        self.payload.ready.next = self.word_join.beat_ready.val();
        self.word_join.beat.next = self.payload.data.val();
        self.word_join.beat_last.next = self.payload.last.val();
        wires!(self.word_join, self.align, word_valid, word);
        self.word_join.word_ready.next = self.align.word_ready.val();
        self.align.value_valid.next = self.values.read_valid.val();
        self.values.read_ready.next = self.align.value_ready.val();
        self.align.value.next = self.values.read_data.val();
        self.align.piece_valid.next = self.alignments.read_valid.val();
        self.alignments.read_ready.next = self.align.piece_ready.val();
        self.align.piece_address.next = self.alignments.read_data.val().address;
        self.align.piece_length.next = self.alignments.read_data.val().length;
        self.align.piece_last.next = self.alignments.read_data.val().last;
        self.align.piece_value.next = self.alignments.read_data.val().value;
        self.align.beat_ready.next = self.beats.write_ready.val();
        self.beats.write_valid.next = self.align.beat_valid.val();
        self.beats.write_data.next = self.align.beat.val();
        self.strobes.write_valid.next = self.align.beat_valid.val();
        self.strobes.write_data.next = self.align.beat_strobe.val();
        self.lasts.write_valid.next = self.align.beat_valid.val();
        self.lasts.write_data.next = self.align.beat_last.val().into();

        // Announce the bursts, and count those that are in memory.
        self.split.piece_valid.next = self.addresses.read_valid.val();
        self.addresses.read_ready.next = self.split.piece_ready.val();
        self.split.piece_address.next = self.addresses.read_data.val().address;
        self.split.piece_length.next = self.addresses.read_data.val().length;
        self.split.piece_last.next = self.addresses.read_data.val().last;
        self.split.piece_requester.next = self.addresses.read_data.val().requester;
        self.split.piece_atomic.next = self.addresses.read_data.val().atomic;
        wires!(self.port, self.split, responder_acknowledged, burst_ready);
        self.split.count_ready.next =
            self.responder_count.count_ready.val() && self.requester_count.count_ready.val();
        self.responder_count.count_valid.next = self.split.count_valid.val() && !self.split.requester.val();
        wires!(self.split, self.responder_count, count_burst, count_atomic, count_last);
        self.responder_count.atomic_done.next = self.atomic.done.valid.val();
        self.responder_count.acknowledged.next = self.port.responder_acknowledged.val();
        self.requester_count.count_valid.next = self.split.count_valid.val() && self.split.requester.val();
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
        wires!(self.split, self.port, burst_valid, burst_address, burst_beats);
        self.port.burst_requester.next = self.split.requester.val();
        self.port.beat_valid.next = self.beats.read_valid.val();
        self.port.beat.next = self.beats.read_data.val();
        self.port.beat_strobe.next = self.strobes.read_data.val();
        self.port.beat_last.next = self.lasts.read_data.val().get_bit(0);
        self.beats.read_ready.next = self.port.beat_ready.val();
        self.strobes.read_ready.next = self.port.beat_ready.val();
        self.lasts.read_ready.next = self.port.beat_ready.val();
        RingEntrySink::link(&mut self.cqe, &mut self.port.cqe);
        self.cqe_written.next = self.port.cqe_written.val();
        self.cqe_error.next = self.port.acknowledged_error.val();
        AxiWriteSource::<M, K>::link(&mut self.axi, &mut self.port.axi);
    }
}
