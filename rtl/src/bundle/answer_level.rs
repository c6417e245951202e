//! How many answers of a queue pair wait.
use super::bundle;
use hca_hdl::prelude::*;

bundle!(
    /// The responder asks how full the queue of a queue pair's answers is ([`crate::response::queue`]). `QB`: log2 of
    /// the number of queue pairs.
    AnswerLevelSource to AnswerLevelSink<QB> {
        /// Index of the queue pair.
        index: Out Bits<QB>,
        /// High while half of its places are taken: those left are for answers to new requests.
        many: In Bit,
        /// High while all places are taken but those for answers that are on their way to the queue.
        fill: In Bit,
    }
);
