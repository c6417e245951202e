//! A queue pair's configuration: arguments of `MODIFY_QP` (`host::command::modify_qp`), kept verbatim in block RAM.
//!
//! Fields named `unused_*` are bits without a meaning.
use hca_hdl::prelude::*;

record! {
    /// Arguments 0 to 13. First field at the least significant end of the 448 bits.
    pub struct QpConfig {
        /// RNR NAK timer code that the QP's RNR NAKs carry.
        pub min_rnr_timer: Bits<5>,
        pub unused_timers_5: Bits<3>,
        /// Ack timer, a code of `protocol/ack_timeout.csv`.
        pub timeout: Bits<5>,
        pub unused_timers_13: Bits<3>,
        /// Retries after an ack timer or a sequence NAK.
        pub retry_count: Bits<3>,
        pub unused_timers_19: Bits<5>,
        /// Retries after an RNR NAK; 7 for no limit.
        pub rnr_retry_count: Bits<3>,
        pub unused_timers_27: Bits<5>,
        /// First PSN of the receive queue.
        pub rq_psn: Bits<24>,
        pub unused_rq_psn: Bits<8>,
        /// First PSN of the send queue.
        pub sq_psn: Bits<24>,
        pub unused_sq_psn: Bits<8>,
        /// Index of the QP's P_Key in the P_Key table of the port.
        pub p_key_index: Bits<2>,
        pub unused_p_key_2: Bits<15>,
        /// High if the QP is one of port 2.
        pub port: Bit,
        pub unused_p_key_18: Bits<14>,
        /// DLID of packets to the peer.
        pub dlid: Bits<16>,
        /// SL of packets to the peer.
        pub sl: Bits<4>,
        pub unused_address_20: Bits<4>,
        /// Low bits of the SLID: what packets of the QP add to the port's base LID.
        pub path_bits: Bits<7>,
        pub unused_address_31: Bit,
        /// QPN of the peer in the low 24 bits; the Q_Key of a queue pair of UD.
        pub peer: Bits<32>,
        /// Number of the CQ of the send queue.
        pub send_cqn: Bits<16>,
        /// Number of the CQ of the receive queue.
        pub receive_cqn: Bits<16>,
        /// Host address of the receive queue.
        pub rq_base: Bits<64>,
        /// Host address of the send queue.
        pub sq_base: Bits<64>,
        /// log2 of the number of WQEs of the send queue.
        pub sq_log_size: Bits<4>,
        pub unused_log_sizes_4: Bits<4>,
        /// log2 of the number of WQEs of the receive queue.
        pub rq_log_size: Bits<4>,
        pub unused_log_sizes_12: Bits<19>,
        /// High if an event is wanted when the receive queue runs dry.
        pub dry_event: Bit,
        /// State of the QP (`host::command::STATE_*`).
        pub state: Bits<3>,
        pub unused_state_3: Bit,
        /// Transport service of the QP.
        pub service: Bits<3>,
        pub unused_state_7: Bit,
        /// Path MTU, a code of `protocol/pmtu.csv`.
        pub pmtu: Bits<3>,
        pub unused_state_11: Bits<21>,
        /// Number of the QP.
        pub qpn: Bits<24>,
        /// High for QP0 of a port.
        pub subnet: Bit,
        /// High for QP1 of a port.
        pub general: Bit,
        pub unused_qpn_26: Bits<6>,
    }
}

record! {
    /// Arguments 22 and 23, and what else the command says. First field at the least significant end of the 64 bits.
    pub struct QpLimits {
        /// Protection domain.
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
        pub unused_limits_21: Bits<8>,
        /// High if the rate of the QP is below that of the port.
        pub paced: Bit,
        /// High if the queue pair leaves SQE.
        pub restarts: Bit,
        /// High if an event is wanted once the send queue is drained.
        pub wants_drained: Bit,
    }
}

record! {
    /// All that the requester keeps. First field at the least significant end of the 512 bits.
    pub struct QpAttributes {
        /// Arguments 22 and 23.
        pub limits: QpLimits,
        /// Arguments 0 to 13.
        pub row: QpConfig,
    }
}
