//! Host control: the AXI4-Lite register port, commands and doorbells.
pub mod commands;
pub mod doorbells;
mod drop_counters;
mod port;
mod region_arguments;
pub mod registers;

pub use commands::Commands;
pub use doorbells::Doorbells;
pub use registers::Registers;
