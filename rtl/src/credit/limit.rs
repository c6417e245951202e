//! Computes how far a positive answer lets a requester go (`protocol/aeth.md` section 4).
use super::CreditTable;
use hca_hdl::prelude::*;

/// LSN = MSN + credits, plus one for each message started that takes no receive WQE and that the MSN does not count yet
/// (`protocol/scenario_seed001.md` section 3: 18h + 6 and two such messages give 20h). The result is the allowance, LSN
/// less the SSN of the last message started, since that stays the same when a message without need of credits starts.
///
/// SSNs and MSNs have 24 bits; a message is at most 63 behind the last one started while an MSN may not count it. `QB`:
/// QP index bits; `MA` = `QB` + 6.
#[derive(LogicBlock, SmartDefault)]
pub struct CreditLimit<const QB: usize, const MA: usize> {
    #[default(provided(MA == QB + 6, "MA == QB + 6"))]
    pub clock: Signal<In, Clock>,

    /// High for one cycle when a message starts.
    pub starts: Signal<In, Bit>,
    /// Index of the QP that starts it.
    pub starts_index: Signal<In, Bits<QB>>,
    /// SSN of that message, modulo 64.
    pub starts_ssn: Signal<In, Bits<6>>,
    /// Messages of the QP that take no receive WQE and have started, this one included, modulo 2^7.
    pub starts_free: Signal<In, Bits<7>>,

    /// High for one cycle when an answer comes; the inputs behind it are valid from the next cycle on, until `done`.
    pub asks: Signal<In, Bit>,
    /// Index of the QP.
    pub index: Signal<In, Bits<QB>>,
    /// MSN of the answer.
    pub msn: Signal<In, Bits<24>>,
    /// Credit code of the answer.
    pub code: Signal<In, Bits<5>>,
    /// SSN of the last message that the QP started.
    pub ssn: Signal<In, Bits<24>>,
    /// Messages of the QP that take no receive WQE and have started, modulo 2^7.
    pub free: Signal<In, Bits<7>>,
    /// High if the QP has started at least 64 messages.
    pub many: Signal<In, Bit>,
    /// The QP's allowance so far.
    pub allowance: Signal<In, Bits<24>>,

    /// High for one cycle; from the next cycle on the outputs are valid.
    pub done: Signal<Out, Bit>,
    /// High for code 31: the peer gives no credits, so that nothing is limited.
    pub unlimited: Signal<Out, Bit>,
    /// The allowance that the answer gives.
    pub new_allowance: Signal<Out, Bits<24>>,
    /// High if `new_allowance` is larger (24-bit and signed): older limits never replace newer ones.
    pub newer: Signal<Out, Bit>,

    counts: BlockRam<Bits<7>, MA>,
    table: CreditTable,
    steps: Register<Bits<5>>,
    credits: Register<Bits<16>>,
    /// Messages from the one that the MSN names to the last one started.
    distance: Register<Bits<24>>,
    /// `free` when the message started. Registered for timing: its input settles late in the clock.
    started: Register<Bits<7>>,
    pending: Register<Bits<7>>,
    base: Register<Bits<24>>,
    sum: Register<Bits<24>>,
    grows: Register<Bit>,
    counted: Signal<Local, Bit>,
    gain: Signal<Local, Bits<24>>,
}

#[kernel]
impl<const QB: usize, const MA: usize> Logic for CreditLimit<QB, MA> {
    fn update(&mut self) {
        clock!(self, clock, counts);
        self.counts.write_enable.next = self.starts.val();
        self.counts.write_address.next =
            (bit_cast::<MA, QB>(self.starts_index.val()) << 6) | bit_cast::<MA, 6>(self.starts_ssn.val());
        self.counts.write_data.next = self.starts_free.val();
        self.counts.read_address.next =
            (bit_cast::<MA, QB>(self.index.val()) << 6) | bit_cast::<MA, 6>(self.msn.val().get_bits::<6>(0));
        self.table.count.next = bits::<16>(0);
        self.table.given.next = self.code.val();
        self.unlimited.next = self.table.unlimited.val();

        self.steps.d.next = (self.steps.q.val() << 1) | bit_cast::<5, 1>(self.asks.val().into());
        self.done.next = self.steps.q.val().get_bit(4);

        self.credits.d.next = self.table.credits.val();
        self.distance.d.next = self.ssn.val() - self.msn.val();

        // The MSN names a message since Reset, the row of which is not overwritten.
        self.counted.next = !self.distance.q.val().get_bits::<18>(6).any()
            && (self.many.val()
                || (self.distance.q.val().get_bits::<6>(0) < self.ssn.val().get_bits::<6>(0)));
        self.started.d.next = self.counts.read_data.val();
        self.pending.d.next = bits::<7>(0);
        if self.distance.q.val().get_bit(23) || !self.distance.q.val().any() {
            // It counts all that were started.
        } else if self.counted.val() {
            self.pending.d.next = self.free.val() - self.started.q.val();
        } else if !self.many.val() {
            // It counts none.
            self.pending.d.next = self.free.val();
        }
        self.base.d.next = bit_cast::<24, 16>(self.credits.q.val()) - self.distance.q.val();
        self.sum.d.next = self.base.q.val() + bit_cast::<24, 7>(self.pending.q.val());
        self.gain.next = self.sum.q.val() - self.allowance.val();
        self.grows.d.next = !self.gain.val().get_bit(23) && self.gain.val().any();
        self.new_allowance.next = self.sum.q.val();
        self.newer.next = self.grows.q.val();
    }
}
