//! The link layer of a native port under Verilator: virtual lanes, link packets, buffers and credits.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod buffer;
mod check;
mod crc;
mod flow_control_packet;
mod flow_control_send;
mod gid_choice;
mod lane_room;
mod lane_store;
mod law;
mod link_insert;
mod link_send;
mod over_ethernet;
mod packet_blocks;
mod packet_watch;
mod rate_pace;
mod rate_sources;
mod rig;
mod send_rule;
mod take;
mod vl_arbiter;
mod vl_choice;
mod vl_queue;
