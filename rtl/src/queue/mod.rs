//! Work queues in host memory, as the hardware follows them: doorbells announce, entries are read ahead.
mod prefetch;
mod wqe_cache;
mod wqe_store;

pub use prefetch::Prefetch;
pub use wqe_cache::WqeCache;
pub use wqe_store::WqeStore;
