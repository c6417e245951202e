//! A message that has begun.
use hca_golden::wire::opcode::Operation;

/// A message that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) operation: Operation,
    /// Number of bytes of its packets so far.
    pub(super) bytes: u64,
    /// The length in its RETH.
    pub(super) announced: Option<u64>,
}
