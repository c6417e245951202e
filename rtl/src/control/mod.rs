//! Host control: the AXI4-Lite register port, commands and doorbells.
mod arguments;
pub mod commands;
mod counters;
mod drop_counters;
mod drops;
mod events;
mod identity;
mod port;
mod region_arguments;
pub mod registers;
mod slave;

pub use commands::Commands;
pub use registers::Registers;
