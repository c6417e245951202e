//! The HCA datapath in rust-hdl, its host interface, and the width-exact Verilog exporter.
pub mod completion;
pub mod context;
pub mod control;
pub mod export;
pub mod hca;
pub mod host;
pub mod memory;
pub mod primitive;
pub mod profile;
pub mod receive;
pub mod requester;
pub mod response;
pub mod retire;
pub mod send;
pub mod transmit;
pub mod verilog;
pub mod wire;
