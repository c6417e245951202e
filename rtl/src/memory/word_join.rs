//! Joins beats of the payload stream to words of the memory bus.
use hca_hdl::primitive::{clock, comment, constant, dff_setup, provided, Fifo, Register};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Joins the beats of a packet two by two if the bus is twice as wide as the stream; the last beat may stay alone.
///
/// Byte 0 is at the most significant end. `W`: bits of a beat; `M`: bits of a word, `W` or 2 `W`.
#[derive(LogicBlock, SmartDefault)]
pub struct WordJoin<const W: usize, const M: usize> {
    #[default(provided(
        M == W || M == 2 * W,
        &format!("a memory bus of {M} bits does not go with a stream of {W} bits")
    ))]
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High while a beat of payload is offered.
    pub beat_valid: Signal<In, Bit>,
    /// High in a cycle in which the beat is taken.
    pub beat_ready: Signal<Out, Bit>,
    /// The beat of payload.
    pub beat: Signal<In, Bits<W>>,
    /// High with the last beat of a packet's payload.
    pub beat_last: Signal<In, Bit>,

    /// High while a word is offered.
    pub word_valid: Signal<Out, Bit>,
    /// High in a cycle in which the word is taken.
    pub word_ready: Signal<In, Bit>,
    /// The word.
    pub word: Signal<Out, Bits<M>>,

    words: Fifo<Bits<M>, 2>,
    first: Register<Bits<W>>,
    half: Register<Bit>,

    accept: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,

    #[default(Constant::new(M != W))]
    doubles: Constant<Bit>,
    #[default(constant(M - W))]
    upper: Constant<Bits<10>>,
}

impl<const W: usize, const M: usize> Logic for WordJoin<W, M> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module word_join");
        dff_setup!(self, clock, first, half);
        clock!(self, clock, words);
        self.words.reset.next = self.reset.val();

        self.beat_ready.next = self.words.write_ready.val();
        self.accept.next = self.beat_valid.val() && self.words.write_ready.val();
        self.completes.next = !self.doubles.val() || self.half.q.val() || self.beat_last.val();
        self.words.write_valid.next = self.accept.val() && self.completes.val();
        self.words.write_data.next = bit_cast::<M, W>(self.beat.val()) << self.upper.val();
        if self.half.q.val() {
            self.words.write_data.next = (bit_cast::<M, W>(self.first.q.val()) << self.upper.val())
                | bit_cast::<M, W>(self.beat.val());
        }
        if self.accept.val() {
            self.first.d.next = self.beat.val();
            self.half.d.next = !self.completes.val();
        }
        self.word_valid.next = self.words.read_valid.val();
        self.word.next = self.words.read_data.val();
        self.words.read_ready.next = self.word_ready.val();

        if self.reset.val() {
            self.half.d.next = false;
        }
    }
}
