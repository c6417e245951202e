//! Between the stream ports and the engines: whole packets in, checked; whole packets out, with both CRCs.
//!
//! Inside, byte 0 of a vector is at the most significant end. Generics: `W` stream bits, `K` its bytes. `reset` has
//! to last 16 clocks, until what was under way has left the pipelines.
mod checksum;
mod crc_accumulator;
mod crc_append;
mod crc_check;
mod crc_rewind;
mod delay;
mod ethernet_header;
mod frame_cut;
mod header_capture;
mod header_format;
mod icrc_cover;
mod ingress;
mod keep_count;
mod link_header;
mod link_receive;
mod opcode_table;
mod packet_buffer;
mod packet_builder;
mod packet_check;
mod packet_merge;
mod payload_reader;
mod record;
mod rewind_step;
mod transport_header;
mod tx_header;
mod variant_mask;

pub use crc_accumulator::CrcAccumulator;
pub use crc_append::CrcAppend;
pub use crc_check::CrcCheck;
pub use crc_rewind::CrcRewind;
pub use link_receive::LinkReceive;
pub use packet_builder::PacketBuilder;
pub use record::RxHeader;
pub use tx_header::TxHeader;

/// Generators of the two CRCs in reflected form (`protocol/crc.md`).
pub const ICRC_POLYNOMIAL: u64 = 0xEDB8_8320;
/// See [`ICRC_POLYNOMIAL`].
pub const VCRC_POLYNOMIAL: u64 = 0xD008;
