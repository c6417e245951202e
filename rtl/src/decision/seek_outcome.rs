//! One step of the search for the oldest PSN that is not acknowledged.
use crate::requester::{RequesterRow, SeekStep};
use hca_hdl::prelude::*;

/// [`SeekStep`] together with the look-ups that the engine makes one cycle earlier.
#[derive(LogicBlock, Default)]
pub struct SeekOutcome {
    /// Row of the QP before the step.
    pub row: Signal<In, RequesterRow>,
    /// Index of the WQE looked at, modulo 2^16.
    pub wqe: Signal<In, Bits<16>>,
    /// First PSN of that WQE.
    pub first: Signal<In, Bits<24>>,
    /// Last PSN of that WQE.
    pub last: Signal<In, Bits<24>>,
    /// Path MTU of the QP, a code of `protocol/pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// High if the PSN is in a newer WQE.
    pub ahead: Signal<Out, Bit>,
    /// High if the PSN is in this WQE, or behind the newest.
    pub found: Signal<Out, Bit>,
    /// The row with the next packet where it was found.
    pub new_row: Signal<Out, RequesterRow>,
    step: SeekStep,
}

#[kernel]
impl Logic for SeekOutcome {
    fn update(&mut self) {
        inputs!(self.step, row, wqe, first, last, pmtu);
        self.step.newest.next = (self.wqe.val() + 1) == self.row.val().started;
        self.step.gone.next = self.row.val().issued;
        outputs!(self.step, ahead, found, new_row);
    }
}
