//! Why a managed adapter cannot continue.
use crate::driver::DriverError;
use crate::hca::SimError;

/// Why MADs or register accesses fail.
#[derive(Debug, thiserror::Error)]
pub enum ManagedError {
    #[error(transparent)]
    Simulation(#[from] SimError),
    #[error(transparent)]
    Refused(#[from] DriverError),
    #[error("{what} did not come in {cycles} clock cycles")]
    Stalled { what: &'static str, cycles: u64 },
    #[error("work of QP {qpn} ended with status {status}")]
    Failed { qpn: u32, status: u8 },
    #[error("a message of {length} bytes came to QP{qpn}, which is no MAD")]
    NoMad { qpn: u32, length: u32 },
    #[error("connection {connection} brought another message than was sent")]
    OtherMessage { connection: u32 },
}
