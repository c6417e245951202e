//! The `hca` program, with scoreboard, links and scenarios.
pub mod capture;
pub mod case;
pub mod check;
pub mod cli;
pub mod conformance;
pub mod decision;
pub mod device;
pub mod fabric;
pub mod faults;
pub mod fuzz;
pub mod life;
pub mod live;
pub mod performance;
pub mod planted;
pub mod report;
pub mod scenario;
pub mod scoreboard;
mod side;
pub mod slow_credits;
pub mod station;
pub mod subnet;
pub mod trace;
pub mod wire;

pub use side::Side;
