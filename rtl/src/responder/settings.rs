//! Configuration of a queue pair that its responder needs: a row of block RAM.
use crate::context::ConfigFields;
use hca_hdl::primitive::{comment, constant, kernel};
use hca_hdl::record;
use hca_host::command;
use rust_hdl_core::prelude::*;
use smart_default::SmartDefault;

record! {
    /// First field at the least significant end of the 95 bits.
    pub struct ResponderSettings {
        /// QPN of the QP.
        pub qpn: Bits<24>,
        /// Code of `protocol/pmtu.csv`.
        pub pmtu: Bits<3>,
        /// Code of the delay in RNR NAKs (`protocol/rnr_timer.csv`).
        pub min_rnr_timer: Bits<5>,
        /// CQN of the receive queue.
        pub cqn: Bits<16>,
        /// Reads and atomics that may owe an answer at once, and that can be replayed: max_dest_rd_atomic, at most 16.
        pub depth: Bits<5>,
        /// High if the QP permits Writes.
        pub remote_write: Bit,
        /// High if the QP permits Reads.
        pub remote_read: Bit,
        /// High if the QP permits atomics.
        pub remote_atomic: Bit,
        /// Protection domain.
        pub pd: Bits<24>,
        /// High if end-to-end credits are given to the peer.
        pub supplied: Bit,
        /// SL of unsolicited acks.
        pub sl: Bits<4>,
        /// Path bits in the SLID of unsolicited acks.
        pub path_bits: Bits<7>,
        /// High if the service is UC or UD.
        pub unreliable: Bit,
        /// High if the service is UD.
        pub datagram: Bit,
        /// High if an event is wanted when the receive queue runs dry.
        pub dry_event: Bit,
    }
}

/// The settings that `MODIFY_QP` gives (`host::command::modify_qp`).
#[derive(LogicBlock, SmartDefault)]
pub struct ModifiedSettings {
    /// Arguments 0 to 13.
    pub row: Signal<In, Bits<448>>,
    /// Words `LIMITS` and `PD` as `control::QpContext` packs them.
    pub limits: Signal<In, Bits<64>>,
    /// The settings.
    pub settings: Signal<Out, ResponderSettings>,
    /// State that the command sets.
    pub state: Signal<Out, Bits<3>>,
    /// ePSN that RTR loads.
    pub rq_psn: Signal<Out, Bits<24>>,
    fields: ConfigFields,
    max_dest_rd_atomic: Signal<Local, Bits<5>>,
    #[default(constant(command::SERVICE_UC))]
    uc: Constant<Bits<3>>,
    #[default(constant(command::SERVICE_UD))]
    ud: Constant<Bits<3>>,
}

impl Logic for ModifiedSettings {
    #[kernel]
    fn update(&mut self) {
        comment!("@module responder_modified_settings");
        self.fields.row.next = self.row.val();
        outputs!(self.fields, state, rq_psn);
        self.settings.next.qpn = self.fields.qpn.val();
        self.settings.next.pmtu = self.fields.pmtu.val();
        self.settings.next.min_rnr_timer = self.fields.min_rnr_timer.val();
        self.settings.next.cqn = self.fields.receive_cqn.val();
        self.max_dest_rd_atomic.next = self.limits.val().get_bits::<5>(40);
        self.settings.next.depth = self.max_dest_rd_atomic.val();
        if self.max_dest_rd_atomic.val() > 16 {
            self.settings.next.depth = bits::<5>(16);
        }
        self.settings.next.remote_write = self.limits.val().get_bit(48);
        self.settings.next.remote_read = self.limits.val().get_bit(49);
        self.settings.next.remote_atomic = self.limits.val().get_bit(50);
        self.settings.next.pd = self.limits.val().get_bits::<24>(0);
        self.settings.next.supplied = self.limits.val().get_bit(51);
        self.settings.next.sl = self.fields.sl.val();
        self.settings.next.path_bits = self.fields.path_bits.val();
        self.settings.next.unreliable =
            (self.fields.service.val() == self.uc.val()) || (self.fields.service.val() == self.ud.val());
        self.settings.next.dry_event = self.fields.dry_event.val();
        self.settings.next.datagram = self.fields.service.val() == self.ud.val();
    }
}
