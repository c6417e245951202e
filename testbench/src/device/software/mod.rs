//! Conversions between the model's values and the driver's.
pub mod answer;
pub mod request;
