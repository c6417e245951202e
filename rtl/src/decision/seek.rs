//! One step of the search for the oldest PSN that is not acknowledged.
use crate::requester::{RequesterRow, SeekStep};
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// [`SeekStep`], and what is looked up a clock before it.
#[derive(LogicBlock, Default)]
pub struct SeekOutcome {
    /// Row of the QP before the step.
    pub row: Signal<In, RequesterRow>,
    /// The WQE looked at.
    pub wqe: Signal<In, Bits<16>>,
    /// Its first PSN.
    pub first: Signal<In, Bits<24>>,
    /// Its last PSN.
    pub last: Signal<In, Bits<24>>,
    /// Code of `pmtu.csv`.
    pub pmtu: Signal<In, Bits<3>>,
    /// High if the PSN is in a newer WQE.
    pub ahead: Signal<Out, Bit>,
    /// High if the PSN is in this WQE, or behind the newest.
    pub found: Signal<Out, Bit>,
    /// The row with the next packet where it was found.
    pub new_row: Signal<Out, RequesterRow>,
    step: SeekStep,
}

impl Logic for SeekOutcome {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module seek_outcome");
        self.step.row.next = self.row.val();
        self.step.wqe.next = self.wqe.val();
        self.step.newest.next = (self.wqe.val() + 1) == self.row.val().started;
        self.step.first.next = self.first.val();
        self.step.last.next = self.last.val();
        self.step.gone.next = self.row.val().issued;
        self.step.pmtu.next = self.pmtu.val();
        self.ahead.next = self.step.ahead.val();
        self.found.next = self.step.found.val();
        self.new_row.next = self.step.new_row.val();
    }
}
