//! Configuration of a queue pair that its responder needs: a row of block RAM.
use crate::context::{QpConfig, QpLimits, Services};
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 96 bits.
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
        /// High if the QP is one of port 2.
        pub port: Bit,
    }
}

/// The settings that `MODIFY_QP` gives (`host::command::modify_qp`).
#[derive(LogicBlock, Default)]
pub struct ModifiedSettings {
    /// Arguments 0 to 13.
    pub row: Signal<In, QpConfig>,
    /// Words `LIMITS` and `PD` as `control::QpContext` packs them.
    pub limits: Signal<In, QpLimits>,
    /// The settings.
    pub settings: Signal<Out, ResponderSettings>,
    /// State that the command sets.
    pub state: Signal<Out, Bits<3>>,
    /// ePSN that RTR loads.
    pub rq_psn: Signal<Out, Bits<24>>,
    max_dest_rd_atomic: Signal<Local, Bits<5>>,
    services: Services,
}

#[kernel]
impl Logic for ModifiedSettings {
    fn update(&mut self) {
        comment!("@module responder_modified_settings");
        self.state.next = self.row.val().state;
        self.rq_psn.next = self.row.val().rq_psn;
        self.settings.next.qpn = self.row.val().qpn;
        self.settings.next.pmtu = self.row.val().pmtu;
        self.settings.next.min_rnr_timer = self.row.val().min_rnr_timer;
        self.settings.next.cqn = self.row.val().receive_cqn;
        self.max_dest_rd_atomic.next = self.limits.val().max_dest_rd_atomic;
        self.settings.next.depth = self.max_dest_rd_atomic.val();
        if self.max_dest_rd_atomic.val() > 16 {
            self.settings.next.depth = bits::<5>(16);
        }
        self.settings.next.remote_write = self.limits.val().remote_write;
        self.settings.next.remote_read = self.limits.val().remote_read;
        self.settings.next.remote_atomic = self.limits.val().remote_atomic;
        self.settings.next.pd = self.limits.val().pd;
        self.settings.next.supplied = self.limits.val().supplied;
        self.settings.next.sl = self.row.val().sl;
        self.settings.next.path_bits = self.row.val().path_bits;
        self.settings.next.unreliable = (self.row.val().service == self.services.uc.val())
            || (self.row.val().service == self.services.ud.val());
        self.settings.next.dry_event = self.row.val().dry_event;
        self.settings.next.port = self.row.val().port;
        self.settings.next.datagram = self.row.val().service == self.services.ud.val();
    }
}
