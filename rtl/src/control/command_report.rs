//! Reports of commands on the retire port.
use crate::retire::{kind_code, RetireRecord};
use hca_hdl::prelude::*;
use hca_host::retire::{self, kind};

/// Records of `LANE_COMMAND` in `host::retire`. At most one of `judged`, `receive_side` and `send_side` is high at a
/// time.
#[derive(LogicBlock, SmartDefault)]
pub struct CommandReport {
    /// High for one cycle when the result of the command is known.
    pub judged: Signal<In, Bit>,
    /// Code of the command.
    pub command: Signal<In, Bits<32>>,
    /// Result of the command.
    pub result: Signal<In, Bits<8>>,
    /// High for one cycle when the receive side has taken a QP's context.
    pub receive_side: Signal<In, Bit>,
    /// High for one cycle when the send side has taken a QP's context, or when a reset QP is drained.
    pub send_side: Signal<In, Bit>,
    /// Low bits of argument 0: QPN, CQN or key.
    pub number: Signal<In, Bits<24>>,
    /// State of the QP.
    pub state: Signal<In, Bits<3>>,
    /// High for one cycle with a record.
    pub valid: Signal<Out, Bit>,
    /// The retire record.
    pub record: Signal<Out, RetireRecord>,
    #[default(crate::retire::kind(kind::COMMAND))]
    kind_command: Constant<RetireRecord>,
    #[default(kind_code(kind::QP_MODIFIED, retire::SIDE_RECEIVE))]
    kind_receive_side: Constant<RetireRecord>,
    #[default(kind_code(kind::QP_MODIFIED, retire::SIDE_SEND))]
    kind_send_side: Constant<RetireRecord>,
}

#[kernel]
impl Logic for CommandReport {
    fn update(&mut self) {
        self.valid.next = self.judged.val() || self.receive_side.val() || self.send_side.val();
        self.record.next = self.kind_command.val();
        self.record.next.code = self.result.val();
        self.record.next.index = self.command.val();
        if self.receive_side.val() {
            self.record.next = self.kind_receive_side.val();
            self.record.next.index = bit_cast::<32, 3>(self.state.val());
        }
        if self.send_side.val() {
            self.record.next = self.kind_send_side.val();
            self.record.next.index = bit_cast::<32, 3>(self.state.val());
        }
        self.record.next.qpn = self.number.val();
    }
}
