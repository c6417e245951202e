//! Follows the work queues in host memory: doorbells announce entries, which are read ahead.
mod doorbell_check;
mod doorbell_report;
mod prefetch;
mod read_plan;
mod turns;
mod wqe_cache;
mod wqe_read;
mod wqe_store;

pub use doorbell_check::DoorbellCheck;
pub use doorbell_report::DoorbellReport;
pub use prefetch::Prefetch;
pub use read_plan::ReadPlan;
pub use turns::Turns;
pub use wqe_cache::WqeCache;
pub use wqe_read::WqeRead;
pub use wqe_store::WqeStore;

/// The queue that a block follows, as retire records number it: the receive queue if `rq` is not 0, else the send
/// queue.
const fn queue_of(rq: usize) -> u8 {
    match rq {
        0 => hca_host::retire::QUEUE_SEND,
        _ => hca_host::retire::QUEUE_RECEIVE,
    }
}
