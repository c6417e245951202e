//! Checks whether a request has the payload that its place in the message requires (`protocol/headers.md` section 4,
//! `responder.md` section 1 step 13).
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// CF078 to CF083 and CF090. `RequestDecision` checks whether a Send fits its receive WQE.
#[derive(LogicBlock, Default)]
pub struct LengthCheck {
    pub write: Signal<In, Bit>,
    pub read: Signal<In, Bit>,
    pub atomic: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    /// Code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Bytes, pad not counted.
    pub payload: Signal<In, Bits<13>>,
    /// Bytes that the Write still has to bring, this packet's included.
    pub left: Signal<In, Bits<32>>,
    pub dma_len: Signal<In, Bits<32>>,
    pub va: Signal<In, Bits<64>>,
    /// High if the length is legal, and an atomic is aligned.
    pub legal: Signal<Out, Bit>,
    pmtu_bytes: Signal<Local, Bits<13>>,
    place_legal: Signal<Local, Bit>,
    sum_legal: Signal<Local, Bit>,
    size_legal: Signal<Local, Bit>,
}

impl Logic for LengthCheck {
    #[hdl_gen]
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
