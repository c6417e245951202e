//! Finds the WQE that holds the oldest PSN that is not acknowledged.
use super::RequesterRow;
use hca_hdl::prelude::*;

/// One step of the search, from the oldest WQE that is not complete to newer ones, by their PSNs (24-bit signed
/// distances): it is in the first one whose last PSN is not acknowledged (`protocol/requester.md` section 6, CF186).
/// Exactly one of `ahead` and `found` is high.
#[derive(LogicBlock, Default)]
pub struct SeekStep {
    /// State of the QP.
    pub row: Signal<In, RequesterRow>,
    /// Index of the WQE that is judged, modulo 2^16.
    pub wqe: Signal<In, Bits<16>>,
    /// High if that WQE is the newest that has started.
    pub newest: Signal<In, Bit>,
    /// First PSN of that WQE.
    pub first: Signal<In, Bits<24>>,
    /// Last PSN of that WQE.
    pub last: Signal<In, Bits<24>>,
    /// Number of packets of the QP that are gone, modulo 2^8.
    pub gone: Signal<In, Bits<8>>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// High if the oldest PSN is in a newer WQE.
    pub ahead: Signal<Out, Bit>,
    /// High if the oldest PSN is in this WQE, or behind the newest.
    pub found: Signal<Out, Bit>,
    /// State of the QP with the next packet where it was found.
    pub new_row: Signal<Out, RequesterRow>,
    into: Signal<Local, Bits<24>>,
    left: Signal<Local, Bits<24>>,
    after: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for SeekStep {
    fn update(&mut self) {
        self.into.next = self.row.val().una - self.first.val();
        self.left.next = self.last.val() - self.row.val().una;
        self.after.next = self.wqe.val() + 1;
        self.ahead.next = false;
        self.found.next = false;
        self.new_row.next = self.row.val();
        self.new_row.next.psn = self.row.val().una;
        self.new_row.next.resent = self.row.val().una;
        if self.row.val().rewinding {
            self.new_row.next.went_back = true;
            self.new_row.next.since = self.gone.val();
        }
        self.new_row.next.rewinding = false;
        self.new_row.next.refused = false;
        self.new_row.next.current = self.wqe.val();
        self.new_row.next.offset =
            bit_cast::<32, 24>(self.into.val()) << (bits::<5>(7) + bit_cast::<5, 3>(self.pmtu.val()));
        if self.left.val().get_bit(23) {
            // All that was started is acknowledged if it is beyond the newest.
            self.ahead.next = !self.newest.val();
            self.found.next = self.newest.val();
            self.new_row.next.current = self.after.val();
            self.new_row.next.offset = bits::<32>(0);
        } else {
            self.found.next = true;
        }
    }
}
