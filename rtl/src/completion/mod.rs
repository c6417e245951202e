//! Completions on their way to the rings in host memory, and the operations of software on completion queues.
//!
//! [`CompletionsWaiting`] holds each completion back until its data is in memory, [`CompletionQueue`] keeps the
//! contexts of the CQs and carries out one operation after the other on them, [`EntriesInFlight`] tracks the entries
//! that host memory has not acknowledged, and [`CqNotices`] decides which CQs raise an event (`protocol/qp_cq.md`
//! sections 4, 6 and 7).
mod acknowledged_entry;
mod barrier;
mod context;
mod contexts;
mod cq_effect;
mod cqe_statuses;
mod entry_under_way;
mod fault;
mod in_flight;
mod layout;
mod notices;
mod place;
mod queue;
mod report;
mod waiting;

pub use acknowledged_entry::AcknowledgedEntry;
pub use barrier::CompletionBarrier;
pub use context::CqContext;
pub use contexts::CqContexts;
pub use cq_effect::{CqEffect, CqOperation};
pub use cqe_statuses::CqeStatuses;
pub use entry_under_way::EntryUnderWay;
pub use fault::CompletionFault;
pub use in_flight::EntriesInFlight;
pub use layout::CqeLayout;
pub use notices::{CqNotices, NoticeChange};
pub use place::CqPlace;
pub use queue::CompletionQueue;
pub use report::CqReport;
pub use waiting::CompletionsWaiting;

use hca_hdl::prelude::*;

record! {
    /// A completion, before it has a place in a ring. First field at the least significant end of the 261 bits.
    pub struct CompletionRecord {
        /// CQN of the completion queue.
        pub cqn: Bits<16>,
        /// QPN of the queue pair.
        pub qpn: Bits<24>,
        /// Index of the WQE.
        pub index: Bits<16>,
        /// Status (`host::cqe`), numbered as in `protocol/qp_cq.md` section 5.
        pub status: Bits<8>,
        /// High for a completion of a receive queue.
        pub receive: Bit,
        /// Operation of the CQE (`host::cqe`).
        pub operation: Bits<8>,
        /// Bytes of the message.
        pub byte_count: Bits<32>,
        /// High if `immediate` holds immediate data.
        pub has_immediate: Bit,
        /// Immediate data, or the R_Key that the message invalidated.
        pub immediate: Bits<32>,
        /// High if `p_key_index` is valid.
        pub has_p_key_index: Bit,
        /// Index into the port's P_Key table.
        pub p_key_index: Bits<2>,
        /// Number of packets of its side whose writes come before the completion, modulo 2^16.
        pub fence: Bits<16>,
        /// High if `immediate` holds the R_Key that the message invalidated.
        pub has_invalidated: Bit,
        /// High for a message whose last packet had SE.
        pub solicited: Bit,
        /// High if the next fields are valid: for a datagram that was received (`protocol/ud.md` section 3.3).
        /// Completions of send queues have none of them.
        pub datagram: Bit,
        /// High if bytes 0 to 39 hold the network header.
        pub grh: Bit,
        /// SLID of the datagram.
        pub slid: Bits<16>,
        /// SL of the datagram.
        pub sl: Bits<4>,
        /// Source QPN of the datagram.
        pub source_qpn: Bits<24>,
        /// Source MAC address of the datagram; for a native packet, a LID in the upper 16 bits.
        pub sender: Bits<48>,
        /// Path bits of the datagram's DLID.
        pub path_bits: Bits<7>,
        /// High if the datagram came by port 2.
        pub port: Bit,
    }
}
