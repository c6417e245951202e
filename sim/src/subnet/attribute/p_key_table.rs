//! P_KeyTable.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// A block of the P_Key table of a port: 32 P_Keys (`protocol/mad.md` section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct PKeyBlock {
    pub p_keys: [u16; PKeyBlock::ENTRIES],
}

impl PKeyBlock {
    /// Number of P_Keys in a block.
    pub const ENTRIES: usize = 32;
}

impl Record for PKeyBlock {
    const BYTES: usize = 64;
}
