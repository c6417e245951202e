//! Commands about completion queues.
use super::offer;
use hca_hdl::prelude::*;

offer!(
    /// From the commands to the completion queues; a command is answered in the cycle in which it is taken. `CB`: log2
    /// of the number of CQs.
    CqCommandSource to CqCommandSink<CB> {
        /// Operation: 0 creates, 1 resizes, 2 destroys, 3 queries.
        operation: Out Bits<2>,
        /// Index of the CQ.
        index: Out Bits<CB>,
        /// Byte address of the ring.
        base: Out Bits<64>,
        /// Log2 of the number of CQEs.
        log_size: Out Bits<4>,
        /// High if the command is a resize to fewer CQEs than wait to be polled: nothing changes then.
        refused: In Bit,
        /// Byte address of the ring before the command.
        answer_base: In Bits<64>,
        /// Log2 of its number of CQEs.
        answer_log_size: In Bits<4>,
        /// Number of CQEs written, modulo 2^16.
        answer_producer: In Bits<16>,
        /// Number of CQEs polled, modulo 2^16.
        answer_consumer: In Bits<16>,
        /// How the CQ is armed: 0 not, 1 for solicited completions, 2 for the next completion.
        answer_armed: In Bits<2>,
        /// High if the CQ has failed.
        answer_failed: In Bit,
        /// High for one cycle when a CQ has failed: the QPs that use it have to fail, too.
        failed_valid: In Bit,
        /// Index of the failed CQ.
        failed_index: In Bits<CB>,
    }
);
