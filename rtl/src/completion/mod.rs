//! Completions on their way to the rings in host memory, and what software asks of completion queues.
//!
//! [`CompletionsWaiting`] holds back what would come before its data, [`CompletionQueue`] keeps the contexts of the CQs and
//! carries out one operation after the other on them, [`EntriesInFlight`] knows what host memory has not acknowledged yet,
//! and [`CqNotices`] decides which CQs software is told of (`protocol/qp_cq.md` sections 4, 6 and 7).
mod barrier;
mod context;
mod contexts;
mod effect;
mod fault;
mod in_flight;
mod layout;
mod notices;
mod place;
mod queue;
mod report;
mod waiting;

pub use barrier::CompletionBarrier;
pub use context::CqContext;
pub use contexts::CqContexts;
pub use effect::{CqEffect, CqOperation};
pub use fault::CompletionFault;
pub use in_flight::EntriesInFlight;
pub use layout::CqeLayout;
pub use notices::{CqNotices, NoticeChange};
pub use place::CqPlace;
pub use queue::CompletionQueue;
pub use report::CqReport;
pub use waiting::CompletionsWaiting;

use hca_hdl::record;
use rust_hdl_core::prelude::*;

record! {
    /// A completion, before it has a place in a ring. First field at the least significant end of the 159 bits.
    pub struct CompletionRecord {
        pub cqn: Bits<16>,
        pub qpn: Bits<24>,
        /// Of the WQE.
        pub index: Bits<16>,
        /// `host::cqe`, numbered as in `protocol/qp_cq.md` section 5.
        pub status: Bits<8>,
        pub receive: Bit,
        pub operation: Bits<8>,
        pub byte_count: Bits<32>,
        pub has_immediate: Bit,
        pub immediate: Bits<32>,
        pub has_p_key_index: Bit,
        /// Entry of the port's P_Key table.
        pub p_key_index: Bits<2>,
        /// Packets of its side whose writes come before it, modulo 2^16.
        pub fence: Bits<16>,
        /// `immediate` holds the R_Key that the message invalidated.
        pub has_invalidated: Bit,
        /// A message whose last packet had SE.
        pub solicited: Bit,
    }
}
