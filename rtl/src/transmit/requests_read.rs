//! Finds out when no payload of a departed request is read from memory any more.
use super::KIND_REQUEST;
use hca_hdl::prelude::*;

/// Reports each request, in order, once it has departed and its payload has been read. From then on software may have
/// its buffer back (`protocol/requester.md` section 7: what is sent again carries the same data).
///
/// Up to 32 packets may be between their departure and the link ([`super::Spoil`]).
#[derive(LogicBlock, SmartDefault)]
pub struct RequestsRead {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// High for one cycle for each packet that departs.
    pub departs_valid: Signal<In, Bit>,
    /// With `departs_valid`: kind of the packet (`KIND_*`).
    pub departs_kind: Signal<In, Bits<2>>,
    /// With `departs_valid`: high if the packet has payload.
    pub departs_carries: Signal<In, Bit>,
    /// High for one cycle for each packet with payload, in order, when its payload has been read: before or after its
    /// departure.
    pub ended_valid: Signal<In, Bit>,

    /// High for one cycle for each request that has departed and has been read, a clock after its departure or later.
    pub read_valid: Signal<Out, Bit>,

    /// Request 1 | payload 1.
    departed: Fifo<Bits<2>, 5>,
    /// Number of packets with payload that have been read and not yet taken out of `departed`.
    ended: Register<Bits<8>>,
    carries: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    #[default(constant(KIND_REQUEST))]
    kind_request: Constant<Bits<2>>,
}

#[kernel]
impl Logic for RequestsRead {
    fn update(&mut self) {
        clock!(self, clock, departed);
        self.departed.reset.next = self.reset.val();
        self.departed.write.valid.next = self.departs_valid.val()
            && (self.departs_carries.val() || (self.departs_kind.val() == self.kind_request.val()));
        self.departed.write.item.next =
            (bit_cast::<2, 1>((self.departs_kind.val() == self.kind_request.val()).into()) << 1)
                | bit_cast::<2, 1>(self.departs_carries.val().into());

        self.carries.next = self.departed.read.item.val().get_bit(0);
        self.over.next = self.departed.read.valid.val() && (!self.carries.val() || self.ended.q.val().any());
        self.departed.read.ready.next = self.over.val();
        self.read_valid.next = self.over.val() && self.departed.read.item.val().get_bit(1);
        if self.ended_valid.val() && !(self.over.val() && self.carries.val()) {
            self.ended.d.next = self.ended.q.val() + 1;
        }
        if !self.ended_valid.val() && self.over.val() && self.carries.val() {
            self.ended.d.next = self.ended.q.val() - 1;
        }
        if self.reset.val() {
            self.ended.d.next = bits::<8>(0);
        }
    }
}
