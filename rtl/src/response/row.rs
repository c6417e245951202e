//! Effects of a modify on the answers of a QP.
use crate::context::ConfigFields;
use hca_hdl::primitive::{comment, constant};
use hca_host::command;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// Packs the configuration that the answers of a QP need into one row.
#[derive(LogicBlock, SmartDefault)]
pub struct AnswerRow {
    /// Configuration of the QP: `MODIFY_QP` arguments 0 to 13.
    pub modify_row: Signal<In, Bits<448>>,
    /// Words `LIMITS` and `PD` of `MODIFY_QP` ([`crate::bundle::QpModifySource`]).
    pub modify_limits: Signal<In, Bits<64>>,
    /// High if the command moves the QP to Reset.
    pub resets: Signal<Out, Bit>,
    /// High if the command moves the QP to Reset or Error, which end all answers.
    pub stops: Signal<Out, Bit>,
    /// PD 24 | PMTU code 3 | DLID 16 | P_Key index 2 | connected QP 24.
    pub row: Signal<Out, Bits<69>>,
    modified: ConfigFields,
    #[default(constant(command::STATE_RESET))]
    state_reset: Constant<Bits<3>>,
    #[default(constant(command::STATE_ERROR))]
    state_error: Constant<Bits<3>>,
}

impl Logic for AnswerRow {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module answer_row");
        self.modified.row.next = self.modify_row.val();
        self.resets.next = self.modified.state.val() == self.state_reset.val();
        self.stops.next = (self.modified.state.val() == self.state_reset.val())
            || (self.modified.state.val() == self.state_error.val());
        self.row.next = bit_cast::<69, 24>(self.modified.dest_qpn.val())
            | (bit_cast::<69, 2>(self.modified.p_key_index.val()) << 24)
            | (bit_cast::<69, 16>(self.modified.dlid.val()) << 26)
            | (bit_cast::<69, 3>(self.modified.pmtu.val()) << 42)
            | (bit_cast::<69, 24>(self.modify_limits.val().get_bits::<24>(0)) << 45);
    }
}
