//! The state of a CQ, as the CQE writer reports it, and the words that return it to software.
use hca_hdl::prelude::*;
use hca_host::command::query_cq;

/// Keeps the answer of the CQE writer, and lays it out as in `host::command::query_cq` and `resize_cq`.
#[derive(LogicBlock, SmartDefault)]
pub struct CqStanding {
    pub clock: Signal<In, Clock>,
    /// High for one cycle when the CQE writer answers.
    pub taken: Signal<In, Bit>,
    /// Byte address of the ring.
    pub base: Signal<In, Bits<64>>,
    /// Log2 of the number of CQEs.
    pub log_size: Signal<In, Bits<4>>,
    /// Number of CQEs written, modulo 2^16.
    pub producer: Signal<In, Bits<16>>,
    /// Number of CQEs polled, modulo 2^16.
    pub consumer: Signal<In, Bits<16>>,
    /// How the CQ is armed: 0 not, 1 for solicited completions, 2 for the next completion.
    pub armed: Signal<In, Bits<2>>,
    /// High if the CQ has failed.
    pub failed: Signal<In, Bit>,
    /// High for one cycle when the command is reported; a later failure is not in its answer.
    pub reported: Signal<In, Bit>,
    /// High for `QUERY_CQ`; low for `RESIZE_CQ`, which returns only the producer.
    pub queried: Signal<In, Bit>,
    /// Word of `ARGUMENT` that is read.
    pub word: Signal<In, Bits<5>>,
    /// Value of that word.
    pub answer: Signal<Out, Bits<32>>,
    /// Number of CQEs that software has not polled according to its doorbells.
    pub unpolled: Signal<Out, Bits<16>>,
    kept_base: Register<Bits<64>>,
    kept_log_size: Register<Bits<4>>,
    kept_producer: Register<Bits<16>>,
    kept_consumer: Register<Bits<16>>,
    kept_armed: Register<Bits<2>>,
    kept_failed: Register<Bit>,
    #[default(constant(query_cq::BASE_HIGH))]
    base_high_word: Constant<Bits<5>>,
    #[default(constant(query_cq::BASE_LOW))]
    base_low_word: Constant<Bits<5>>,
    #[default(constant(query_cq::LOG_SIZE))]
    log_size_word: Constant<Bits<5>>,
    #[default(constant(query_cq::COUNTS))]
    counts_word: Constant<Bits<5>>,
    #[default(constant(query_cq::STATUS))]
    status_word: Constant<Bits<5>>,
}

#[kernel]
impl Logic for CqStanding {
    fn update(&mut self) {
        if self.taken.val() {
            self.kept_base.d.next = self.base.val();
            self.kept_log_size.d.next = self.log_size.val();
            self.kept_producer.d.next = self.producer.val();
            self.kept_consumer.d.next = self.consumer.val();
            self.kept_armed.d.next = self.armed.val();
        }
        if self.reported.val() {
            self.kept_failed.d.next = self.failed.val();
        }
        self.unpolled.next = self.kept_producer.q.val() - self.kept_consumer.q.val();
        self.answer.next = bits::<32>(0);
        if self.word.val() == self.base_high_word.val() {
            self.answer.next = self.kept_base.q.val().get_bits::<32>(32);
        }
        if self.word.val() == self.base_low_word.val() {
            self.answer.next = self.kept_base.q.val().get_bits::<32>(0);
        }
        if self.word.val() == self.log_size_word.val() {
            self.answer.next = bit_cast::<32, 4>(self.kept_log_size.q.val());
        }
        if self.word.val() == self.counts_word.val() {
            self.answer.next = bit_cast::<32, 16>(self.kept_producer.q.val());
            if self.queried.val() {
                self.answer.next = (bit_cast::<32, 16>(self.kept_consumer.q.val()) << 16)
                    | bit_cast::<32, 16>(self.kept_producer.q.val());
            }
        }
        if self.word.val() == self.status_word.val() {
            self.answer.next = (bit_cast::<32, 2>(self.kept_armed.q.val()) << 8)
                | bit_cast::<32, 1>(self.kept_failed.q.val().into());
        }
    }
}
