//! State that the requester keeps for a queue pair (`protocol/requester.md`).
use hca_hdl::prelude::*;

record! {
    /// First field at the least significant end of the 434 bits. PSNs have 24 bits, WQE indices count modulo 2^16.
    pub struct RequesterRow {
        /// `host::command::STATE_*`.
        pub state: Bits<3>,
        /// Oldest PSN that is not acknowledged.
        pub una: Bits<24>,
        /// PSN of the next packet.
        pub psn: Bits<24>,
        /// Index of the first WQE that has not started.
        pub started: Bits<16>,
        /// WQE of the next packet; `started`, if it is a new one.
        pub current: Bits<16>,
        /// Bytes of that WQE before the next packet.
        pub offset: Bits<32>,
        /// First PSN since the QP began to send.
        pub start: Bits<24>,
        /// High if 2^23 PSNs have been acknowledged since `start`.
        pub wrapped: Bit,
        /// Retries left.
        pub retries: Bits<3>,
        /// Retries after RNR NAKs left.
        pub rnr_retries: Bits<3>,
        /// High if nothing was acknowledged since the last retry: another NAK uses up none (section 7).
        pub retrying: Bit,
        /// High if the next packet must be that of `una`.
        pub rewinding: Bit,
        /// Cause of the rewind (`host::retire::rewind`).
        pub cause: Bits<2>,
        /// High if nothing is sent before the RNR delay is over.
        pub waiting: Bit,
        /// PSN that the QP last went back to.
        pub resent: Bits<24>,
        /// Place in its ring of the oldest Read or atomic that is not answered.
        pub read_head: Bits<4>,
        /// Reads and atomics under way, up to 16.
        pub reads: Bits<5>,
        /// First PSN of the oldest Read or atomic that is not answered.
        pub read_first: Bits<24>,
        /// Last PSN of that Read or atomic.
        pub read_last: Bits<24>,
        /// WQE of that Read or atomic.
        pub read_wqe: Bits<16>,
        /// Bytes of that Read or atomic.
        pub read_length: Bits<32>,
        /// High if that Read or atomic is an atomic.
        pub read_atomic: Bit,
        /// High if WQE `refused_wqe` cannot go on, and ends with `refused_status` (section 8).
        pub refused: Bit,
        /// First PSN of that WQE.
        pub refused_first: Bits<24>,
        /// With `refused`: index of the WQE.
        pub refused_wqe: Bits<16>,
        /// With `refused` or `owes_failure`: status of its completion (`host::cqe`).
        pub refused_status: Bits<8>,
        /// High if the QP is in Error, and this was reported: posted WQEs are flushed.
        pub flushing: Bit,
        /// Number of packets launched, modulo 2^8.
        pub issued: Bits<8>,
        /// SSN of the last message started, from 1 (`protocol/aeth.md` section 4).
        pub ssn: Bits<24>,
        /// High if at least 64 messages have started.
        pub many: Bit,
        /// Number of messages started that take no receive WQE at the peer, modulo 2^7.
        pub free: Bits<7>,
        /// LSN less `ssn`, signed.
        pub allowance: Bits<24>,
        /// High if the peer has said that it gives no credits: there are no limits until Reset.
        pub unlimited: Bit,
        /// High if the last message started was limited: before it is resolved, only packets before `stop_psn` go.
        pub probes: Bit,
        /// With `probes`: first PSN that may not be sent.
        pub stop_psn: Bits<24>,
        /// High if acknowledged WQEs are not completed yet: packets of them, sent again, are still read from memory.
        pub owes: Bit,
        /// With `owes`: high if the oldest WQE left ends with `refused_status`.
        pub owes_failure: Bit,
        /// High if the QP went back to `resent`, or began there. No packet from `resent` on is gone as long as the
        /// number of packets that are gone is `since`.
        pub went_back: Bit,
        /// Number of the QP's packets that were gone when it went back, modulo 2^8; discarded packets do not count.
        pub since: Bits<8>,
        /// With `flushing`: high if the QP is in SQE, and this was not reported.
        pub unreported: Bit,
        /// High if host memory failed a packet of an unreliable QP: no message after it succeeds.
        pub broken: Bit,
    }
}
