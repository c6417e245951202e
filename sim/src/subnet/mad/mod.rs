//! Management datagrams: the common header, and what follows it in the MADs of the two agents.
mod header;
mod method;
mod performance_mad;
mod smp;
mod status;

pub use header::{class, Header};
pub use method::Method;
pub use performance_mad::PerformanceMad;
pub use smp::Smp;
pub use status::Status;

/// Size of a MAD in bytes.
pub const MAD_BYTES: usize = 256;
/// A MAD as it crosses the link.
pub type MadBytes = [u8; MAD_BYTES];
/// The base version of all MADs, and the class version of both agents (`protocol/mad.md` section 2).
pub const VERSION: u8 = 1;
