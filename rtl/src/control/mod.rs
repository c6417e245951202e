//! Host control: the AXI4-Lite register port, commands and doorbells.
pub mod commands;
mod drop_counters;
mod drops;
mod port;
mod region_arguments;
pub mod registers;

pub use commands::Commands;
pub use registers::Registers;
