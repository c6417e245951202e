//! Tools for any design in rust-hdl: a width-exact Verilog exporter, the building blocks below every kernel, and
//! bundles of ports.
pub mod bundle;
pub mod primitive;
pub mod verilog;
