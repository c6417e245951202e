//! Effects of a modify on the answers of a QP.
use crate::context::{QpConfig, QpLimits, QpStates};
use hca_hdl::prelude::*;

record! {
    /// The configuration that the answers of a QP need. First field at the least significant end of the 71 bits.
    pub struct AnswerConfig {
        /// QPN of the peer.
        pub dest_qpn: Bits<24>,
        /// Index into the P_Key table of the port.
        pub p_key_index: Bits<2>,
        pub dlid: Bits<16>,
        /// Code of `protocol/pmtu.csv`.
        pub pmtu: Bits<3>,
        pub pd: Bits<24>,
        /// High if the QP is one of port 2.
        pub port: Bit,
        /// High if the rate of the QP is below that of the port.
        pub paced: Bit,
    }
}

/// Packs the configuration that the answers of a QP need into one row.
#[derive(LogicBlock, Default)]
pub struct AnswerRow {
    /// Configuration of the QP: `MODIFY_QP` arguments 0 to 13.
    pub modify_row: Signal<In, QpConfig>,
    /// Words `LIMITS` and `PD` of `MODIFY_QP` ([`crate::bundle::QpModifySource`]).
    pub modify_limits: Signal<In, QpLimits>,
    /// High if the command moves the QP to Reset.
    pub resets: Signal<Out, Bit>,
    /// High if the command moves the QP to Reset or Error, which end all answers.
    pub stops: Signal<Out, Bit>,
    /// The packed row.
    pub row: Signal<Out, AnswerConfig>,
    states: QpStates,
}

#[kernel]
impl Logic for AnswerRow {
    fn update(&mut self) {
        self.resets.next = self.modify_row.val().state == self.states.reset.val();
        self.stops.next = (self.modify_row.val().state == self.states.reset.val())
            || (self.modify_row.val().state == self.states.error.val());
        self.row.next.dest_qpn = self.modify_row.val().peer.get_bits::<24>(0);
        self.row.next.p_key_index = self.modify_row.val().p_key_index;
        self.row.next.dlid = self.modify_row.val().dlid;
        self.row.next.pmtu = self.modify_row.val().pmtu;
        self.row.next.pd = self.modify_limits.val().pd;
        self.row.next.port = self.modify_row.val().port;
        self.row.next.paced = self.modify_limits.val().paced;
    }
}
