//! Checks whether a request has the payload that its place in the message requires (`protocol/headers.md` section 4,
//! `responder.md` section 1 step 13).
use hca_hdl::prelude::*;

/// CF078 to CF083 and CF090. `RequestDecision` checks whether a Send fits its receive WQE. Pure function.
#[derive(LogicBlock, Default)]
pub struct LengthCheck {
    /// High if the request is a Write.
    pub write: Signal<In, Bit>,
    /// High if the request is a Read.
    pub read: Signal<In, Bit>,
    /// High if the request is an atomic.
    pub atomic: Signal<In, Bit>,
    /// High if the packet is the first or only one of a Send or Write.
    pub begins: Signal<In, Bit>,
    /// High if the packet is the last or only one of a Send or Write.
    pub ends: Signal<In, Bit>,
    /// Code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Bytes of the payload, pad not counted.
    pub payload: Signal<In, Bits<13>>,
    /// Bytes that the Write still has to bring, this packet's included.
    pub left: Signal<In, Bits<32>>,
    /// DMA length of the RETH, in bytes.
    pub dma_len: Signal<In, Bits<32>>,
    /// Address in the AtomicETH or RETH.
    pub va: Signal<In, Bits<64>>,
    /// High if the length is legal, and an atomic is aligned.
    pub legal: Signal<Out, Bit>,
    pmtu_bytes: Signal<Local, Bits<13>>,
    place_legal: Signal<Local, Bit>,
    sum_legal: Signal<Local, Bit>,
    size_legal: Signal<Local, Bit>,
}

#[kernel]
impl Logic for LengthCheck {
    fn update(&mut self) {
        comment!("@module request_length_check");
        self.pmtu_bytes.next = bits::<13>(128) << self.pmtu.val();
        // First and middle: exactly PMTU; last: 1 to PMTU; only: 0 to PMTU; the others: none.
        self.place_legal.next = self.payload.val() == self.pmtu_bytes.val();
        if self.ends.val() {
            self.place_legal.next = (self.payload.val() <= self.pmtu_bytes.val())
                && (self.begins.val() || self.payload.val().any());
        }
        if self.read.val() || self.atomic.val() {
            self.place_legal.next = !self.payload.val().any();
        }
        // A Write carries DMALen bytes, no more (CF081) and no less (CF082).
        self.sum_legal.next = bit_cast::<32, 13>(self.payload.val()) <= self.left.val();
        if self.ends.val() {
            self.sum_legal.next = bit_cast::<32, 13>(self.payload.val()) == self.left.val();
        }
        // At most 2^31 bytes (CF083).
        self.size_legal.next = !self.dma_len.val().get_bit(31) || !self.dma_len.val().get_bits::<31>(0).any();
        self.legal.next = self.place_legal.val();
        if self.write.val() {
            self.legal.next = self.place_legal.val()
                && self.sum_legal.val()
                && (self.size_legal.val() || !self.begins.val());
        }
        if self.read.val() {
            self.legal.next = self.place_legal.val() && self.size_legal.val();
        }
        // An atomic's VA is a multiple of 8 (CF090).
        if self.atomic.val() && self.va.val().get_bits::<3>(0).any() {
            self.legal.next = false;
        }
    }
}
