//! Movers between host memory (AXI4 master) and the datapath. They know no protocol.
//!
//! Inside, streams carry byte 0 at the most significant end; AXI lane order exists only at the port.
pub mod read;
pub mod realign;
mod region;
pub mod write;

pub use read::MemoryRead;
pub use realign::Realign;
pub use region::RegionRow;
pub use write::MemoryWrite;

/// No burst crosses a multiple of this many bytes, so none crosses 4 KiB.
pub const BURST_BYTES: usize = 1024;
