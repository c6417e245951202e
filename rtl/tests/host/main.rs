//! Host control under Verilator: what a command checks and hands on, and to whom.
#[allow(dead_code)]
#[path = "../bench/mod.rs"]
mod bench;
mod commands;
mod decode;
mod doorbells;
mod drain;
mod group_count;
mod groups;
mod guid_table;
mod handles;
mod interrupt;
mod management;
mod p_key_table;
mod port_counter;
mod port_link;
mod port_state;
mod registers;
mod retire;
mod rig;
mod users;
mod violation_latch;
mod vl_arbitration;
mod vl_registers;
mod wide_counters;
