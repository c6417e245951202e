//! Packets on the wire, between the stream ports and the engines: checks packets that arrive, and builds packets to
//! send with their CRCs.
//!
//! Inside, byte 0 of a vector is at the most significant end. Generics: `W` stream bits, `K` its bytes. `reset` must
//! last 16 clocks, until all beats under way have left the pipelines.
mod accepted_header;
mod arrival_mask;
mod checksum;
mod crc_accumulator;
mod crc_append;
mod crc_check;
mod crc_rewind;
mod delay;
mod ethernet_header;
mod frame_cut;
mod gid_match;
mod header_capture;
mod header_decode;
mod header_format;
mod header_pick;
mod header_store;
mod icrc_cover;
mod infiniband_check;
mod ingress;
mod ipv4_sum;
mod keep_count;
mod link_header;
mod link_receive;
mod loopback;
mod management_check;
mod network_store;
mod opcode_table;
mod packet_buffer;
mod packet_builder;
mod packet_check;
mod packet_merge;
mod payload_align;
mod payload_place;
mod payload_reader;
mod raw_header;
mod rewind_step;
mod roce_check;
mod route;
mod rx_header;
mod transport_check;
mod transport_header;
mod tx_header;
mod vcrc_check;

pub use crc_accumulator::CrcAccumulator;
pub use crc_append::CrcAppend;
pub use crc_check::CrcCheck;
pub use crc_rewind::CrcRewind;
pub use delay::Delay;
pub use gid_match::GidMatch;
pub(crate) use ingress::Ingress;
pub(crate) use keep_count::KeepCount;
pub use link_receive::LinkReceive;
pub use loopback::Loopback;
pub use management_check::ManagementCheck;
pub(crate) use opcode_table::OpcodeTable;
pub use packet_builder::PacketBuilder;
pub use rx_header::RxHeader;
pub use tx_header::TxHeader;
pub(crate) use vcrc_check::VcrcCheck;

/// Generator of the ICRC in reflected form (`protocol/crc.md`).
pub const ICRC_POLYNOMIAL: u64 = 0xEDB8_8320;
/// Generator of the VCRC in reflected form (`protocol/crc.md`).
pub const VCRC_POLYNOMIAL: u64 = 0xD008;
