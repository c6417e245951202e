//! A queue pair's configuration: the first 14 arguments of `MODIFY_QP`, kept verbatim in a block RAM row.
//!
//! Argument `n` (`host::command::modify_qp`) stands at bits `32 * (13 - n) + 31 : 32 * (13 - n)`.
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// Unpacks a row.
#[derive(LogicBlock, Default)]
pub struct ConfigFields {
    /// The row, arguments 0 to 13 of `MODIFY_QP`.
    pub row: Signal<In, Bits<448>>,
    /// Number of the QP.
    pub qpn: Signal<Out, Bits<24>>,
    /// State of the QP (`host::command::STATE_*`).
    pub state: Signal<Out, Bits<3>>,
    /// Transport service of the QP.
    pub service: Signal<Out, Bits<3>>,
    /// Path MTU, a code of `protocol/pmtu.csv`.
    pub pmtu: Signal<Out, Bits<3>>,
    /// log2 of the number of WQEs of the send queue.
    pub sq_log_size: Signal<Out, Bits<4>>,
    /// log2 of the number of WQEs of the receive queue.
    pub rq_log_size: Signal<Out, Bits<4>>,
    /// High if an event is wanted when the receive queue runs dry.
    pub dry_event: Signal<Out, Bit>,
    /// Host address of the send queue.
    pub sq_base: Signal<Out, Bits<64>>,
    /// Host address of the receive queue.
    pub rq_base: Signal<Out, Bits<64>>,
    /// Number of the CQ of the send queue.
    pub send_cqn: Signal<Out, Bits<16>>,
    /// Number of the CQ of the receive queue.
    pub receive_cqn: Signal<Out, Bits<16>>,
    /// QPN of the peer.
    pub dest_qpn: Signal<Out, Bits<24>>,
    /// Q_Key of a UD QP, which stands in the place of the peer's QPN.
    pub q_key: Signal<Out, Bits<32>>,
    /// DLID of packets to the peer.
    pub dlid: Signal<Out, Bits<16>>,
    /// SL of packets to the peer.
    pub sl: Signal<Out, Bits<4>>,
    /// Low bits of the SLID: what packets of the QP add to the port's base LID.
    pub path_bits: Signal<Out, Bits<7>>,
    /// Index of the QP's P_Key in the P_Key table of the port.
    pub p_key_index: Signal<Out, Bits<2>>,
    /// First PSN of the send queue.
    pub sq_psn: Signal<Out, Bits<24>>,
    /// First PSN of the receive queue.
    pub rq_psn: Signal<Out, Bits<24>>,
    /// RNR NAK timer code that the QP's RNR NAKs carry.
    pub min_rnr_timer: Signal<Out, Bits<5>>,
}

impl Logic for ConfigFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("@module config_fields");
        self.qpn.next = self.row.val().get_bits::<24>(416);
        self.state.next = self.row.val().get_bits::<3>(384);
        self.service.next = self.row.val().get_bits::<3>(388);
        self.pmtu.next = self.row.val().get_bits::<3>(392);
        self.sq_log_size.next = self.row.val().get_bits::<4>(352);
        self.rq_log_size.next = self.row.val().get_bits::<4>(360);
        self.dry_event.next = self.row.val().get_bit(383);
        self.sq_base.next = self.row.val().get_bits::<64>(288);
        self.rq_base.next = self.row.val().get_bits::<64>(224);
        self.send_cqn.next = self.row.val().get_bits::<16>(192);
        self.receive_cqn.next = self.row.val().get_bits::<16>(208);
        self.dest_qpn.next = self.row.val().get_bits::<24>(160);
        self.q_key.next = self.row.val().get_bits::<32>(160);
        self.dlid.next = self.row.val().get_bits::<16>(128);
        self.sl.next = self.row.val().get_bits::<4>(144);
        self.path_bits.next = self.row.val().get_bits::<7>(152);
        self.p_key_index.next = self.row.val().get_bits::<2>(96);
        self.sq_psn.next = self.row.val().get_bits::<24>(64);
        self.rq_psn.next = self.row.val().get_bits::<24>(32);
        self.min_rnr_timer.next = self.row.val().get_bits::<5>(0);
    }
}
