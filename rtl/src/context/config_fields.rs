//! A queue pair's configuration: the first 14 arguments of `MODIFY_QP`, kept verbatim in a block RAM row.
//!
//! Argument `n` (`host::command::modify_qp`) stands at bits `32 * (13 - n) + 31 : 32 * (13 - n)`.
use hca_hdl::primitive::comment;
use rust_hdl_core::prelude::*;

/// Unpacks a row.
#[derive(LogicBlock, Default)]
pub struct ConfigFields {
    pub row: Signal<In, Bits<448>>,
    pub qpn: Signal<Out, Bits<24>>,
    pub state: Signal<Out, Bits<3>>,
    pub service: Signal<Out, Bits<3>>,
    /// Code of `protocol/pmtu.csv`.
    pub pmtu: Signal<Out, Bits<3>>,
    pub sq_log_size: Signal<Out, Bits<4>>,
    pub rq_log_size: Signal<Out, Bits<4>>,
    /// High if an event is wanted when the receive queue runs dry.
    pub dry_event: Signal<Out, Bit>,
    pub sq_base: Signal<Out, Bits<64>>,
    pub rq_base: Signal<Out, Bits<64>>,
    pub send_cqn: Signal<Out, Bits<16>>,
    pub receive_cqn: Signal<Out, Bits<16>>,
    pub dest_qpn: Signal<Out, Bits<24>>,
    /// Of UD, in the place of the peer's QPN.
    pub q_key: Signal<Out, Bits<32>>,
    pub dlid: Signal<Out, Bits<16>>,
    pub sl: Signal<Out, Bits<4>>,
    pub path_bits: Signal<Out, Bits<7>>,
    /// Index into the P_Key table of the port.
    pub p_key_index: Signal<Out, Bits<2>>,
    pub sq_psn: Signal<Out, Bits<24>>,
    pub rq_psn: Signal<Out, Bits<24>>,
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
