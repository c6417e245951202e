//! The link layer of a native port: virtual lanes, link packets, credits, and the buffers that the credits promise
//! (`protocol/link.md` sections 3 to 6).
//!
//! Inside, byte 0 of a vector is at the most significant end. Generics: `W` stream bits, `K` its bytes. `reset` must
//! last 16 clocks, as in [`crate::wire`].
mod arrival_check;
mod beat_store;
mod flow_control_check;
mod flow_control_packet;
mod flow_control_send;
mod flow_control_take;
mod gid_choice;
mod lane_holds;
mod lane_need;
mod lane_room;
mod lane_store;
mod link_insert;
mod link_send;
mod mark_order;
mod packet_blocks;
mod packet_lane;
mod packet_watch;
mod rate_pace;
mod rate_pause;
mod rate_sources;
mod receive_buffer;
mod send_rule;
mod vl_arbiter;
mod vl_choice;
mod vl_credit;
mod vl_queue;
mod vl_room;
mod vl_table;

pub use beat_store::BeatStore;
pub use flow_control_check::FlowControlCheck;
pub use flow_control_packet::FlowControlPacket;
pub use flow_control_send::FlowControlSend;
pub use flow_control_take::FlowControlTake;
pub use gid_choice::GidChoice;
pub use lane_holds::LaneHolds;
pub use lane_need::LaneNeed;
pub use lane_room::LaneRoom;
pub use lane_store::LaneStore;
pub use link_insert::LinkInsert;
pub use link_send::LinkSend;
pub use mark_order::MarkOrder;
pub use packet_blocks::PacketBlocks;
pub use packet_lane::PacketLane;
pub use packet_watch::PacketWatch;
pub use rate_pace::RatePace;
pub use rate_pause::RatePause;
pub use rate_sources::RateSources;
pub use receive_buffer::ReceiveBuffer;
pub use send_rule::SendRule;
pub use vl_arbiter::VlArbiter;
pub use vl_choice::VlChoice;
pub use vl_queue::VlQueue;
pub use vl_table::VlTable;
