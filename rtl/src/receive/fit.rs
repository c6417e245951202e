//! Whether a Send packet fits the receive WQE, and where it goes.
use crate::primitive::comment;
use rust_hdl_core::prelude::*;

/// `protocol/responder.md` section 1 step 13 (CF084) and section 4. One SGE a WQE so far.
#[derive(LogicBlock, Default)]
pub struct FitDecision {
    /// Payload bytes without pad.
    pub payload: Signal<In, Bits<13>>,
    /// Bytes of the message so far.
    pub offset: Signal<In, Bits<32>>,
    /// Of the receive WQE.
    pub address: Signal<In, Bits<64>>,
    pub length: Signal<In, Bits<32>>,
    pub fits: Signal<Out, Bit>,
    /// Bytes of the message with this packet.
    pub total: Signal<Out, Bits<32>>,
    /// Where the payload goes.
    pub destination: Signal<Out, Bits<64>>,
    sum: Signal<Local, Bits<33>>,
}

impl Logic for FitDecision {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module fit_decision");
        self.sum.next = bit_cast::<33, 32>(self.offset.val()) + bit_cast::<33, 13>(self.payload.val());
        self.fits.next = self.sum.val() <= bit_cast::<33, 32>(self.length.val());
        self.total.next = bit_cast::<32, 33>(self.sum.val());
        self.destination.next = self.address.val() + bit_cast::<64, 32>(self.offset.val());
    }
}
