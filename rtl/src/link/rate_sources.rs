//! The sources of packets whose rate is below that of the port.
use crate::bundle::RateAskSink;
use hca_hdl::prelude::*;

/// Keeps a source of rate closed from the time at which a packet of it is made until the pause behind that packet is
/// over (`protocol/link.md` section 7): a source has one such packet under way at most.
///
/// Up to 7 sources are closed at a time, each under a mark, which its packet carries to the link. While all marks are
/// taken, other packets that are paced wait, too: those that have marks fill a link by themselves. `TA`: bits of the
/// number of a source, which is that of its route ([`crate::transmit::Routing`]).
#[derive(LogicBlock, SmartDefault)]
pub struct RateSources<const TA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Requests of the requester for a mark.
    pub request: RateAskSink,
    /// Requests of the response engine, which takes a mark before the requester does.
    pub response: RateAskSink,
    /// For one cycle the mark of a request that ends before it departs, else 0.
    pub request_back: Signal<In, Bits<3>>,
    /// For one cycle the mark of an answer that ends before it departs, else 0.
    pub response_back: Signal<In, Bits<3>>,
    /// Bit `n`: high for one cycle when the packet of mark `n` is discarded, or the pause behind it is over.
    pub freed: Signal<In, Bits<8>>,

    /// Bit `n`: high while mark `n` is taken.
    taken: Register<Bits<8>>,
    #[default(array_init::array_init(|_| Default::default()))]
    sources: [Register<Bits<TA>>; 7],
    /// A mark that was free one clock ago, or 0 if all marks were taken then.
    next: Register<Bits<3>>,
    /// High if a mark was taken one clock ago, so that `next` may name it still.
    stale: Register<Bit>,
    returned: Register<Bits<8>>,
    request_source: Register<Bits<TA>>,
    response_source: Register<Bits<TA>>,
    request_closed: Register<Bit>,
    response_closed: Register<Bit>,
    request_number: Signal<Local, Bits<TA>>,
    response_number: Signal<Local, Bits<TA>>,
    number: Signal<Local, Bits<TA>>,
    takes: Signal<Local, Bit>,
    entered: Signal<Local, Bits<8>>,
    free: Signal<Local, Bit>,
    #[default(constant(1))]
    one: Constant<Bits<8>>,
    #[default(constant(1usize << (TA - 1)))]
    of_handle: Constant<Bits<TA>>,
}

#[kernel]
impl<const TA: usize> Logic for RateSources<TA> {
    fn update(&mut self) {
        self.request_number.next = bit_cast::<TA, 16>(self.request.index.val());
        if self.request.handle.val() {
            self.request_number.next = bit_cast::<TA, 16>(self.request.index.val()) | self.of_handle.val();
        }
        self.response_number.next = bit_cast::<TA, 16>(self.response.index.val());
        if self.response.handle.val() {
            self.response_number.next = bit_cast::<TA, 16>(self.response.index.val()) | self.of_handle.val();
        }
        self.request_source.d.next = self.request_number.val();
        self.response_source.d.next = self.response_number.val();

        // Never both: the requester waits for a clock in which the response engine makes no such packet.
        self.takes.next = self.request.takes.val() || self.response.takes.val();
        self.number.next = self.request_source.q.val();
        if self.response.takes.val() {
            self.number.next = self.response_source.q.val();
        }
        self.entered.next = bits::<8>(0);
        if self.takes.val() {
            self.entered.next = self.one.val() << self.next.q.val();
        }
        self.stale.d.next = self.takes.val();
        self.returned.d.next = self.freed.val()
            | (self.one.val() << self.request_back.val())
            | (self.one.val() << self.response_back.val());
        self.taken.d.next = (self.taken.q.val() & !self.returned.q.val()) | self.entered.val();
        self.next.d.next = bits::<3>(0);
        self.request_closed.d.next = false;
        self.response_closed.d.next = false;
        for i in 1..8 {
            dff_setup!(self, clock, sources[i - 1]);
            if self.entered.val().get_bit(i) {
                self.sources[i - 1].d.next = self.number.val();
            }
            if !self.taken.q.val().get_bit(i) {
                self.next.d.next = i.to_bits::<3>();
            } else {
                if self.sources[i - 1].q.val() == self.request_number.val() {
                    self.request_closed.d.next = true;
                }
                if self.sources[i - 1].q.val() == self.response_number.val() {
                    self.response_closed.d.next = true;
                }
            }
        }
        self.free.next = self.next.q.val().any() && !self.stale.q.val();
        self.request.free.next =
            self.free.val() && (!self.response.decides.val() || self.response_closed.q.val());
        inputs!(self.request, closed: request_closed.q, mark: next.q);
        inputs!(self.response, free, closed: response_closed.q, mark: next.q);
        if self.reset.val() {
            self.stale.d.next = true;
            clear!(self, taken, returned);
        }
    }
}
