//! Tools for any design in rust-hdl: a width-exact Verilog exporter, building blocks for kernels, bundles of ports, and
//! records.
pub mod bundle;
mod constants;
pub mod prelude;
pub mod primitive;
pub mod record;
pub mod verilog;
