//! A queue pair's configuration: arguments of `MODIFY_QP` (`host::command::modify_qp`), kept verbatim in block RAM.
//!
//! Fields named `unused_*` are bits without a meaning.
use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// Arguments 0 to 13. First field at the least significant end of the 448 bits.
    pub struct QpConfig {
        /// Code of `protocol/rnr_timer.csv`.
        pub min_rnr_timer: Bits<5>,
        pub unused_timers_5: Bits<3>,
        /// Code of `protocol/ack_timeout.csv`.
        pub timeout: Bits<5>,
        pub unused_timers_13: Bits<3>,
        pub retry_count: Bits<3>,
        pub unused_timers_19: Bits<5>,
        pub rnr_retry_count: Bits<3>,
        pub unused_timers_27: Bits<5>,
        pub rq_psn: Bits<24>,
        pub unused_rq_psn: Bits<8>,
        pub sq_psn: Bits<24>,
        pub unused_sq_psn: Bits<8>,
        /// Index into the P_Key table of the port.
        pub p_key_index: Bits<2>,
        pub unused_p_key: Bits<30>,
        pub dlid: Bits<16>,
        pub sl: Bits<4>,
        pub unused_address_20: Bits<4>,
        pub path_bits: Bits<7>,
        pub unused_address_31: Bit,
        /// QPN of the peer in the low 24 bits; the Q_Key of a queue pair of UD.
        pub peer: Bits<32>,
        pub send_cqn: Bits<16>,
        pub receive_cqn: Bits<16>,
        pub rq_base: Bits<64>,
        pub sq_base: Bits<64>,
        pub sq_log_size: Bits<4>,
        pub unused_log_sizes_4: Bits<4>,
        pub rq_log_size: Bits<4>,
        pub unused_log_sizes_12: Bits<19>,
        /// High if an event is wanted when the receive queue runs dry.
        pub dry_event: Bit,
        pub state: Bits<3>,
        pub unused_state_3: Bit,
        pub service: Bits<3>,
        pub unused_state_7: Bit,
        /// Code of `protocol/pmtu.csv`.
        pub pmtu: Bits<3>,
        pub unused_state_11: Bits<21>,
        pub qpn: Bits<24>,
        pub unused_qpn: Bits<8>,
    }
}

record! {
    /// Arguments 22 and 23, and what else the command says. First field at the least significant end of the 64 bits.
    pub struct QpLimits {
        pub pd: Bits<24>,
        pub unused_pd: Bits<8>,
        /// Reads and atomics that may be under way as requester.
        pub max_rd_atomic: Bits<5>,
        pub unused_limits_5: Bits<3>,
        /// Reads and atomics that may be under way as responder.
        pub max_dest_rd_atomic: Bits<5>,
        pub unused_limits_13: Bits<3>,
        /// High if the peer may write.
        pub remote_write: Bit,
        /// High if the peer may read.
        pub remote_read: Bit,
        /// High if the peer may do atomics.
        pub remote_atomic: Bit,
        /// High if end-to-end credits are supplied to the peer.
        pub supplied: Bit,
        /// High if end-to-end credits are expected from the peer.
        pub expected: Bit,
        pub unused_limits_21: Bits<9>,
        /// High if the queue pair leaves SQE.
        pub restarts: Bit,
        /// High if an event is wanted once the send queue is drained.
        pub wants_drained: Bit,
    }
}

record! {
    /// All that the requester keeps. First field at the least significant end of the 512 bits.
    pub struct QpAttributes {
        pub limits: QpLimits,
        pub row: QpConfig,
    }
}
