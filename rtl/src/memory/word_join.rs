//! Joins beats of the payload stream to words of the memory bus.
use crate::bundle::PayloadBeatSink;
use hca_hdl::prelude::*;

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

    /// Beats of payload.
    pub beat: PayloadBeatSink<W>,

    /// Words of the bus.
    pub word: OfferSource<Bits<M>>,

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

#[kernel]
impl<const W: usize, const M: usize> Logic for WordJoin<W, M> {
    fn update(&mut self) {
        clock!(self, clock, words);
        self.words.reset.next = self.reset.val();

        self.beat.ready.next = self.words.write.ready.val();
        self.accept.next = self.beat.valid.val() && self.words.write.ready.val();
        self.completes.next = !self.doubles.val() || self.half.q.val() || self.beat.last.val();
        self.words.write.valid.next = self.accept.val() && self.completes.val();
        self.words.write.item.next = bit_cast::<M, W>(self.beat.data.val()) << self.upper.val();
        if self.half.q.val() {
            self.words.write.item.next = (bit_cast::<M, W>(self.first.q.val()) << self.upper.val())
                | bit_cast::<M, W>(self.beat.data.val());
        }
        if self.accept.val() {
            self.first.d.next = self.beat.data.val();
            self.half.d.next = !self.completes.val();
        }
        OfferSource::<Bits<M>>::link(&mut self.word, &mut self.words.read);

        if self.reset.val() {
            self.half.d.next = false;
        }
    }
}
