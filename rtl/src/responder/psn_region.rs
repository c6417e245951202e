//! Compares the PSN of a request with ePSN (`protocol/responder.md` section 2).
use hca_hdl::prelude::*;

/// Takes the 24-bit signed distance from ePSN; exactly one output is high.
#[derive(LogicBlock, Default)]
pub struct PsnRegion {
    /// PSN of the request.
    pub psn: Signal<In, Bits<24>>,
    /// Expected PSN.
    pub epsn: Signal<In, Bits<24>>,
    /// High if the PSN is ePSN.
    pub expected: Signal<Out, Bit>,
    /// High if the PSN is behind ePSN, or half the PSN space away.
    pub duplicate: Signal<Out, Bit>,
    /// High if the PSN is beyond ePSN: a request before it is missing.
    pub ahead: Signal<Out, Bit>,
    distance: Signal<Local, Bits<24>>,
}

#[kernel]
impl Logic for PsnRegion {
    fn update(&mut self) {
        self.distance.next = self.psn.val() - self.epsn.val();
        self.duplicate.next = self.distance.val().get_bit(23);
        self.expected.next = self.psn.val() == self.epsn.val();
        self.ahead.next = !self.distance.val().get_bit(23) && (self.psn.val() != self.epsn.val());
    }
}
