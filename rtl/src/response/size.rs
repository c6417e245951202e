//! The size of the next packet of a Read.
use hca_hdl::prelude::*;

/// A read response has a PMTU of payload, and the last one of a Read what is left (`protocol/responder.md` section 9).
#[derive(LogicBlock, SmartDefault)]
pub struct ResponseSize {
    /// Code of the PMTU, `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// Number of bytes of the Read that are not read yet.
    pub left: Signal<In, Bits<32>>,
    /// High if the response is the last of its Read.
    pub last: Signal<Out, Bit>,
    /// Bytes of the response.
    pub payload: Signal<Out, Bits<13>>,
    bytes: Signal<Local, Bits<13>>,
    ends: Signal<Local, Bit>,
    #[default(constant(128))]
    bytes_128: Constant<Bits<13>>,
}

#[kernel]
impl Logic for ResponseSize {
    fn update(&mut self) {
        // Code c is 128 << c bytes.
        self.bytes.next = self.bytes_128.val() << self.pmtu.val();
        self.ends.next = self.left.val() <= bit_cast::<32, 13>(self.bytes.val());
        self.last.next = self.ends.val();
        self.payload.next = self.bytes.val();
        if self.ends.val() {
            self.payload.next = self.left.val().get_bits::<13>(0);
        }
    }
}
