//! Wire formats as whole packets show them.
mod round_trip;
mod strategy;
