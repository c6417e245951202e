//! One HCA, or two on a cable, and software that waits for its verbs: a test needs no register.
//!
//! ```no_run
//! use hca_sim::verbs::{self, Connection, Pair, QpInitAttributes};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let design = hca_rtl::export::hca(&hca_host::profile::SMALL)?;
//! let library = hca_sim::design::library(&design)?;
//! let mut pair = Pair::new(&library, &hca_sim::SimConfig::default())?;
//! let (cq, _entries) = pair.x().create_cq(16)?;
//! let qp = pair.x().create_qp(&QpInitAttributes::new(cq, cq))?;
//! # let _ = qp;
//! # Ok(())
//! # }
//! ```
mod around;
mod connection;
mod handles;
mod host;
mod numbers;
mod pair;
mod single;

pub use connection::{Connection, Port};
pub use handles::{Ah, Cq, Mr, MrAttributes, Qp, QpInitAttributes};
pub use host::Host;
pub use pair::Pair;
pub use single::Single;

pub use crate::driver::HcaLimits;

use crate::activation::ActivationError;
use crate::driver::DriverError;
use crate::hca::SimError;
use crate::verilated;

/// Largest number of clock cycles within which a verb has its outcome, or an awaited event occurs.
const PATIENCE: u64 = 1_000_000;
/// Number of clock cycles in a row without a transfer at any port, after which the hardware holds no data. A packet of
/// 4 KB passes its buffer in 512 cycles.
const SETTLING: u64 = 800;
/// P_Key of the default partition, full member (`protocol/headers.md` section 5).
const DEFAULT_P_KEY: u16 = 0xFFFF;
/// Number of entries of each event queue.
const EVENTS: u32 = 256;

/// Why a verb failed, or the simulation stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The verb was refused, and nothing changed.
    #[error(transparent)]
    Refused(#[from] DriverError),
    #[error(transparent)]
    Simulation(#[from] SimError),
    #[error(transparent)]
    Activation(#[from] ActivationError),
    #[error(transparent)]
    Build(#[from] verilated::Error),
    #[error("{what} did not come in {PATIENCE} clock cycles")]
    Stalled { what: &'static str },
}
