//! Pieces of host memory for the bytes of one packet, held back until the packet is decided.
use super::{QueuedPacket, QueuedPiece};
use crate::bundle::{FoundPieceSink, PieceCommandSink, WritePieceSource};
use hca_hdl::prelude::*;

/// The kind of a packet whose bytes are read or written.
pub const KIND_DATA: usize = 0;
/// The kind of a packet that is an atomic operation on the eight bytes of its piece.
pub const KIND_ATOMIC: usize = 1;
/// The kind of a packet whose first 40 bytes are its network header, the others its payload.
pub const KIND_PREFIXED: usize = 2;

/// Pieces are pushed as they are found and leave only once their packet is committed; an abort removes all pieces that
/// are not committed. A packet without pieces leaves as one entry of length 0. A user that pushes the pieces of up to
/// four packets before it commits the first closes each packet when its pieces have been pushed.
///
/// Holds 2^`A` - 1 pieces, and as many packets. `command.ready` promises room for 17 pieces, enough for a packet of 16;
/// a user waits for it before the first piece. With an `A` of 6 it promises four more, which the walk before may still
/// bring. A user that waits for it again before the commit needs an `A` of 6: in a shorter queue the packet's own
/// pieces may keep it low. `command.ready` and the output depend on registers alone, one cycle after a push or commit.
#[derive(LogicBlock, SmartDefault)]
pub struct PieceQueue<const A: usize> {
    #[default(provided(A >= 5, &format!("a queue of 2^{A} pieces has no room for the 16 of one packet")))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The pieces that are pushed.
    pub push: FoundPieceSink,
    /// Commands about the packets that the pieces belong to.
    pub command: PieceCommandSink,

    /// The pieces of committed packets; the length is 0 for a packet without pieces.
    pub piece: WritePieceSource,
    /// High if the length of the offered piece is 0; it settles earlier in the clock than `piece.length`.
    pub nothing: Signal<Out, Bit>,
    /// Number of bytes of the offered piece, unless `nothing`.
    pub some_length: Signal<Out, Bits<13>>,

    pieces: LutRam<QueuedPiece, A>,
    packets: LutRam<QueuedPacket, A>,
    piece_head: Register<Bits<A>>,
    piece_tail: Register<Bits<A>>,
    /// Place of the first piece that is not committed.
    held: Register<Bits<A>>,
    packet_head: Register<Bits<A>>,
    packet_tail: Register<Bits<A>>,
    /// Number of pieces of the packet that is not closed yet.
    pushed: Register<Bits<5>>,
    /// Numbers of pieces of the closed packets.
    closed: Fifo<Bits<5>, 2>,
    /// Number of pieces of the first packet that have left.
    taken: Register<Bits<5>>,
    has_room: Register<Bit>,

    pushed_now: Signal<Local, Bits<5>>,
    /// Number of pieces of the packet that a commit is for.
    size: Signal<Local, Bits<5>>,
    last_number: Signal<Local, Bits<5>>,
    empty: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    pieces_used: Signal<Local, Bits<A>>,
    packets_used: Signal<Local, Bits<A>>,
    /// Most places that may be in use now for `ready` to be high in the next cycle. A ring of 2^`A` places holds one
    /// piece less, as equal ends mean that it is empty; `ready` promises 17 or 21 of them, and one may be taken in
    /// this cycle.
    #[default(constant((1usize << A) - if A < 6 { 19 } else { 23 }))]
    limit: Constant<Bits<A>>,
}

#[kernel]
impl<const A: usize> Logic for PieceQueue<A> {
    fn update(&mut self) {
        clock!(self, clock, pieces, packets, closed);

        // Input.
        self.pieces.write_enable.next = self.push.valid.val();
        self.pieces.write_address.next = self.piece_tail.q.val();
        self.pieces.write_data.next.address = self.push.address.val();
        self.pieces.write_data.next.length = self.push.length.val();
        self.pushed_now.next = self.pushed.q.val();
        if self.push.valid.val() {
            self.pushed_now.next = self.pushed.q.val() + 1;
            self.piece_tail.d.next = self.piece_tail.q.val() + 1;
        }
        self.pushed.d.next = self.pushed_now.val();
        self.closed.reset.next = self.reset.val() || self.command.abort.val();
        self.closed.write.valid.next =
            self.command.close.val() && (self.closed.read.valid.val() || !self.command.commit.val());
        self.closed.write.item.next = self.pushed_now.val();
        self.closed.read.ready.next = self.command.commit.val();
        self.size.next = self.pushed_now.val();
        if self.closed.read.valid.val() {
            self.size.next = self.closed.read.item.val();
        }
        inputs!(self.packets, write_enable: command.commit, write_address: packet_tail.q);
        self.last_number.next = bits::<5>(0);
        if self.size.val().any() {
            self.last_number.next = self.size.val() - 1;
        }
        self.packets.write_data.next.last_number = self.last_number.val();
        self.packets.write_data.next.empty = !self.size.val().any();
        self.packets.write_data.next.kind = self.command.kind.val();
        if self.command.commit.val() {
            self.packet_tail.d.next = self.packet_tail.q.val() + 1;
            self.held.d.next = self.held.q.val() + bit_cast::<A, 5>(self.size.val());
        }
        if self.command.close.val() || (self.command.commit.val() && !self.closed.read.valid.val()) {
            self.pushed.d.next = bits::<5>(0);
        }
        if self.command.abort.val() {
            self.piece_tail.d.next = self.held.q.val();
            self.pushed.d.next = bits::<5>(0);
        }
        self.pieces_used.next = self.piece_tail.q.val() - self.piece_head.q.val();
        self.packets_used.next = self.packet_tail.q.val() - self.packet_head.q.val();
        self.command.ready.next = self.has_room.q.val();
        self.has_room.d.next =
            (self.pieces_used.val() <= self.limit.val()) && (self.packets_used.val() <= self.limit.val());

        // Output.
        inputs!(self.pieces, read_address_a: piece_head.q, read_address_b: piece_head.q);
        inputs!(self.packets, read_address_a: packet_head.q, read_address_b: packet_head.q);
        self.waits.next = self.packet_head.q.val() != self.packet_tail.q.val();
        self.empty.next = self.packets.read_data_a.val().empty;
        self.ends.next = self.packets.read_data_a.val().last_number == self.taken.q.val();
        self.piece.valid.next = self.waits.val();
        self.nothing.next = self.empty.val();
        self.piece.address.next = self.pieces.read_data_a.val().address;
        self.some_length.next = self.pieces.read_data_a.val().length;
        self.piece.length.next = self.pieces.read_data_a.val().length;
        if self.empty.val() {
            self.piece.length.next = bits::<13>(0);
        }
        self.piece.kind.next = self.packets.read_data_a.val().kind;
        self.piece.last.next = self.ends.val();
        self.leaves.next = self.waits.val() && self.piece.ready.val();
        if self.leaves.val() {
            self.taken.d.next = self.taken.q.val() + 1;
            if !self.empty.val() {
                self.piece_head.d.next = self.piece_head.q.val() + 1;
            }
            if self.ends.val() {
                self.taken.d.next = bits::<5>(0);
                self.packet_head.d.next = self.packet_head.q.val() + 1;
            }
        }

        if self.reset.val() {
            self.piece_head.d.next = 0.into();
            self.piece_tail.d.next = 0.into();
            self.held.d.next = 0.into();
            self.packet_head.d.next = 0.into();
            self.packet_tail.d.next = 0.into();
            self.has_room.d.next = true;
            clear!(self, pushed, taken);
        }
    }
}
