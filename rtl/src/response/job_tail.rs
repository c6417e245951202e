//! Ends of the queues of response jobs.
use hca_hdl::prelude::*;

record! {
    /// Where the queue of a QP ends.
    pub struct JobTail {
        /// Place behind the last job.
        pub place: Bits<6>,
        /// High if the last job is an ack.
        pub ack: Bit,
        /// High if the QP takes no more jobs, because one was refused.
        pub refused: Bit,
    }
}
