//! The model's values and the driver's.
pub mod answer;
pub mod request;
