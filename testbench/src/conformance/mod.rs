//! The conformance table row by row: the cases named after each row, their results on the model and on the hardware,
//! and how often random runs exercised it.
pub mod device;
pub mod dut;
pub mod program;
pub mod reason;
pub mod report;
pub mod result;
pub mod row;
