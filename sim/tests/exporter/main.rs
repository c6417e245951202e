//! The exporter's proof: kernels and primitives agree with their Verilog.
mod compare;
mod hand_picked;
mod joins;
mod port_value;
mod primitives;
mod random;
mod random_block;
mod random_expression;
mod stimulus;
mod structure;
mod wiring;
