//! The rates of queue pairs and address handles.
use hca_hdl::primitive::{comment, constant};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Judges the code of a static rate (`protocol/link.md` section 7). Pure function.
#[derive(LogicBlock, SmartDefault)]
pub struct StaticRate {
    /// Code of the rate.
    pub code: Signal<In, Bits<6>>,
    /// High if `protocol/static_rate.csv` has the code.
    pub known: Signal<Out, Bit>,
    /// Code of 120 Gb/s, the last.
    #[default(constant(10))]
    last: Constant<Bits<6>>,
}

impl Logic for StaticRate {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module static_rate");
        self.known.next = (self.code.val() != 1) && (self.code.val() <= self.last.val());
    }
}
