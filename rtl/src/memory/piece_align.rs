//! Moves the bytes of a packet to the alignment of its pieces in host memory.
use super::{AlignedPiece, BURST_BYTES};
use hca_hdl::prelude::*;

/// Makes the write beats of each piece from the words of its packet; each piece takes its bytes from where the one
/// before it ended.
///
/// A beat joins the rest of one word with the start of the next. The block makes a beat a cycle; a piece that begins
/// further left in its beat than in its word costs one cycle more, which the first piece of a packet never does. Byte 0
/// of words, values and beats is at the most significant end. `M`: bus bits; `K` = `M` / 8; `D` = 2 `M`.
#[derive(LogicBlock, SmartDefault)]
pub struct PieceAlign<const M: usize, const K: usize, const D: usize> {
    #[default(provided(
        M == 8 * K && D == 2 * M && BURST_BYTES == 1 << 10,
        &format!("a bus of {M} bits has {K} lanes and a window of {D}")
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The pieces.
    pub piece: OfferSink<AlignedPiece>,

    /// Words of payload.
    pub word: OfferSink<Bits<M>>,
    /// Values: eight bytes that are all of a packet's data.
    pub value: OfferSink<Bits<64>>,

    /// High while a write beat is offered.
    pub beat_valid: Signal<Out, Bit>,
    /// High in a cycle in which the beat is taken.
    pub beat_ready: Signal<In, Bit>,
    /// The write beat.
    pub beat: Signal<Out, Bits<M>>,
    /// Bit `i` is high if byte `i` of the beat is written.
    pub beat_strobe: Signal<Out, Bits<K>>,
    /// High with the last beat of a burst.
    pub beat_last: Signal<Out, Bit>,

    active: Register<Bit>,
    takes_value: Register<Bit>,
    /// Number of bytes by which words move to the right.
    turn: Register<Bits<7>>,
    address: Register<Bits<10>>,
    offset: Register<Bits<7>>,
    tail: Register<Bits<7>>,
    beats_left: Register<Bits<13>>,
    /// Number of the piece's words that are not in `former` yet.
    words_left: Register<Bits<13>>,
    /// High if there are such words.
    has_words: Register<Bit>,
    /// High if one beat of the piece is left.
    finishing: Register<Bit>,
    first: Register<Bit>,
    /// High if the piece needs its first word in `former` before its first beat.
    fetches: Register<Bit>,
    /// High if `former` already holds all bytes of the first beat, and they belong right of where its bytes usually go.
    alone: Register<Bit>,
    /// Byte of the last word at which the next piece begins.
    end: Register<Bits<7>>,
    /// High if that word is in `former`.
    behind: Register<Bit>,
    former: Register<Bits<M>>,

    load: Signal<Local, Bit>,
    piece_offset: Signal<Local, Bits<7>>,
    total: Signal<Local, Bits<13>>,
    reach: Signal<Local, Bits<13>>,
    words: Signal<Local, Bits<13>>,
    leftward: Signal<Local, Bit>,
    begins_behind: Signal<Local, Bit>,
    source: Signal<Local, Bits<M>>,
    source_valid: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    emits: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    current: Signal<Local, Bits<M>>,
    window: Signal<Local, Bits<D>>,
    first_mask: Signal<Local, Bits<K>>,
    last_mask: Signal<Local, Bits<K>>,

    #[default(constant(M))]
    width: Constant<Bits<10>>,
    #[default(constant(M - 64))]
    value_shift: Constant<Bits<10>>,
    #[default(constant(K))]
    bytes: Constant<Bits<10>>,
    #[default(constant(K))]
    bytes_7: Constant<Bits<7>>,
    #[default(constant(K))]
    bytes_13: Constant<Bits<13>>,
    #[default(constant(K - 1))]
    round_up: Constant<Bits<13>>,
    #[default(constant(K.trailing_zeros() as usize))]
    beat_shift: Constant<Bits<4>>,
    #[default(constant(K - 1))]
    offset_mask: Constant<Bits<7>>,
    #[default(constant(BURST_BYTES - K))]
    align_mask: Constant<Bits<10>>,
    #[default(constant(BURST_BYTES - K))]
    last_address: Constant<Bits<10>>,
    #[default(Constant::new(!Bits::<K>::default()))]
    ones: Constant<Bits<K>>,
}

#[kernel]
impl<const M: usize, const K: usize, const D: usize> Logic for PieceAlign<M, K, D> {
    fn update(&mut self) {
        outputs!(self.word, source: item, source_valid: valid);
        if self.takes_value.q.val() {
            self.source.next = bit_cast::<M, 64>(self.value.item.val()) << self.value_shift.val();
            self.source_valid.next = self.value.valid.val();
        }

        // A beat holds the last `turn` bytes of the former word, then the first bytes of the current one.
        self.takes.next = self.has_words.q.val() && !self.alone.q.val();
        self.finishes.next = self.finishing.q.val();
        self.emits.next =
            self.active.q.val() && !self.fetches.q.val() && (!self.takes.val() || self.source_valid.val());
        self.moves.next = self.emits.val() && self.beat_ready.val();
        self.current.next = self.source.val();
        if self.alone.q.val() {
            self.current.next = self.former.q.val();
        }
        self.window.next = (bit_cast::<D, M>(self.former.q.val()) << self.width.val())
            | bit_cast::<D, M>(self.current.val());
        self.beat_valid.next = self.emits.val();
        self.beat.next = bit_cast::<M, D>(self.window.val() >> (bit_cast::<10, 7>(self.turn.q.val()) << 3));
        self.first_mask.next = self.ones.val();
        if self.first.q.val() {
            self.first_mask.next = self.ones.val() << self.offset.q.val();
        }
        self.last_mask.next = self.ones.val();
        if self.finishes.val() && self.tail.q.val().any() {
            self.last_mask.next = self.ones.val() >> (self.bytes_7.val() - self.tail.q.val());
        }
        self.beat_strobe.next = self.first_mask.val() & self.last_mask.val();
        self.beat_last.next = self.finishes.val() || (self.address.q.val() == self.last_address.val());
        if self.moves.val() {
            self.first.d.next = false;
            self.alone.d.next = false;
            self.beats_left.d.next = self.beats_left.q.val() - 1;
            self.finishing.d.next = self.beats_left.q.val() == 2;
            self.address.d.next = self.address.q.val() + self.bytes.val();
        }

        // A word in which the next piece begins is kept.
        self.pop.next =
            (self.moves.val() && self.takes.val() && !(self.finishes.val() && self.end.q.val().any()))
                || (self.active.q.val() && self.fetches.q.val() && self.source_valid.val());
        self.word.ready.next = self.pop.val() && !self.takes_value.q.val();
        self.value.ready.next = self.pop.val() && self.takes_value.q.val();
        if self.pop.val() {
            self.fetches.d.next = false;
            self.former.d.next = self.source.val();
            self.words_left.d.next = self.words_left.q.val() - 1;
            self.has_words.d.next = self.words_left.q.val() != 1;
        }

        // The next piece is taken in the clock of this one's last beat at the earliest.
        self.load.next = !self.active.q.val() || (self.moves.val() && self.finishes.val());
        self.piece.ready.next = self.load.val();
        self.begins_behind.next = self.behind.q.val();
        if self.active.q.val() {
            self.begins_behind.next = !self.takes.val() && self.end.q.val().any();
        }
        self.piece_offset.next = bit_cast::<7, 10>(self.piece.item.val().address) & self.offset_mask.val();
        self.total.next = self.piece.item.val().length + bit_cast::<13, 7>(self.piece_offset.val());
        self.reach.next = self.piece.item.val().length + bit_cast::<13, 7>(self.end.q.val());
        // The terms that are known early come first: the length settles late in the clock.
        self.words.next = (self.piece.item.val().length
            + (bit_cast::<13, 7>(self.end.q.val()) + self.round_up.val()))
            >> self.beat_shift.val();
        if self.begins_behind.val() {
            // One word less: it is in `former`, and `end` is not 0.
            self.words.next = (self.piece.item.val().length + (bit_cast::<13, 7>(self.end.q.val()) - 1))
                >> self.beat_shift.val();
        }
        self.leftward.next = self.piece_offset.val() < self.end.q.val();
        if self.load.val() {
            self.active.d.next = self.piece.valid.val();
            self.behind.d.next = self.begins_behind.val();
            if self.piece.valid.val() {
                self.takes_value.d.next = self.piece.item.val().value;
                self.turn.d.next = (self.piece_offset.val() - self.end.q.val()) & self.offset_mask.val();
                self.address.d.next = self.piece.item.val().address & self.align_mask.val();
                self.offset.d.next = self.piece_offset.val();
                self.tail.d.next = bit_cast::<7, 13>(self.total.val()) & self.offset_mask.val();
                self.beats_left.d.next = (self.total.val() + self.round_up.val()) >> self.beat_shift.val();
                self.finishing.d.next = self.total.val() <= self.bytes_13.val();
                self.words_left.d.next = self.words.val();
                self.has_words.d.next = true;
                if self.begins_behind.val() {
                    self.has_words.d.next = self.reach.val() > self.bytes_13.val();
                }
                self.first.d.next = true;
                self.fetches.d.next = self.leftward.val() && !self.begins_behind.val();
                self.alone.d.next = !self.leftward.val() && self.begins_behind.val();
                self.end.d.next = bit_cast::<7, 13>(self.reach.val()) & self.offset_mask.val();
                if self.piece.item.val().last {
                    self.end.d.next = bits::<7>(0);
                }
            }
        }

        if self.reset.val() {
            clear!(self, active, behind, end);
        }
    }
}
