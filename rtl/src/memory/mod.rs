//! Moves data between host memory (AXI4 master) and the datapath. These blocks know no protocol.
//!
//! Inside, streams carry byte 0 at the most significant end; AXI lane order exists only at the port.
mod atomic;
mod atomic_operation;
mod atomic_words;
mod blocks_under_way;
mod burst_split;
mod fault_report;
pub mod gather;
mod kept_list;
mod key_table;
mod line_assembly;
mod lookup_drain;
mod piece_align;
mod piece_cut;
mod piece_join;
pub mod piece_queue;
mod piece_select;
mod placement_drain;
pub mod protection;
pub mod read_arbiter;
mod read_slot;
mod region_row;
pub mod scatter;
mod segment_list;
mod walk_request;
pub mod walker;
mod word_join;
pub mod write_port;
mod write_split;
mod written;

pub use atomic_words::AtomicWords;
pub use burst_split::BurstSplit;
pub use fault_report::FaultReport;
pub use gather::Gather;
pub use key_table::KeyTable;
pub use line_assembly::LineAssembly;
pub use lookup_drain::LookupDrain;
pub use piece_cut::PieceCut;
pub use piece_join::PieceJoin;
pub use piece_queue::PieceQueue;
pub use placement_drain::PlacementDrain;
pub use protection::Protection;
pub use read_arbiter::ReadArbiter;
pub use region_row::RegionRow;
pub use scatter::Scatter;
pub use segment_list::SegmentList;
pub use walk_request::WalkRequest;
pub use walker::Walker;
pub use written::Written;

/// No burst crosses a multiple of this many bytes, so none crosses 4 KiB.
pub const BURST_BYTES: usize = 1024;
