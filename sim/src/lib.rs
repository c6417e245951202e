//! Builds and runs a Verilated HCA: buses, host memory, driver.
//!
//! [`verilated`] makes a running model of any Verilog; [`SimHca`] puts buses, host memory and a driver around one that
//! has the ports of an HCA. Everything random comes from a seed.
mod activation;
pub mod axi;
pub mod axil;
pub mod cable;
pub mod chance;
pub mod cm;
pub mod decision;
pub mod design;
pub mod driver;
pub mod graft;
pub mod handshake;
pub mod hca;
pub mod memory;
pub mod pipes;
pub mod port;
pub mod retire;
pub mod stream;
pub mod subnet;
pub mod tape;
pub mod verbs;
pub mod verilated;
pub mod wire;

pub use activation::ActivationError;
pub use hca::{SimConfig, SimError, SimHca};
