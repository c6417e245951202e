//! Link packets of a run, for captures.
use crate::Side;

/// A link packet on a native link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRecord {
    /// Clock cycle in which it left the sender.
    pub cycle: u64,
    pub from: Side,
    /// Number of the port by which it left, from 1.
    pub port: u8,
    /// First byte to last LPCRC byte.
    pub bytes: Vec<u8>,
}
