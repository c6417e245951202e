//! Commands on the retire port.
use crate::retire::kind_code;
use hca_hdl::primitive::comment;
use hca_host::retire::{self, kind};
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

/// `LANE_COMMAND` of `host::retire`; at most one of the three happens in a clock.
#[derive(LogicBlock, SmartDefault)]
pub struct CommandReport {
    /// The command has its result.
    pub judged: Signal<In, Bit>,
    pub command: Signal<In, Bits<32>>,
    pub result: Signal<In, Bits<8>>,
    /// The context is in force on this side; of a QP that is reset the send side's says that it is drained.
    pub receive_side: Signal<In, Bit>,
    pub send_side: Signal<In, Bit>,
    /// Low bits of argument 0: QPN, CQN or key.
    pub number: Signal<In, Bits<24>>,
    /// The QP's.
    pub state: Signal<In, Bits<3>>,
    pub valid: Signal<Out, Bit>,
    pub record: Signal<Out, Bits<96>>,
    #[default(crate::retire::kind(kind::COMMAND))]
    kind_command: Constant<Bits<96>>,
    #[default(kind_code(kind::QP_MODIFIED, retire::SIDE_RECEIVE))]
    kind_receive_side: Constant<Bits<96>>,
    #[default(kind_code(kind::QP_MODIFIED, retire::SIDE_SEND))]
    kind_send_side: Constant<Bits<96>>,
}

impl Logic for CommandReport {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module command_report");
        self.valid.next = self.judged.val() || self.receive_side.val() || self.send_side.val();
        self.record.next = self.kind_command.val()
            | (bit_cast::<96, 8>(self.result.val()) << 80)
            | (bit_cast::<96, 24>(self.number.val()) << 56)
            | bit_cast::<96, 32>(self.command.val());
        if self.receive_side.val() {
            self.record.next = self.kind_receive_side.val()
                | (bit_cast::<96, 24>(self.number.val()) << 56)
                | bit_cast::<96, 3>(self.state.val());
        }
        if self.send_side.val() {
            self.record.next = self.kind_send_side.val()
                | (bit_cast::<96, 24>(self.number.val()) << 56)
                | bit_cast::<96, 3>(self.state.val());
        }
    }
}
