//! P_KeyTable.
use super::super::record::Record;
use deku::{DekuRead, DekuWrite};

/// 32 P_Keys of a port: a block of its table (`protocol/mad.md` section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, DekuRead, DekuWrite)]
#[deku(endian = "big")]
pub struct PKeyBlock {
    pub p_keys: [u16; PKeyBlock::ENTRIES],
}

impl PKeyBlock {
    /// P_Keys of a block.
    pub const ENTRIES: usize = 32;
}

impl Record for PKeyBlock {
    const BYTES: usize = 64;
}
