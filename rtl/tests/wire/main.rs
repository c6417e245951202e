//! The wire blocks, exported and Verilated, at every stream width and in both framings.
mod receive;
mod transmit;
