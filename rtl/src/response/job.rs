//! One answer that the responder has decided on.
use hca_hdl::prelude::*;

record! {
    /// An answer that the responder has decided on. First field at the least significant end of the 250 bits.
    pub struct ResponseJob {
        /// One of `JOB_*`.
        pub kind: Bits<2>,
        /// QPN of this side.
        pub qpn: Bits<24>,
        /// PSN of the answer; for a Read, that of its first response.
        pub psn: Bits<24>,
        /// Syndrome of an ack or NAK.
        pub syndrome: Bits<8>,
        /// MSN of the answer.
        pub msn: Bits<24>,
        /// DLID of the request.
        pub slid: Bits<16>,
        /// SL of the request.
        pub sl: Bits<4>,
        /// Address that a Read starts at.
        pub va: Bits<64>,
        /// R_Key of a Read; for an atomic, the queue keeps its number here ([`super::originals::Originals`]).
        pub r_key: Bits<32>,
        /// Bytes to read; for an atomic 8, or 0 if it is a replay.
        pub length: Bits<32>,
        /// Resource of an atomic, below 16.
        pub slot: Bits<4>,
        /// Number of packets of the responder whose writes come before the answer, modulo 2^16.
        pub fence: Bits<16>,
    }
}

record! {
    /// A job in its queue. First field at the least significant end of the 266 bits.
    pub struct QueuedJob {
        /// The job.
        pub job: ResponseJob,
        /// The upper half of the number of packets whose writes come before the answer, modulo 2^32.
        pub fence_high: Bits<16>,
    }
}

record! {
    /// What of a Read has been answered. First field at the least significant end of the 56 bits.
    pub struct ReadProgress {
        /// Bytes so far.
        pub bytes: Bits<32>,
        /// Responses so far.
        pub responses: Bits<24>,
    }
}
